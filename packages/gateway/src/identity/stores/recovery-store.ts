/** Recovery codes in the store, hashed. */

import type { Db, Tx } from '../../platform/storage/tables.ts';
import { matchRecoveryCode, newRecoveryCodes } from '../credentials/recovery-codes.ts';

/** New codes; whatever was there before is gone. */
export async function replaceRecoveryCodes(tx: Tx, user: string, now: number): Promise<string[]> {
  const { codes, hashes } = newRecoveryCodes();
  await dropRecoveryCodes(tx, user);
  await tx
    .insertInto('recovery_code')
    .values(hashes.map((hash) => ({ user, hash, created: now, used_at: null })))
    .execute();
  return codes;
}

export async function dropRecoveryCodes(tx: Tx, user: string): Promise<void> {
  await tx.deleteFrom('recovery_code').where('user', '=', user).execute();
}

export async function recoveryStatus(db: Db, user: string): Promise<{ created: number | undefined; left: number }> {
  const rows = await db.selectFrom('recovery_code').select(['created', 'used_at']).where('user', '=', user).execute();
  return { created: rows[0]?.created, left: rows.filter(({ used_at }) => used_at === null).length };
}

/** The hash of the unused code that was given. */
export async function findRecoveryCode(db: Db, user: string, code: string): Promise<string | undefined> {
  const rows = await db
    .selectFrom('recovery_code')
    .select('hash')
    .where('user', '=', user)
    .where('used_at', 'is', null)
    .execute();
  const index = matchRecoveryCode(
    code,
    rows.map(({ hash }) => hash),
  );
  return index === undefined ? undefined : rows[index]?.hash;
}

/** False when another call was quicker with the same code. */
export async function spendRecoveryCode(tx: Tx, user: string, hash: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('recovery_code')
    .set({ used_at: now })
    .where('user', '=', user)
    .where('hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}
