/** Finds what holds the shell of a session with a server: its own agent, or this gateway over SSH. */

import { nodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import { MAX_SHELL_ENV_CHARACTERS, SHELL_TARGET } from '@gatehouse/contract/reach/agents/targets';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { Resource } from '../../inventory/resource-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { AgentConnections } from '../../reach/agents/tunnels/agent-connections.ts';
import type { Reach } from '../../reach/reach.ts';
import type { Shell, ShellProgram } from '../../sessions/terminal/shell.ts';
import type { ShellRequest, Shells } from '../../sessions/terminal/shells.ts';
import { offerBackward } from './agent-keys.ts';
import { toldBegun } from './backward-words.ts';
import type { NodeConnections } from './connect-node.ts';
import { AGENT_AHEAD_BYTES, type AgentShellOptions, openAgentShell, resumeAgentShell } from './engine/agent-shell.ts';
import { clientEnv } from './run-command.ts';

const TERM = 'xterm-256color';
/** It travels with the request for the shell. */
const MAX_AGENT_COMMAND = 8_000;
/** Quotes and line ends take two bytes on the way: so many are let pass on top. */
const MAX_ESCAPED_BYTES = 4_000;

export interface NodeShellDeps {
  reach: Pick<Reach, 'toAgent'>;
  nodes: Pick<NodeConnections, 'connect'>;
  agents: Pick<AgentConnections, 'isConnected' | 'onConnected' | 'ping'>;
}

export function nodeShells(deps: NodeShellDeps): Shells {
  return {
    agentOf: shellAgentOf,
    open: (request) => openNodeShell(deps, toNodeRequest(request)),
    resume: (request) => resumeAgentShell(agentOptions(deps, toNodeRequest(request))),
  };
}

interface NodeShellRequest extends Omit<ShellRequest, 'action'> {
  resource: Resource;
  login: string;
}

function toNodeRequest({ action, ...request }: ShellRequest): NodeShellRequest {
  if (action.kind !== 'node') throw new TypeError(`a session with the kind '${action.kind}' is no server's`);
  return { ...request, resource: action.resource, login: action.login };
}

function shellAgentOf(resource: Resource): string | undefined {
  return nodeSpec.parse(resource.spec).type === 'agent' ? resource.owner : undefined;
}

async function openNodeShell(deps: NodeShellDeps, request: NodeShellRequest): Promise<Shell> {
  const { resource, login, size, events, user, session, signInId, signal, program = {} } = request;
  if (shellAgentOf(resource) !== undefined) {
    if (weightOf(program.command ?? '') > MAX_AGENT_COMMAND)
      throw new AppError(
        'bad_request',
        `on a terminal a command has at most ${MAX_AGENT_COMMAND} bytes: run it without one, or put it into a file`,
      );
    if (program.backward) await offerBackward(deps.reach, program.backward, { resource, login, user, session, signal });
    return openAgentShell(agentOptions(deps, request));
  }
  // Loaded when the first connection is made: no start waits for it.
  const { openSshShell } = await import('./engine/ssh-shell.ts');
  const { allowBackward, backwardPermits } = await import('./engine/ssh-backward.ts');
  const { backward } = program;
  const permits = ['permit-pty', ...backwardPermits(backward)];
  const connection = await deps.nodes.connect({ resource, login, who: { user, session, signInId }, permits, signal });
  if (backward) allowBackward(connection, backward, toldBegun(backward, { session, server: resource }));
  return openSshShell({
    connection,
    name: resource.name,
    size,
    program: { ...program, term: program.term ?? TERM },
    events,
  });
}

function agentOptions(deps: NodeShellDeps, request: NodeShellRequest): AgentShellOptions {
  const { reach, agents } = deps;
  const { resource, login, size, user, session, events, graceMs, program = {} } = request;
  const agent = resource.owner;
  const said = programSaid(program);
  return {
    events,
    graceMs,
    ping: () => agents.ping(agent),
    attach: ({ from, seen, start }) =>
      reach.toAgent(resource, SHELL_TARGET, {
        who: { user, session },
        metadata: {
          from: String(from),
          ahead: String(AGENT_AHEAD_BYTES),
          seen: String(seen),
          graceMs: String(graceMs),
          cols: String(size.cols),
          rows: String(size.rows),
          term: program.term ?? TERM,
          ...(start ? { login, ...said } : {}),
        },
      }),
    whenConnected: (signal) =>
      new Promise((resolve, reject) => {
        if (agents.isConnected(agent)) return resolve();
        let forgetEnd = () => {};
        const stop = agents.onConnected((id) => {
          if (id !== agent) return;
          stop();
          forgetEnd();
          resolve();
        });
        forgetEnd = whenAborted(signal, () => {
          stop();
          reject(signal.reason);
        });
      }),
  };
}

/** What it weighs on its way: what steers a terminal travels in six bytes for each. */
function weightOf(command: string): number {
  return Math.max(Buffer.byteLength(command), Buffer.byteLength(JSON.stringify(command)) - MAX_ESCAPED_BYTES);
}

function programSaid({ command, env = {} }: ShellProgram): Record<string, string> {
  const text = JSON.stringify(clientEnv(env));
  return {
    ...(command === undefined ? {} : { command }),
    ...(text === '{}' || text.length > MAX_SHELL_ENV_CHARACTERS ? {} : { env: text }),
  };
}
