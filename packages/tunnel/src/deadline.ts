/** Runs work that must end by itself, by a time, or when its caller gives up. */
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { TunnelError } from './tunnel-error.ts';

export async function withDeadline<T>(
  { ms, what, signal }: { ms: number; what: string; signal?: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const forget = whenAborted(signal, () => controller.abort(signal?.reason));
  const timer = setTimeout(() => {
    controller.abort(new TunnelError('timed_out', `${what} took longer than ${ms / 1000} s`));
  }, ms);
  try {
    return await untilAborted(work(controller.signal), controller.signal);
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/** The work's own outcome, unless the signal comes first; work that ignores its signal cannot hold the caller. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const forget = whenAborted(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(forget);
  });
}
