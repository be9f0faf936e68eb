/** Keys of SSH that browsers let in, in the store: each from one address, while the sign-in of the browser lives. */
import type { Selectable } from 'kysely';
import type { Db, Tables, Tx } from '../../platform/storage/tables.ts';

type BoundKey = Selectable<Tables['ssh_bound_key']>;

/** Of one user: older ones make room. */
const MAX_BOUND = 50;

export async function insertBoundKey(tx: Tx, row: BoundKey): Promise<void> {
  await tx
    .deleteFrom('ssh_bound_key')
    .where('sign_in', '=', row.sign_in)
    .where('fingerprint', '=', row.fingerprint)
    .where('address', '=', row.address)
    .execute();
  await tx.insertInto('ssh_bound_key').values(row).execute();
  const extra = await tx
    .selectFrom('ssh_bound_key')
    .select('id')
    .where('user', '=', row.user)
    .orderBy('created', 'desc')
    .offset(MAX_BOUND)
    .limit(MAX_BOUND)
    .execute();
  for (const { id } of extra) await tx.deleteFrom('ssh_bound_key').where('id', '=', id).execute();
}

/** The newest first. */
export async function keysBoundAt(db: Db, fingerprint: string, address: string): Promise<BoundKey[]> {
  return await db
    .selectFrom('ssh_bound_key')
    .selectAll()
    .where('fingerprint', '=', fingerprint)
    .where('address', '=', address)
    .orderBy('created', 'desc')
    .limit(MAX_BOUND)
    .execute();
}

/** Those of somebody, also of browsers that have signed out since. */
export async function listBoundKeys(db: Db, user: string): Promise<BoundKey[]> {
  return await db.selectFrom('ssh_bound_key').selectAll().where('user', '=', user).orderBy('created', 'desc').execute();
}

export async function isBound(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('ssh_bound_key').select('id').where('id', '=', id).executeTakeFirst()) !== undefined;
}

/** False where somebody has none of that id. */
export async function removeBoundKey(tx: Tx, user: string, id: string): Promise<boolean> {
  const gone = await tx
    .deleteFrom('ssh_bound_key')
    .where('user', '=', user)
    .where('id', '=', id)
    .returning('id')
    .execute();
  return gone.length > 0;
}

/** Of sign-ins that are over nothing is kept. */
export async function removeUnboundKeys(db: Db): Promise<void> {
  await db
    .deleteFrom('ssh_bound_key')
    .where('sign_in', 'not in', (query) => query.selectFrom('sign_in').select('id').where('ended', 'is', null))
    .execute();
}
