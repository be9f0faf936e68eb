/** What is dialled for a database, and how it is signed in to. */
import type { Duplex } from 'node:stream';
import { dbDialAddress } from '@gatehouse/contract/kinds/db/db-address';
import { signInOf } from '@gatehouse/contract/kinds/db/db-spec';
import { AppError } from '../../platform/std/app-error.ts';
import type { Reach, Target } from '../../reach/reach.ts';
import { startTls } from '../../reach/tls/start-tls.ts';
import type { DbSecrets } from './db-secrets.ts';
import type { ServerTerms } from './engine/server-terms.ts';
import type { ListedDb } from './listed-db.ts';

const DIAL_MS = 10_000;

export interface DbDial {
  who: { user: string; session: string };
  /** Ends the waiting, and later the stream itself. */
  signal?: AbortSignal | undefined;
}

/** TLS is put around it by the protocol itself, in the middle of its greeting. */
export function dbTarget({ address, ways }: ListedDb): Target {
  const [first] = address.hosts;
  if (!first) throw new Error('a database without a host');
  return {
    addr: dbDialAddress(first),
    through: ways.length === 0 ? 'gateway' : { anyOf: ways },
    mayBeThisMachine: true,
  };
}

export function dialDb(reach: Pick<Reach, 'dial'>, db: ListedDb, { who, signal }: DbDial): Promise<Duplex> {
  return reach.dial(dbTarget(db), { who, signal, timeoutMs: DIAL_MS });
}

export function dbTerms(
  secrets: Pick<DbSecrets, 'passwordOf'>,
  db: ListedDb,
  { dbUser, dbName }: { dbUser: string; dbName: string },
): ServerTerms {
  const { spec, resource, address } = db;
  const { mode, ca, serverName } = spec.tls;
  const isVerified = mode === 'verify-full' || mode === 'verify-ca';
  const name = serverName || address.hosts[0]?.host || '';
  return {
    user: dbUser,
    database: dbName,
    credential: credentialOf(secrets, db, dbUser),
    isVerified,
    secure:
      mode === 'off'
        ? undefined
        : (bare) =>
            startTls(
              bare,
              { name, ca, insecureSkipVerify: !isVerified, anyName: mode === 'verify-ca', protocols: [] },
              AbortSignal.timeout(DIAL_MS),
            ).catch((error: unknown) => {
              throw error instanceof AppError
                ? error
                : new AppError('target_unreachable', `TLS to '${resource.name}' failed`, { cause: error });
            }),
  };
}

function credentialOf(secrets: Pick<DbSecrets, 'passwordOf'>, db: ListedDb, user: string): ServerTerms['credential'] {
  const { name } = db.resource;
  const method = signInOf(db.spec);
  if (method !== 'password')
    throw new AppError(
      'not_available',
      `the database '${name}' is signed in to by '${method}', which this gateway cannot do yet`,
    );
  const password = secrets.passwordOf(name, db, user);
  if (password === undefined)
    throw new AppError(
      'conflict',
      `no password of the user '${user}' is stored for the database '${name}': store it with gatehouse db set-password ${name} ${user}`,
    );
  return { method: 'password', password };
}
