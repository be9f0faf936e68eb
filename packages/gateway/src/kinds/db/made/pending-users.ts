/** Users that were made on the fly and are not disabled yet: kept in the store from before they are enabled, so that a gateway that is killed forgets none. */
import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Db, Tables } from '../../../platform/storage/tables.ts';

export type PendingUser = Selectable<Tables['made_db_user']>;

export interface UserOf {
  cluster: string;
  /** Of the database. */
  id: string;
  dbUser: string;
}

/** Under the lock of the user at the server. The mark is another each time: what is forgotten is what was seen. */
export async function notePending(
  db: Db,
  { cluster, id, dbUser }: UserOf,
  { target, isDropped, now }: { target: string; isDropped: boolean; now: number },
): Promise<void> {
  const row = { target, mark: randomBytes(9).toString('base64url'), dropped: isDropped ? 1 : 0, since: now, told: 0 };
  await db
    .insertInto('made_db_user')
    .values({ cluster, id, db_user: dbUser, ...row })
    .onConflict((conflict) => conflict.columns(['cluster', 'id', 'db_user']).doUpdateSet(row))
    .execute();
}

export async function findPending(db: Db, { cluster, id, dbUser }: UserOf): Promise<PendingUser | undefined> {
  return await db
    .selectFrom('made_db_user')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('id', '=', id)
    .where('db_user', '=', dbUser)
    .executeTakeFirst();
}

export async function listPending(db: Db, cluster: string): Promise<PendingUser[]> {
  return await db.selectFrom('made_db_user').selectAll().where('cluster', '=', cluster).orderBy('since').execute();
}

/** Only as it was seen: somebody may have been let in since. */
export async function forgetPending(db: Db, { cluster, id, db_user, mark }: PendingUser): Promise<void> {
  await db
    .deleteFrom('made_db_user')
    .where('cluster', '=', cluster)
    .where('id', '=', id)
    .where('db_user', '=', db_user)
    .where('mark', '=', mark)
    .execute();
}

/** That it could not be disabled was told once. */
export async function markTold(db: Db, { cluster, id, db_user, mark }: PendingUser): Promise<void> {
  await db
    .updateTable('made_db_user')
    .set({ told: 1 })
    .where('cluster', '=', cluster)
    .where('id', '=', id)
    .where('db_user', '=', db_user)
    .where('mark', '=', mark)
    .execute();
}
