/** Whom providers have signed out lately: an answer from before that may still be on its way through a browser. */
import { holdLock } from '../../../platform/storage/named-lock.ts';
import type { Db, Tx } from '../../../platform/storage/tables.ts';

/**
 * Whoever is just signing in through a connector is here already when somebody is signed out at it, or finds what is kept of that: those who
 * sign in hold it together, whoever signs out alone. Beside the lock of users, as anybody's sign-out would stop all changes of them.
 */
export async function holdLogouts(tx: Tx, connector: string, mode: 'shared' | 'alone'): Promise<void> {
  await holdLock(tx, `logouts at ${connector}`, mode);
}

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

/** Whether the provider has signed out somebody since then, or ever the session that they came with: one that is over does not begin again. */
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
    .where((eb) => {
      const ofThem = eb.and([eb('provider_session', '=', ''), eb('heard', '>=', since)]);
      return providerSession === undefined ? ofThem : eb.or([ofThem, eb('provider_session', '=', providerSession)]);
    })
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
