/** Removes combinations of labels that no resource has any more: one label that changes all the time must not fill the store. */
import type { Log } from '../platform/std/log.ts';
import { holdLock } from '../platform/storage/named-lock.ts';
import type { Db } from '../platform/storage/tables.ts';

const EVERY_MS = 10 * 60_000;
/** Whoever writes resources waits meanwhile. */
const BATCH = 1_000;

/** Gives back how many went. */
export async function sweepLabelSets(db: Db): Promise<number> {
  let swept = 0;
  for (let more = true; more; ) {
    const gone = await db.transaction().execute(async (tx) => {
      // Whoever has found a set and not yet committed what has it holds this shared: none of theirs is taken away.
      await holdLock(tx, 'label keys', 'alone');
      return await tx
        .deleteFrom('label_set')
        .where('id', 'in', (sets) =>
          sets
            .selectFrom('label_set')
            .select('label_set.id')
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('resource').select('resource.seq').whereRef('resource.label_set', '=', 'label_set.id'),
                ),
              ),
            )
            .limit(BATCH),
        )
        .returning('id')
        .execute();
    });
    swept += gone.length;
    more = gone.length === BATCH;
  }
  return swept;
}

export function startLabelSweep(db: Db, log: Log): { close(): Promise<void> } {
  let running: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    running = sweepLabelSets(db).catch((error: unknown) => log.warn({ error }, 'unused label sets cannot be removed'));
  }, EVERY_MS).unref();
  return {
    async close() {
      clearInterval(timer);
      await running;
    },
  };
}
