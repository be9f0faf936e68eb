/** Runs work that must end by itself, by a time, or when its caller gives up. */
import { TunnelError } from './tunnel-error.ts';

export async function withDeadline<T>(
  { ms, what, signal }: { ms: number; what: string; signal?: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const giveUp = () => controller.abort(signal?.reason);
  if (signal?.aborted) giveUp();
  signal?.addEventListener('abort', giveUp, { once: true });
  const timer = setTimeout(() => {
    controller.abort(new TunnelError('timed_out', `${what} took longer than ${ms / 1000} s`));
  }, ms);
  try {
    return await untilAborted(work(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

/** The work's own outcome, unless the signal comes first; work that ignores its signal cannot hold the caller. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
