/** The clock of the page: what plays is drawn once before each picture. */
import type { Clock } from './piece-reader.ts';

export function pageClock(): Clock {
  return {
    now: () => performance.now(),
    soon(callback) {
      const frame = requestAnimationFrame(callback);
      return () => cancelAnimationFrame(frame);
    },
    later(callback, ms) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
}
