/** The authorities of databases in the store: the certificate in the open, the private key sealed. */
import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto';
import { DB_PURPOSES, type DbPurpose } from '@gatehouse/contract/identity/db-authorities';
import { publish } from '../../../platform/change-feed/publish.ts';
import type { Pair } from '../../../platform/crypto/x509/keys.ts';
import { makeAuthority, type Vouched } from '../../../platform/crypto/x509/mint.ts';
import type { SecretBox } from '../../../platform/secrets/secret-box.ts';
import { readSecret, writeSecret } from '../../../platform/secrets/secret-store.ts';
import { Secret } from '../../../platform/std/secret.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';

export const DB_AUTHORITY_TOPIC = 'db-authority';

/** Whom each vouches for. */
export const VOUCHES: Readonly<Record<DbPurpose, Vouched>> = { db: 'server', db_client: 'client', db_door: 'client' };

export interface StoredDbAuthority {
  id: string;
  purpose: DbPurpose;
  /** PEM. */
  certificate: string;
  created: number;
  /** From when on; until then it is only announced. */
  signs: number;
  /** When it is gone; undefined while nothing follows it. */
  leaves: number | undefined;
}

/** In force: announced, signing or leaving; of each purpose the newest first. */
export async function listDbAuthorities(db: Db, now: number): Promise<StoredDbAuthority[]> {
  const rows = await db
    .selectFrom('db_authority')
    .selectAll()
    .orderBy('purpose')
    .orderBy('signs', 'desc')
    .orderBy('created', 'desc')
    .orderBy('id')
    .execute();
  return rows.flatMap(({ purpose, leaves, ...row }) => {
    const known = DB_PURPOSES.find((each) => each === purpose);
    if (!known || (leaves !== null && leaves <= now)) return [];
    return [{ ...row, purpose: known, leaves: leaves ?? undefined }];
  });
}

/** Of one purpose, the one whose signature new certificates carry. */
export function signingOne<One extends Pick<StoredDbAuthority, 'purpose' | 'signs' | 'leaves'>>(
  all: readonly One[],
  purpose: DbPurpose,
  now: number,
): One | undefined {
  return all.find((each) => each.purpose === purpose && each.signs <= now && (each.leaves ?? now + 1) > now);
}

/** A key takes a moment: it is made before the transaction that stores it. */
export interface MadeDbAuthority extends Pair {
  id: string;
  purpose: DbPurpose;
}

export async function makeDbAuthority(purpose: DbPurpose, organization: string, now: number): Promise<MadeDbAuthority> {
  const id = randomUUID();
  // No two are called alike: servers choose by the name whose signature they look for.
  const name = `gatehouse ${purpose} ${new Date(now).toISOString().slice(0, 10)} ${id.slice(0, 8)}`;
  return { id, purpose, ...(await makeAuthority({ organization, name, vouches: VOUCHES[purpose], now })) };
}

export async function insertDbAuthority(
  tx: Tx,
  box: SecretBox,
  { id, purpose, cert, key }: MadeDbAuthority,
  { now, signs }: { now: number; signs: number },
): Promise<StoredDbAuthority> {
  await writeSecret(tx, box, { name: secretName(id), value: new Secret(key), now });
  const row = { id, purpose, certificate: cert, created: now, signs };
  await tx
    .insertInto('db_authority')
    .values({ ...row, leaves: null })
    .execute();
  await publish(tx, { topic: DB_AUTHORITY_TOPIC, id });
  return { ...row, leaves: undefined };
}

/** All of this purpose leave at `leaves`, or earlier where they were to leave earlier. */
export async function beginLeaving(tx: Tx, purpose: DbPurpose, leaves: number): Promise<void> {
  await tx
    .updateTable('db_authority')
    .set({ leaves })
    .where('purpose', '=', purpose)
    .where((builder) => builder.or([builder('leaves', 'is', null), builder('leaves', '>', leaves)]))
    .execute();
}

/** Deletes those whose time is over, with their private keys. */
export async function removeLeft(tx: Tx, now: number): Promise<number> {
  const gone = await tx.deleteFrom('db_authority').where('leaves', '<=', now).returning('id').execute();
  if (gone.length === 0) return 0;
  const names = gone.map(({ id }) => secretName(id));
  await tx.deleteFrom('secret').where('name', 'in', names).execute();
  await publish(tx, ...gone.map(({ id }) => ({ topic: DB_AUTHORITY_TOPIC, id })));
  return gone.length;
}

/** Undefined when its private key is gone. */
export async function readPair(
  db: Db,
  box: SecretBox,
  { id, certificate }: Pick<StoredDbAuthority, 'id' | 'certificate'>,
): Promise<Pair | undefined> {
  const held = await readSecret(db, box, secretName(id));
  if (!held) return undefined;
  const key = held.reveal();
  // A row whose certificate was exchanged would have databases trust somebody else.
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Error(`the authority ${id} of databases does not fit its private key`);
  return { cert: certificate, key };
}

function secretName(id: string): string {
  return `db authority ${id}`;
}
