/** The keys that sign SSH certificates, in the store: the public half in the open, the private one sealed. */
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { publish } from '../../../platform/change-feed/publish.ts';
import { ed25519Blob, publicKeyLine } from '../../../platform/crypto/ssh/public-key.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { readSecret, writeSecret } from '../../../platform/secrets/secret-store.ts';
import { Secret } from '../../../platform/std/secret.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';

export const AUTHORITY_TOPIC = 'ssh-authority';

/** `target`: servers trust it. `person`: the door of programs does, and no server. `host`: programs do, which come to that door. */
export type AuthorityPurpose = 'target' | 'person' | 'host';

export interface StoredAuthority {
  id: string;
  /** A line for TrustedUserCAKeys, without a comment. */
  publicKey: string;
  created: number;
  /** When it is gone; undefined for the one that signs. */
  leaves: number | undefined;
}

/** The one that signs, then those that leave, the newest first. */
export async function listAuthorities(db: Db, purpose: AuthorityPurpose, now: number): Promise<StoredAuthority[]> {
  const rows = await db
    .selectFrom('ssh_authority')
    .selectAll()
    .where('purpose', '=', purpose)
    .orderBy('created', 'desc')
    .execute();
  const all = rows.map((row) => ({
    id: row.id,
    publicKey: row.public_key,
    created: row.created,
    leaves: row.leaves ?? undefined,
  }));
  const leaving = all.filter(({ leaves }) => leaves !== undefined && leaves > now);
  return [...all.filter(({ leaves }) => leaves === undefined), ...leaving];
}

export async function insertAuthority(
  tx: Tx,
  box: SecretBox,
  { purpose, now }: { purpose: AuthorityPurpose; now: number },
): Promise<StoredAuthority> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const authority = { id: randomUUID(), publicKey: publicKeyLine(ed25519Blob(privateKey)), created: now };
  const pem = new Secret(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  await writeSecret(tx, box, { name: secretName(authority.id), value: pem, now });
  await tx
    .insertInto('ssh_authority')
    .values({ id: authority.id, public_key: authority.publicKey, created: now, leaves: null, purpose })
    .execute();
  await publish(tx, { topic: AUTHORITY_TOPIC, id: authority.id });
  return { ...authority, leaves: undefined };
}

/** All of a purpose leave at `leaves`, or earlier where they were to leave earlier. */
export async function beginLeaving(tx: Tx, purpose: AuthorityPurpose, leaves: number): Promise<void> {
  await tx
    .updateTable('ssh_authority')
    .set({ leaves })
    .where('purpose', '=', purpose)
    .where((builder) => builder.or([builder('leaves', 'is', null), builder('leaves', '>', leaves)]))
    .execute();
}

/** Deletes those whose time is over, with their private halves. */
export async function removeLeft(tx: Tx, now: number): Promise<number> {
  const gone = await tx.deleteFrom('ssh_authority').where('leaves', '<=', now).returning('id').execute();
  if (gone.length === 0) return 0;
  const names = gone.map(({ id }) => secretName(id));
  await tx.deleteFrom('secret').where('name', 'in', names).execute();
  await publish(tx, ...gone.map(({ id }) => ({ topic: AUTHORITY_TOPIC, id })));
  return gone.length;
}

/** Undefined when another gateway deleted it in this moment. */
export async function readAuthorityKey(db: Db, box: SecretBox, id: string): Promise<Secret | undefined> {
  return await readSecret(db, box, secretName(id));
}

export function isAuthorityOf(authority: Pick<StoredAuthority, 'publicKey'>, key: KeyObject): boolean {
  return publicKeyLine(ed25519Blob(key)) === authority.publicKey;
}

function secretName(id: string): string {
  return `ssh authority ${id}`;
}
