/**
 * Who users were to sign-in providers, in the store: deleted users, and those whom a deleted connector left behind. Whoever is made by the
 * name of one is somebody else: then it is forgotten.
 */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import type { LinkedBy } from './linked-by.ts';

interface Somebody {
  connector: string;
  kind: string;
  issuer: string;
  subject: string;
}

/** A subject is somebody only beside its issuer, and an issuer only beside the kind: the name of the connector alone is anybody's to choose. */
export async function findFormerUser(
  db: Db,
  { connector, kind, issuer, subject }: Somebody,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('former_identity')
    .select('user')
    .where('connector', '=', connector)
    .where('subject', '=', subject)
    .where('kind', '=', kind)
    .where('issuer', '=', issuer)
    .executeTakeFirst();
  return row?.user;
}

/** Whoever may still return. */
export async function listFormerNames(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('former_identity').select('user').distinct().execute();
  return rows.map(({ user }) => user);
}

/**
 * Of a user about to be deleted. One that was linked, and that the provider was never heard of, has proven nothing; nor has whoever had
 * the account before it got new credentials.
 */
export async function rememberIdentitiesOf(tx: Tx, user: string, now: number): Promise<void> {
  const held = provenIdentities(tx)
    .where('user', '=', user)
    .where('linked_by', '!=', 'doubted' satisfies LinkedBy);
  await remember(tx, await held.execute(), now);
}

/**
 * Of a connector about to be deleted, whose voice somebody chose who may edit roles. Whoever came by the word of somebody who may not is
 * forgotten: they may have planted the account, and a key to it, for whom the next connector of that name gives more.
 */
export async function rememberIdentitiesAt(tx: Tx, connector: string, now: number): Promise<void> {
  const untrusted = ['other', 'doubted'] satisfies LinkedBy[];
  await tx
    .deleteFrom('former_identity')
    .where('connector', '=', connector)
    .where('linked_by', 'in', untrusted)
    .execute();
  const held = provenIdentities(tx).where('connector', '=', connector).where('linked_by', 'not in', untrusted);
  await remember(tx, await held.execute(), now);
}

function provenIdentities(tx: Tx) {
  return tx
    .selectFrom('user_identity')
    .select(['connector', 'connector_kind as kind', 'subject', 'issuer', 'user', 'linked_by'])
    .where('issuer', '!=', '');
}

async function remember(
  tx: Tx,
  held: readonly (Somebody & { user: string; linked_by: string })[],
  now: number,
): Promise<void> {
  for (const { connector, subject, ...rest } of held) {
    await tx
      .insertInto('former_identity')
      .values({ connector, subject, ...rest, deleted: now })
      .onConflict((conflict) => conflict.columns(['connector', 'subject']).doUpdateSet({ ...rest, deleted: now }))
      .execute();
  }
}

/** Some of the names of those who were deleted before; in no order, so that those that stay do not hide the others. */
export async function someFormerNames(db: Db, before: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('former_identity')
    .select('user')
    .where('deleted', '<', before)
    .groupBy('user')
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
  return rows.map(({ user }) => user);
}

export async function forgetFormerBefore(db: Db, user: string, before: number): Promise<void> {
  await db.deleteFrom('former_identity').where('user', '=', user).where('deleted', '<', before).execute();
}

export async function forgetFormerOf(tx: Tx, user: string): Promise<void> {
  await tx.deleteFrom('former_identity').where('user', '=', user).execute();
}

/** The subjects of a connector may be other people from now on. */
export async function forgetFormerAt(tx: Tx, connector: string): Promise<void> {
  await tx.deleteFrom('former_identity').where('connector', '=', connector).execute();
}
