/** Tokens with which clusters join, in the store: their hashes, each good for one. */
import { hashToken, newToken } from '../../../platform/crypto/tokens.ts';
import type { Tx } from '../../../platform/storage/tables.ts';

const TOKEN_BYTES = 16;

/** The token itself is told once, here. */
export async function insertClusterToken(
  tx: Tx,
  { now, by, expires }: { now: number; by: string; expires: number },
): Promise<string> {
  const token = newToken(TOKEN_BYTES);
  await tx.deleteFrom('cluster_join_token').where('expires', '<=', now).execute();
  await tx
    .insertInto('cluster_join_token')
    .values({ hash: hashToken(token), created: now, created_by: by, expires, used_at: null })
    .execute();
  return token;
}

/** Who made it; undefined where it is not good, or was used before. */
export async function spendClusterToken(tx: Tx, token: string, now: number): Promise<string | undefined> {
  const row = await tx
    .updateTable('cluster_join_token')
    .set({ used_at: now })
    .where('hash', '=', hashToken(token))
    .where('used_at', 'is', null)
    .where('expires', '>', now)
    .returning('created_by')
    .executeTakeFirst();
  return row?.created_by;
}
