/** Connections from a server that an agent holds to elsewhere: each a stream of its own, by a process of the login. */
import type { Duplex } from 'node:stream';
import { FORWARD_TARGET } from '@gatehouse/contract/reach/agents/targets';
import { StreamRefused } from '@gatehouse/tunnel/tunnel-error';
import type { Resource } from '../../inventory/resource-store.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { DialOptions, Reach } from '../../reach/reach.ts';
import type { Forwards, ForwardTarget } from '../../sessions/commands/running-command.ts';
import { explainOldAgent } from './run-command.ts';

/** For one client; an agent takes more. */
const MAX_OPEN = 256;

export interface AgentForward extends DialOptions {
  /** The very object access was decided for. */
  resource: Resource;
  login: string;
}

/** All of them end with `close`, and with the signal. */
export function agentForwards(reach: Pick<Reach, 'toAgent'>, { signal, ...wanted }: AgentForward): Forwards {
  const over = new AbortController();
  const until = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  let open = 0;
  return {
    async open(target) {
      if (open >= MAX_OPEN) throw new AppError('too_many', `${MAX_OPEN} connections are forwarded already`);
      open += 1;
      try {
        const stream = await openAgentForward(reach, { ...wanted, signal: until }, target);
        stream.once('close', () => {
          open -= 1;
        });
        return stream;
      } catch (error) {
        open -= 1;
        throw error;
      }
    },
    close: () => over.abort(),
  };
}

/** Rejects with an `AppError` in words for who asked. */
export async function openAgentForward(
  { toAgent }: Pick<Reach, 'toAgent'>,
  { resource, login, ...dial }: AgentForward,
  target: ForwardTarget,
): Promise<Duplex> {
  const to: Record<string, string> =
    target.type === 'tcp' ? { host: target.host, port: String(target.port) } : { path: target.path };
  try {
    const stream = await toAgent(resource, FORWARD_TARGET, { ...dial, metadata: { login, ...to } });
    stream.on('error', () => {});
    return stream;
  } catch (error) {
    throw inOwnWords(explainOldAgent(error, resource.name, 'forward connections'));
  }
}

/** What the agent said is all there is to know: that it "could not get there" is said of another way. */
function inOwnWords(error: unknown): unknown {
  if (!(error instanceof AppError) || !(error.cause instanceof StreamRefused)) return error;
  const { code, message } = error.cause;
  return code === 'not_found' ? error : new AppError(error.code, message, { cause: error.cause });
}
