/**
 * Decides when output travels. Terminals give 4 KiB at a time: sent one by one, a program that prints much would cost a write,
 * a wake-up and an acknowledgement for each, and be several times slower. What comes alone leaves at once: a key's echo.
 */

/** More than this within `WINDOW_MS` is much. */
const MUCH_BYTES = 16 * 1024;
const WINDOW_MS = 10;
const TOGETHER_BYTES = 64 * 1024;
const TOGETHER_MS = 2;

export interface Pace {
  heard(bytes: number): void;
  stop(): void;
}

export function createPace(send: () => void, now: () => number = () => performance.now()): Pace {
  let windowFrom = Number.NEGATIVE_INFINITY;
  let inWindow = 0;
  let unsent = 0;
  let soon: NodeJS.Immediate | undefined;
  let later: NodeJS.Timeout | undefined;

  const sendNow = () => {
    stop();
    unsent = 0;
    send();
  };
  const stop = () => {
    clearImmediate(soon);
    clearTimeout(later);
    soon = undefined;
    later = undefined;
  };
  return {
    heard(bytes) {
      const time = now();
      if (time - windowFrom > WINDOW_MS) {
        windowFrom = time;
        inWindow = 0;
      }
      inWindow += bytes;
      unsent += bytes;
      if (soon) return;
      if (inWindow <= MUCH_BYTES || unsent >= TOGETHER_BYTES) soon = setImmediate(sendNow);
      else later ??= setTimeout(sendNow, TOGETHER_MS);
    },
    stop,
  };
}
