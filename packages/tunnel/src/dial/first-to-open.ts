/** Tries the addresses of a name side by side: one that is silent must not use up the time of the others. */
import { whenAborted } from '@gatehouse/contract/std/when-aborted';

/** As long as an address is given alone before the next one is tried beside it. */
const HEAD_START_MS = 250;

/** Nobody reads why: to make an error of it for each dial would take longer than all else here. */
const OVER = new Error('it is not needed any more');

interface Closable {
  destroy(): void;
}

/** The first that opens; all others are given up. Throws why the last one failed, or why the signal was aborted. */
export function firstToOpen<T extends Closable>(
  addresses: readonly string[],
  open: (address: string, signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const left = [...addresses];
  const giveUp = new AbortController();
  const within = AbortSignal.any([signal, giveUp.signal]);
  let isOver = false;
  let trying = 0;
  let timer: NodeJS.Timeout | undefined;
  const finish = (settle: () => void) => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    settle();
    giveUp.abort(OVER);
  };
  const tryNext = () => {
    clearTimeout(timer);
    const address = left.shift();
    if (address === undefined || isOver) return;
    trying += 1;
    if (left.length > 0) timer = setTimeout(tryNext, HEAD_START_MS);
    open(address, within).then(
      (opened) => {
        // Both at once: nobody would ever close the second.
        if (isOver) opened.destroy();
        else finish(() => resolve(opened));
      },
      (error: unknown) => {
        trying -= 1;
        if (left.length > 0) tryNext();
        else if (trying === 0) finish(() => reject(error));
      },
    );
  };
  const forget = whenAborted(signal, () => finish(() => reject(signal.reason)));
  if (addresses.length === 0) finish(() => reject(new Error('there is no address')));
  tryNext();
  return promise.finally(forget);
}
