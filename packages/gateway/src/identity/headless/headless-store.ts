/** Requests of machines without a browser, in the store: whichever gateway holds one, any of them may answer it. */
import type { Selectable } from 'kysely';
import { publish } from '../../platform/change-feed/publish.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db, Tables, Tx } from '../../platform/storage/tables.ts';
import { countedAs, makeRoom } from '../stores/crowded-table.ts';

export type StoredHeadless = Selectable<Tables['headless_request']>;

export const HEADLESS_TOPIC = 'headless';
/** Of one name, whether anybody has it or not. */
export const MAX_PENDING = 3;
/** Anybody may ask. */
const BOUNDS = { total: 10_000, perNetwork: 1_000 };

/** The one that is there already where the same machine asks again for the same; otherwise a new one. */
export async function putHeadless(
  db: Db,
  row: Omit<StoredHeadless, 'network' | 'client_key' | 'state' | 'sign_in'>,
): Promise<void> {
  const counted = countedAs({ user: undefined, address: row.address });
  await makeRoom(db, 'headless_request', { network: counted.network, now: row.created }, BOUNDS);
  await db.transaction().execute(async (tx) => {
    const before = await findHeadless(tx, row.id, row.created);
    if (before) {
      const isSame = before.user === row.user && before.server === row.server && before.login === row.login;
      if (isSame && before.command === row.command && before.address === row.address) {
        await tx.updateTable('headless_request').set({ holder: row.holder }).where('id', '=', row.id).execute();
        return;
      }
      throw new AppError('bad_request', 'this key asks for something else already: make another one');
    }
    await tx.deleteFrom('headless_request').where('id', '=', row.id).execute();
    const pending = await listHeadless(tx, row.user, row.created);
    if (pending.length >= MAX_PENDING)
      throw new AppError('too_many', `${MAX_PENDING} requests with this name wait for an answer: answer them first`);
    await tx
      .insertInto('headless_request')
      .values({ ...row, ...counted, state: 'pending', sign_in: null })
      .execute();
    await tell(tx, row);
  });
}

export async function findHeadless(db: Db, id: string, now: number): Promise<StoredHeadless | undefined> {
  return db
    .selectFrom('headless_request')
    .selectAll()
    .where('id', '=', id)
    .where('expires', '>', now)
    .where('state', '!=', 'taken')
    .executeTakeFirst();
}

/** Those that wait for an answer, the oldest first. */
export async function listHeadless(db: Db, user: string, now: number): Promise<StoredHeadless[]> {
  return db
    .selectFrom('headless_request')
    .selectAll()
    .where('user', '=', user)
    .where('state', '=', 'pending')
    .where('expires', '>', now)
    .orderBy('created')
    .orderBy('id')
    .execute();
}

/** False when it was answered before. */
export async function settleHeadless(
  tx: Tx,
  request: StoredHeadless,
  to: { state: 'accepted' | 'denied'; sign_in: string | null },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('headless_request')
    .set(to)
    .where('id', '=', request.id)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  if (Number(numUpdatedRows) !== 1) return false;
  await tell(tx, request);
  return true;
}

/** False when the certificate was fetched before. */
export async function takeHeadless(tx: Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('headless_request')
    .set({ state: 'taken' })
    .where('id', '=', id)
    .where('state', '=', 'accepted')
    .executeTakeFirst();
  return Number(numUpdatedRows) === 1;
}

/** Nobody waits for it any more: nobody shall be asked about it. Whoever has come back meanwhile waits on. */
export async function withdrawHeadless(db: Db, request: Pick<StoredHeadless, 'id' | 'user' | 'holder'>): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('headless_request')
      .where('id', '=', request.id)
      .where('holder', '=', request.holder)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    if (Number(numDeletedRows) > 0) await tell(tx, request);
  });
}

function tell(tx: Tx, { id, user }: Pick<StoredHeadless, 'id' | 'user'>): Promise<void> {
  return publish(tx, { topic: HEADLESS_TOPIC, id, data: { user } });
}
