/** Writes what many ask for at once in one transaction. SQLite writes for one at a time, and waits for the disk at each commit: sessions that begin together would wait for as many of them. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isStoreDown } from '../../platform/storage/errors.ts';
import { isPostgres } from '../../platform/storage/named-lock.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { gathering } from '../../platform/storage/write-last.ts';

/** Others that write wait no longer than for so many. */
const MAX_TOGETHER = 32;

/** Settled when it is committed, in the order in which it was asked. A work that fails is run again by itself, and so are those beside it: what they do beside the transaction they may do twice. */
export type WriteTogether = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;

interface Waiting {
  run(tx: Tx): Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

export function createWriteTogether(db: Db): WriteTogether {
  const alone: WriteTogether = (work) => db.transaction().execute(work);
  // There each has a connection of its own; and two gateways that held locks for several people could wait for each other.
  if (isPostgres(db)) return alone;
  let waiting: Waiting[] = [];
  let isWriting = false;

  async function write(some: readonly Waiting[]): Promise<void> {
    try {
      await db.transaction().execute((tx) =>
        gathering(tx, async () => {
          for (const { run } of some) await run(tx);
        }),
      );
      for (const { resolve } of some) resolve();
    } catch (error) {
      if (some.length === 1 || isStoreDown(error)) {
        for (const { reject } of some) reject(error);
        return;
      }
      // One that cannot be written takes nobody else with it.
      for (const each of some) await write([each]);
    }
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const some = waiting.slice(0, MAX_TOGETHER);
      waiting = waiting.slice(MAX_TOGETHER);
      await write(some);
    }
    isWriting = false;
  }

  return <Result>(work: (tx: Tx) => Promise<Result>) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    // Events tell the call that caused them: not that of whoever happens to write for all.
    const asAsked = AsyncLocalStorage.snapshot();
    let result: Promise<Result>;
    waiting.push({
      async run(tx) {
        result = asAsked(work, tx);
        await result;
      },
      resolve: () => resolve(result),
      reject,
    });
    if (!isWriting) void writeAll();
    return promise;
  };
}
