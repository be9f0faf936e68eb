/** Runs commands on servers, and connects from them: by their agents, or by SSH. */
import { duplexPair } from 'node:stream';
import { nodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import type { AccessControl } from '../../access/create-access.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Reach } from '../../reach/reach.ts';
import type { CommandSession, Commands } from '../../sessions/commands/commands.ts';
import type { RunningCommand, WantedProgram } from '../../sessions/commands/running-command.ts';
import { streamCommand } from '../../sessions/commands/stream-command.ts';
import { agentForwards } from './agent-forward.ts';
import { offerBackward } from './agent-keys.ts';
import { toldBegun } from './backward-words.ts';
import type { NodeConnections } from './connect-node.ts';
import { type RelayFilesDeps, relayFiles } from './files/relay-files.ts';
import { loginsOn } from './node-logins.ts';
import { runAgentCommand } from './run-command.ts';
import { createSharedLogins, type SharedLogins } from './shared-logins.ts';

export interface NodeCommandDeps extends RelayFilesDeps {
  reach: Pick<Reach, 'toAgent'>;
  nodes: Pick<NodeConnections, 'connect'>;
  access: Pick<AccessControl, 'of'>;
}

export function nodeCommands(deps: NodeCommandDeps): Commands {
  const shared = createSharedLogins((wanted) => deps.nodes.connect(wanted));
  return {
    run: (request) => run(deps, shared, request),
    async forwards(request) {
      const { resource, login } = nodeAction(request);
      const { user, session, signal } = request;
      if (isAgents(resource)) return agentForwards(deps.reach, { resource, login, who: { user, session }, signal });
      const connection = await connect(deps, request, ['permit-port-forwarding']);
      const { forwardsOverSsh } = await import('./engine/ssh-forward.ts');
      return forwardsOverSsh(connection, resource.name, request.signal);
    },
    loginsOn: (actor, resource) => loginsOn(actor, deps.access, resource, nodeSpec.parse(resource.spec)),
  };
}

async function run(deps: NodeCommandDeps, shared: SharedLogins, request: ProgramRequest): Promise<RunningCommand> {
  const { program, signal, user, session } = request;
  const { resource, login } = nodeAction(request);
  if (program.type === 'files') return await serveFiles(deps, request);
  if (!isAgents(resource))
    return program.backward ? await runAlone(deps, request) : await runShared(deps, shared, request);
  if (program.backward) await offerBackward(deps.reach, program.backward, { resource, login, user, session, signal });
  const command = program.type === 'command' ? program.command : undefined;
  const who = { user, session };
  return await runAgentCommand(deps.reach, { resource, login, who, command, env: { ...program.env }, signal });
}

type ProgramRequest = CommandSession & { program: WantedProgram };

/** What the server may ask of the client belongs to one command: it has a connection of its own. */
async function runAlone(deps: NodeCommandDeps, request: ProgramRequest): Promise<RunningCommand> {
  const { program, signal, session } = request;
  const { resource } = nodeAction(request);
  const backward = program.type === 'files' ? undefined : program.backward;
  const { runOverSsh } = await import('./engine/ssh-command.ts');
  const { allowBackward, backwardPermits } = await import('./engine/ssh-backward.ts');
  const connection = await connect(deps, request, backwardPermits(backward));
  if (backward) allowBackward(connection, backward, toldBegun(backward, { session, server: resource }));
  const close = () => connection.close();
  return await runOverSsh({
    connection,
    giveBack: close,
    retire: close,
    cut: close,
    name: resource.name,
    program,
    signal,
  });
}

async function runShared(
  deps: NodeCommandDeps,
  shared: SharedLogins,
  request: ProgramRequest,
): Promise<RunningCommand> {
  const { program, signal, user, session, signInId } = request;
  const { resource, login } = nodeAction(request);
  const { runOverSsh, isNoRoom } = await import('./engine/ssh-command.ts');
  const lease = await shared.lease({ resource, login, who: { user, session, signInId }, signal });
  try {
    return await runOverSsh({ ...lease, name: resource.name, program, signal });
  } catch (error) {
    if (!isNoRoom(error)) throw error;
    // Its MaxSessions is smaller than most: it has said so for this connection, not for another.
    shared.isFull(lease);
    return await runAlone(deps, request);
  }
}

/** Read along, packet by packet: every file that is opened, changed or removed is told. */
async function serveFiles(deps: NodeCommandDeps, request: CommandSession): Promise<RunningCommand> {
  const { session: id, user, signInId, mfa, address, signal } = request;
  const [near, far] = duplexPair();
  const facts = { id, user, signInId, mfa, action: nodeAction(request) };
  const relay = await relayFiles(deps, { facts, address, client: far, signal });
  return streamCommand(near, { signal, ended: relay.ended, close: () => relay.end('the session is over') });
}

async function connect(deps: NodeCommandDeps, request: CommandSession, permits: readonly string[]) {
  const { resource, login } = nodeAction(request);
  const { user, session, signInId, signal } = request;
  return await deps.nodes.connect({ resource, login, who: { user, session, signInId }, permits, signal });
}

function isAgents(resource: Resource): boolean {
  return nodeSpec.parse(resource.spec).type === 'agent';
}

function nodeAction({ action }: CommandSession) {
  if (action.kind !== 'node') throw new TypeError(`a session with the kind '${action.kind}' is no server's`);
  return action;
}
