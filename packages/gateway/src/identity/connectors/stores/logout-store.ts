/** Whom providers have signed out lately: an answer from before that may still be on its way through a browser. */
import type { Db, Tx } from '../../../platform/storage/tables.ts';

interface Logout {
  connector: string;
  subject: string | undefined;
  providerSession: string | undefined;
}

export async function keepLogout(
  tx: Tx,
  { connector, subject = '', providerSession = '' }: Logout,
  now: number,
): Promise<void> {
  await tx
    .insertInto('provider_logout')
    .values({ connector, subject, provider_session: providerSession, heard: now })
    .onConflict((conflict) =>
      conflict.columns(['connector', 'subject', 'provider_session']).doUpdateSet({ heard: now }),
    )
    .execute();
}

/** Whether the provider has signed out, since then, somebody or the session that they came with. */
export async function wasSignedOut(
  db: Db,
  { connector, subject = '', providerSession }: Logout,
  since: number,
): Promise<boolean> {
  const row = await db
    .selectFrom('provider_logout')
    .select('heard')
    .where('connector', '=', connector)
    .where('subject', 'in', ['', subject])
    .where('provider_session', 'in', ['', ...(providerSession === undefined ? [] : [providerSession])])
    .where('heard', '>=', since)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
