/** Who deleted users were to sign-in providers, in the store. Whoever is made by the name of one is somebody else: then it is forgotten. */
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/storage/tables.ts';

export interface FormerIdentity {
  issuer: string;
  user: string;
}

export async function findFormerIdentity(
  db: Db,
  connector: string,
  subject: string,
): Promise<FormerIdentity | undefined> {
  return db
    .selectFrom('former_identity')
    .select(['issuer', 'user'])
    .where('connector', '=', connector)
    .where('subject', '=', subject)
    .executeTakeFirst();
}

/** Whoever may still return. */
export async function listFormerNames(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('former_identity').select('user').distinct().execute();
  return rows.map(({ user }) => user);
}

/** Of a user about to be deleted. One that was linked, and that the provider was never heard of, has proven nothing. */
export async function rememberIdentitiesOf(tx: Tx, user: string, now: number): Promise<void> {
  const held = await tx
    .selectFrom('user_identity')
    .select(['connector', 'subject', 'issuer', 'user'])
    .where('user', '=', user)
    .where('issuer', '!=', '')
    .execute();
  for (const each of held) {
    await tx
      .insertInto('former_identity')
      .values({ ...each, deleted: now })
      .onConflict((conflict) =>
        conflict.columns(['connector', 'subject']).doUpdateSet({ issuer: each.issuer, user, deleted: now }),
      )
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
