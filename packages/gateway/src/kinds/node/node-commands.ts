/** Runs commands on servers, and connects from them: by their agents, or by SSH. */
import { nodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import { FILES_TARGET } from '@gatehouse/contract/reach/agents/targets';
import type { AccessControl } from '../../access/create-access.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Reach } from '../../reach/reach.ts';
import type { CommandSession, Commands } from '../../sessions/commands/commands.ts';
import type { RunningCommand, WantedProgram } from '../../sessions/commands/running-command.ts';
import { streamCommand } from '../../sessions/commands/stream-command.ts';
import { agentForwards } from './agent-forward.ts';
import type { NodeConnections } from './connect-node.ts';
import { loginsOn } from './node-logins.ts';
import { runAgentCommand } from './run-command.ts';

export interface NodeCommandDeps {
  reach: Pick<Reach, 'toAgent'>;
  nodes: Pick<NodeConnections, 'connect'>;
  access: Pick<AccessControl, 'of'>;
}

export function nodeCommands(deps: NodeCommandDeps): Commands {
  return {
    run: (request) => run(deps, request),
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

async function run(
  deps: NodeCommandDeps,
  request: CommandSession & { program: WantedProgram },
): Promise<RunningCommand> {
  const { program, signal, user, session } = request;
  const { resource, login } = nodeAction(request);
  if (!isAgents(resource)) {
    const connection = await connect(deps, request, []);
    const { runOverSsh } = await import('./engine/ssh-command.ts');
    return await runOverSsh({ connection, name: resource.name, program, signal });
  }
  if (program.type !== 'files') {
    const command = program.type === 'command' ? program.command : undefined;
    const who = { user, session };
    return await runAgentCommand(deps.reach, { resource, login, who, command, env: { ...program.env }, signal });
  }
  const stream = await deps.reach.toAgent(resource, FILES_TARGET, {
    who: { user, session },
    metadata: { login },
    signal,
  });
  return streamCommand(stream, signal);
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
