/** Every public key that signed checkpoints or recordings: what was signed before a key was lost can still be checked. */
import { createPublicKey, hash } from 'node:crypto';
import type { SealedContext, SecretBox } from '../../platform/secrets/secret-box.ts';
import type { Db } from '../../platform/storage/tables.ts';

/** Those that nobody put there but a gateway, the oldest first: the others do not open. */
export async function knownKeys(db: Db, box: SecretBox): Promise<string[]> {
  const rows = await db.selectFrom('signing_key').select(['id', 'sealed']).orderBy('created').execute();
  return rows.flatMap(({ id, sealed }) => {
    try {
      const pem = box.openText(placeOf(id), sealed);
      return idOf(pem) === id ? [pem] : [];
    } catch {
      return [];
    }
  });
}

export async function keepKey(db: Db, box: SecretBox, publicKey: string, now: number): Promise<void> {
  const id = idOf(publicKey);
  await db
    .insertInto('signing_key')
    .values({ id, sealed: box.seal(placeOf(id), publicKey), created: now })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

function idOf(pem: string): string {
  return hash('sha256', createPublicKey(pem).export({ type: 'spki', format: 'der' }), 'hex');
}

function placeOf(id: string): SealedContext {
  return { table: 'signing_key', id, column: 'sealed' };
}
