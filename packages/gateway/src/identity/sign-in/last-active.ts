/** When each sign-in was last used: known at once here, written to the store in batches. */
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { type SignIn, writeLastActive } from '../stores/sign-in-store.ts';

const WRITE_EVERY_MS = 15_000;

export interface LastActive {
  touch(signInId: string, time: number): void;
  of(signIn: Pick<SignIn, 'id' | 'lastActive'>): number;
  /** Writes what is known. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export function createLastActive({ db, log }: { db: Db; log: Log }): LastActive {
  let seen = new Map<string, number>();
  // Until the batch is in the store, readers still need what is in it.
  let writing: ReadonlyMap<string, number> = new Map();
  let running: Promise<void> = Promise.resolve();

  const flush = () => {
    running = running.then(async () => {
      if (seen.size === 0) return;
      writing = seen;
      seen = new Map();
      try {
        await db.transaction().execute((tx) => writeLastActive(tx, writing));
      } catch (error) {
        for (const [id, time] of writing) seen.set(id, Math.max(time, seen.get(id) ?? 0));
        log.warn({ error }, 'activity of sign-ins cannot be written');
      }
      writing = new Map();
    });
    return running;
  };
  const timer = setInterval(() => void flush(), WRITE_EVERY_MS).unref();

  return {
    touch(signInId, time) {
      if (time > (seen.get(signInId) ?? 0)) seen.set(signInId, time);
    },
    of: ({ id, lastActive }) => Math.max(lastActive, seen.get(id) ?? 0, writing.get(id) ?? 0),
    flush,
    async close() {
      clearInterval(timer);
      await flush();
    },
  };
}
