/** What lets browsers into sessions with applications, in the store: hashes of cookies and of codes that work once. */
import { hashToken, newToken } from '../../platform/crypto/tokens.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';

export interface StoredAppSession {
  /** SHA-256 of the first cookie. */
  hash: string;
  subjectHash: string;
  session: string;
  user: string;
  signIn: string;
  expires: number;
  /** Empty until a browser has shown both cookies. */
  userAgent: string;
  address: string;
}

export interface AppSecrets {
  cookie: string;
  subject: string;
}

/** Gives the values of both cookies; nothing else ever has them. */
export async function insertAppSession(
  tx: Tx,
  session: Omit<StoredAppSession, 'hash' | 'subjectHash'>,
): Promise<AppSecrets> {
  const secrets = { cookie: newToken(), subject: newToken() };
  await tx
    .insertInto('app_session')
    .values({
      hash: hashToken(secrets.cookie),
      subject_hash: hashToken(secrets.subject),
      session: session.session,
      user: session.user,
      sign_in: session.signIn,
      expires: session.expires,
      user_agent: session.userAgent,
      address: session.address,
    })
    .execute();
  return secrets;
}

export async function findAppSession(db: Db, hash: string, now: number): Promise<StoredAppSession | undefined> {
  const row = await db
    .selectFrom('app_session')
    .selectAll()
    .where('hash', '=', hash)
    .where('expires', '>', now)
    .executeTakeFirst();
  return (
    row && {
      hash: row.hash,
      subjectHash: row.subject_hash,
      session: row.session,
      user: row.user,
      signIn: row.sign_in,
      expires: row.expires,
      userAgent: row.user_agent,
      address: row.address,
    }
  );
}

/** Ties it to a browser; false when it was another's before. */
export async function bindAppSession(
  db: Db,
  hash: string,
  { userAgent, address }: Pick<StoredAppSession, 'userAgent' | 'address'>,
): Promise<boolean> {
  const row = await db
    .updateTable('app_session')
    .set({ user_agent: userAgent, address })
    .where('hash', '=', hash)
    .where('user_agent', '=', '')
    .returning('hash')
    .executeTakeFirst();
  return row !== undefined;
}

export async function removeAppSessions(tx: Db, session: string): Promise<void> {
  await tx.deleteFrom('app_session').where('session', '=', session).execute();
  await tx.deleteFrom('app_launch').where('session', '=', session).execute();
}

export interface Launch {
  stateHash: string;
  session: string;
  user: string;
  signIn: string;
  host: string;
  path: string;
  expires: number;
}

/** Gives the code. */
export async function insertLaunch(tx: Tx, launch: Launch): Promise<string> {
  const code = newToken();
  const { stateHash, session, user, signIn, host, path, expires } = launch;
  await tx
    .insertInto('app_launch')
    .values({ hash: hashToken(code), state_hash: stateHash, session, user, sign_in: signIn, host, path, expires })
    .execute();
  return code;
}

/** Whoever takes it first has it: a code works once, whatever comes of it. */
export async function takeLaunch(db: Db, code: string, now: number): Promise<Launch | undefined> {
  const row = await db.deleteFrom('app_launch').where('hash', '=', hashToken(code)).returningAll().executeTakeFirst();
  if (!row || row.expires <= now) return undefined;
  return {
    stateHash: row.state_hash,
    session: row.session,
    user: row.user,
    signIn: row.sign_in,
    host: row.host,
    path: row.path,
    expires: row.expires,
  };
}

/** Removes what is over; gives the sessions of codes that nobody used. */
export async function sweepAppSessions(db: Db, now: number): Promise<string[]> {
  await db.deleteFrom('app_session').where('expires', '<=', now).execute();
  const rows = await db.deleteFrom('app_launch').where('expires', '<=', now).returning('session').execute();
  return rows.map(({ session }) => session);
}
