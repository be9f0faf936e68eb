/** The numbers by which clients of MySQL know their own connections, where they were greeted before there was one to the server: a client cancels what it runs by naming its number on a second connection. */
import { randomInt } from 'node:crypto';

export interface ServedThreads {
  /** One that nobody has. */
  next(): number;
  /** Until the session is over. `owner`: by whom alone it may be named. */
  add(own: number, thread: { owner: string; thread: number }): () => void;
  /** The server's number; undefined where it is nobody's, or somebody else's. */
  threadOf(own: number, owner: string): number | undefined;
}

/** Where the numbers of real servers do not come, and none is below zero to clients that read them with a sign. */
const [FIRST, LAST] = [0x4000_0000, 0x7fff_ffff];

export function createServedThreads(): ServedThreads {
  const served = new Map<number, { owner: string; thread: number }>();
  return {
    next() {
      for (;;) {
        const own = randomInt(FIRST, LAST);
        if (!served.has(own)) return own;
      }
    },
    add(own, thread) {
      served.set(own, thread);
      return () => void served.delete(own);
    },
    threadOf(own, owner) {
      const found = served.get(own);
      return found?.owner === owner ? found.thread : undefined;
    },
  };
}
