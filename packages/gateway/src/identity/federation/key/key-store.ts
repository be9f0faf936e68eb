/** Federation keys in the store: the public half in the open, the private one sealed. */
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { publish } from '../../../platform/change-feed/publish.ts';
import { rawEd25519 } from '../../../platform/crypto/ssh/public-key.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { readSecret, writeSecret } from '../../../platform/secrets/secret-store.ts';
import { Secret } from '../../../platform/std/secret.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';

export const FEDERATION_KEY_TOPIC = 'federation-key';

export interface StoredKey {
  id: string;
  /** 32 bytes in base64url. */
  publicKey: string;
  created: number;
  /** From when on it signs, in the place of the one before. */
  signsFrom: number;
}

/** In the order in which they sign. */
export async function listKeys(db: Db): Promise<StoredKey[]> {
  const rows = await db.selectFrom('federation_key').selectAll().orderBy('signs_from').orderBy('created').execute();
  return rows.map(({ id, public_key, created, signs_from }) => ({
    id,
    publicKey: public_key,
    created,
    signsFrom: signs_from,
  }));
}

export async function insertKey(
  tx: Tx,
  box: SecretBox,
  { now, signsFrom }: { now: number; signsFrom: number },
): Promise<StoredKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = { id: randomUUID(), publicKey: publicHalf(privateKey), created: now, signsFrom };
  const pem = new Secret(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  await writeSecret(tx, box, { name: secretName(key.id), value: pem, now });
  await tx
    .insertInto('federation_key')
    .values({ id: key.id, public_key: key.publicKey, created: now, signs_from: signsFrom })
    .execute();
  await publish(tx, { topic: FEDERATION_KEY_TOPIC, id: key.id });
  return key;
}

/** With their private halves: whatever they signed is nobody's word any more. */
export async function deleteKeys(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.deleteFrom('federation_key').where('id', 'in', ids).execute();
  await tx.deleteFrom('secret').where('name', 'in', ids.map(secretName)).execute();
  await publish(tx, ...ids.map((id) => ({ topic: FEDERATION_KEY_TOPIC, id })));
}

export async function readPrivateHalf(db: Db, box: SecretBox, id: string): Promise<Secret | undefined> {
  return await readSecret(db, box, secretName(id));
}

export function publicHalf(key: KeyObject): string {
  return rawEd25519(key).toString('base64url');
}

function secretName(id: string): string {
  return `federation key ${id}`;
}
