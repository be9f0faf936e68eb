/** Runs the agent. Gateways of this version take none yet: it finds the gateway, says so, and ends. */
import { CallError, call, type Send } from '@gatehouse/contract/client';
import { pingRoutes } from '@gatehouse/contract/shell/ping';
import { type AgentGiven, readAgentConfig } from './config.ts';

export interface AgentSurroundings {
  env: Record<string, string | undefined>;
  cwd: string;
  timeoutMs?: number;
}

export interface AgentOutcome {
  exit: 'unreachable';
  message: string;
  gateway: string;
}

export async function runAgent(
  given: AgentGiven,
  { env, cwd, timeoutMs = 10_000 }: AgentSurroundings,
): Promise<AgentOutcome> {
  const { gateway } = readAgentConfig(given, env, cwd);
  try {
    const { cluster_name, server_version } = await call(sendTo(gateway, timeoutMs), pingRoutes.ping, {});
    const who = `the gateway of cluster '${cluster_name}' at ${gateway} (version ${server_version})`;
    return { exit: 'unreachable', message: `${who} answers, but does not take agents yet`, gateway };
  } catch (error) {
    return { exit: 'unreachable', message: `no gateway answers at ${gateway}: ${reasonOf(error)}`, gateway };
  }
}

function sendTo(origin: string, timeoutMs: number): Send {
  return async ({ method, url, body }) => {
    const signal = AbortSignal.timeout(timeoutMs);
    // A redirect could lead the agent, and later its token, to somebody else.
    const response = await fetch(`${origin}${url}`, { method, body, signal, redirect: 'error' });
    return { status: response.status, text: await response.text() };
  };
}

/** fetch hides the reason one level down. */
function reasonOf(error: unknown): string {
  if (error instanceof CallError) return `it answered ${error.status}`;
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'ZodError') return 'what answers there is not a gateway';
  const { cause } = error;
  if (error.name === 'TimeoutError') return 'no answer in time';
  return cause instanceof Error
    ? cause.message || ('code' in cause ? String(cause.code) : error.message)
    : error.message;
}
