/** Runs a command without a terminal on a server that an agent holds. */
import { execEnv, execStart } from '@gatehouse/contract/reach/agents/exec-frames';
import { EXEC_TARGET } from '@gatehouse/contract/reach/agents/targets';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import type { Resource } from '../../inventory/resource-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { DialOptions, Reach } from '../../reach/reach.ts';
import type { RunningCommand } from '../../sessions/commands/running-command.ts';
import { AgentExec } from './engine/agent-exec.ts';

export interface AgentCommand extends DialOptions {
  /** The very object access was decided for. */
  resource: Resource;
  login: string;
  /** Absent: a login shell that reads its input. */
  command: string | undefined;
  /** Only LANG, LC_*, TERM and COLORTERM; others, and values no such variable has, are left out. */
  env: Record<string, string>;
}

/** Rejects with an `AppError`: no way to the agent, a login it does not let in, or an agent too old for commands. */
export async function runAgentCommand(
  { toAgent }: Pick<Reach, 'toAgent'>,
  { resource, login, command, env, ...dial }: AgentCommand,
): Promise<RunningCommand> {
  const start = execStart.safeParse({ ...(command === undefined ? {} : { command }), env: clientEnv(env) });
  if (!start.success)
    throw new AppError('bad_request', `the command cannot be run: it ${start.error.issues[0]?.message}`);
  const stream = await toAgent(resource, EXEC_TARGET, { ...dial, metadata: { login } }).catch((error: unknown) => {
    throw explainOldAgent(error, resource.name, 'run commands without a terminal');
  });
  return new AgentExec(stream, start.data);
}

/** An agent that knows no such target is from before it was made. */
export function explainOldAgent(error: unknown, server: string, what: string): unknown {
  const said = error instanceof Error ? error.cause : undefined;
  if (!(said instanceof StreamRefused) || said.code !== 'not_found') return error;
  return new AppError(
    'target_unreachable',
    `the agent on '${server}' is too old to ${what}: update the agent on ${server}`,
    {
      cause: said,
      fields: { next: `update the agent on ${server}` },
    },
  );
}

/** The rest of what a client wishes is not worth refusing its command. */
export function clientEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const known = Object.entries(env).filter(([key, value]) => execEnv.safeParse({ [key]: value }).success);
  return Object.fromEntries(known.slice(0, 32));
}
