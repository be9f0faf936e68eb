/** What is dialled for a database, and how it is signed in to. */
import type { Duplex } from 'node:stream';
import { dbDialAddress } from '@gatehouse/contract/kinds/db/db-address';
import { signInOf } from '@gatehouse/contract/kinds/db/db-spec';
import type { DbAuthorities } from '../../identity/authorities/db/create-db-authorities.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Reach, Target } from '../../reach/reach.ts';
import { startTls } from '../../reach/tls/start-tls.ts';
import type { CloudSignIns } from './clouds/cloud-sign-ins.ts';
import type { DbSecrets } from './db-secrets.ts';
import type { ServerTerms } from './engine/server-terms.ts';
import type { ListedDb } from './listed-db.ts';

const DIAL_MS = 10_000;
/** For the handshake alone: a connection goes on when it is over. */
const SIGN_IN_MS = 5 * 60_000;

/** What a database is signed in to with. */
export interface DbProofs {
  secrets: Pick<DbSecrets, 'passwordOf'>;
  dbAuthorities: Pick<DbAuthorities, 'mint' | 'trusted'>;
  /** Of clouds. */
  clouds: CloudSignIns;
  clusterName: string;
}

/** What TLS is put around a stream with. */
export type DbTlsProofs = Pick<DbProofs, 'dbAuthorities' | 'clusterName'>;

export interface DbDial {
  who: { user: string; session: string };
  /** Ends the waiting, and later the stream itself. */
  signal?: AbortSignal | undefined;
}

/** TLS is put around it by the protocol itself, in the middle of its greeting. */
export function dbTarget({ address, dialledBy, ways }: ListedDb): Target {
  const [first] = address.hosts;
  if (!first) throw new Error('a database without a host');
  return {
    addr: dbDialAddress(first),
    through: dialledBy === 'gateway' ? 'gateway' : { anyOf: ways },
    mayBeThisMachine: true,
  };
}

export function dialDb(reach: Pick<Reach, 'dial'>, db: ListedDb, { who, signal }: DbDial): Promise<Duplex> {
  return reach.dial(dbTarget(db), { who, signal, timeoutMs: DIAL_MS });
}

export function dbTerms(
  proofs: DbProofs,
  db: ListedDb,
  { dbUser, dbName }: { dbUser: string; dbName: string },
): ServerTerms {
  const method = signInOf(db.spec);
  if (method === 'aws' || method === 'gcp') return cloudTerms(proofs, db, method, { dbUser, dbName });
  return {
    ...{ user: dbUser, database: dbName, credential: credentialOf(proofs, db, dbUser, method) },
    ...dbSecurity(proofs, db, method === 'certificate' ? dbUser : undefined),
  };
}

/** What a cloud gives is worth as much as a password for as long as it lasts: it goes nowhere else than to whom the certificate names. */
function cloudTerms(
  proofs: DbProofs,
  db: ListedDb,
  method: 'aws' | 'gcp',
  chosen: { dbUser: string; dbName: string },
): ServerTerms {
  const security = dbSecurity(proofs, db);
  if (!security.secure || !security.isVerified)
    throw new AppError(
      'conflict',
      `the database '${db.resource.name}' is signed in to by '${method}', and its TLS is not checked`,
    );
  return {
    ...{ user: chosen.dbUser, database: chosen.dbName, credential: { method: 'password', password: '' } },
    ...security,
    async issue() {
      const { user, password } = await proofs.clouds.issue(method, db, chosen);
      return { user, credential: { method: 'password', password } };
    },
  };
}

/** How its TLS is put around a stream. `certified`: who signs in by a certificate of ours inside it; undefined: nobody does. */
export function dbSecurity(
  proofs: DbTlsProofs,
  { spec, resource, address }: ListedDb,
  certified?: string | undefined,
): Pick<ServerTerms, 'isVerified' | 'secure'> {
  const { mode, ca, serverName } = spec.tls;
  const isVerified = mode === 'verify-full' || mode === 'verify-ca';
  if (mode === 'off') return { isVerified, secure: undefined };
  const name = serverName || address.hosts[0]?.host || '';
  return {
    isVerified,
    async secure(bare, limits = {}) {
      const terms = {
        ...limits,
        // By our own authority, everybody's servers are signed: which of them it is, only the name tells.
        ...{ name, ca, insecureSkipVerify: !isVerified, anyName: mode === 'verify-ca' && ca !== '', protocols: [] },
        furtherCas: ca === '' ? await proofs.dbAuthorities.trusted('db') : [],
        // For each connection: what cancels later would come with one that is over.
        certificate: certified === undefined ? undefined : await certificateOf(proofs, certified),
      };
      return await startTls(bare, terms, AbortSignal.timeout(DIAL_MS)).catch((error: unknown) => {
        throw error instanceof AppError
          ? error
          : new AppError('target_unreachable', `TLS to '${resource.name}' failed`, { cause: error });
      });
    },
  };
}

/** The key is made here and never leaves: an agent in between carries TLS, and does not speak it. */
function certificateOf({ dbAuthorities, clusterName }: DbTlsProofs, dbUser: string) {
  const subject = { organization: clusterName, name: dbUser };
  return dbAuthorities.mint('db_client', { subject, ttlMs: SIGN_IN_MS });
}

function credentialOf(
  { secrets }: DbProofs,
  db: ListedDb,
  user: string,
  method: 'certificate' | 'password',
): ServerTerms['credential'] {
  const { name } = db.resource;
  if (method === 'certificate') {
    // Redis asks for a certificate and for a password.
    const beside = secrets.passwordOf(name, db, user);
    return beside === undefined ? { method } : { method: 'password', password: beside };
  }
  const password = secrets.passwordOf(name, db, user);
  if (password === undefined)
    throw new AppError(
      'conflict',
      `no password of the user '${user}' is stored for the database '${name}': store it with gatehouse db set-password ${name} ${user}`,
    );
  return { method: 'password', password };
}
