/** Writes how sessions ended. Where many end at once, many are written together: each by itself would keep the gateway from telling the rest why. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { gathering } from '../../platform/storage/write-last.ts';
import type { LastWords } from './session-audit.ts';
import type { Session, SessionEnd } from './session-store.ts';

/** In one transaction: others that write wait no longer than for that. */
const MAX_TOGETHER = 64;

export interface EndedSession {
  session: Session;
  end: SessionEnd;
  last: LastWords;
}

interface Waiting extends EndedSession {
  done: PromiseWithResolvers<void>;
  /** Within the call that ended it: events tell that one, and not whose turn it is to write for all. */
  asEnded: ReturnType<typeof AsyncLocalStorage.snapshot>;
}

/** Gives what settles once it is written. */
export function createEndWriter(
  db: Db,
  writeOne: (tx: Tx, ended: EndedSession) => Promise<void>,
  /** Resolves when what the sessions did is written: nobody has asked anything after their end. */
  deedsWritten: () => Promise<void>,
): (ended: EndedSession) => Promise<void> {
  let waiting: Waiting[] = [];
  let isWriting = false;
  const write = (some: readonly Waiting[]) =>
    db.transaction().execute((tx) =>
      gathering(tx, async () => {
        for (const each of some) await each.asEnded(writeOne, tx, each);
      }),
    );

  async function writeTogether(some: readonly Waiting[]): Promise<void> {
    try {
      await write(some);
      for (const { done } of some) done.resolve();
    } catch (error) {
      const [first, ...others] = some;
      if (others.length === 0) return first?.done.reject(error);
      // One that cannot be written keeps nobody else's end from being so.
      for (const each of some) await write([each]).then(each.done.resolve, each.done.reject);
    }
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const some = waiting.slice(0, MAX_TOGETHER);
      waiting = waiting.slice(MAX_TOGETHER);
      await deedsWritten();
      await writeTogether(some);
    }
    isWriting = false;
  }

  return (ended) => {
    const done = Promise.withResolvers<void>();
    waiting.push({ ...ended, done, asEnded: AsyncLocalStorage.snapshot() });
    if (!isWriting) void writeAll();
    return done.promise;
  };
}
