/** Tries the way to a database hop by hop, with the means that sessions use: the way, TCP, TLS, signing in, the database. */
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { DB_PROTOCOL_TITLES, type DbProtocol, dbDialAddress } from '@gatehouse/contract/kinds/db/db-address';
import { signInOf } from '@gatehouse/contract/kinds/db/db-spec';
import { AppError } from '../../platform/std/app-error.ts';
import type { Reach, Route } from '../../reach/reach.ts';
import { certificateEnd, type DbStates, WARNED_MS } from './db-states.ts';
import { type DbTlsProofs, dbSecurity, dbTarget } from './dial-db.ts';
import { BY_CERTIFICATE } from './engine/byte-source.ts';
import { DbFailure } from './engine/db-failure.ts';
import type { ServerTerms, TlsLimits } from './engine/server-terms.ts';
import { TRY_SIGN_IN } from './engine/try-sign-in.ts';
import type { ListedDb } from './listed-db.ts';
import { lineToAdd, type RefusedFor, refusedFor } from './why-refused.ts';

/** Servers may say what they like. */
const MAX_WORDS = 500;
const DAY_MS = 86_400_000;

export interface TriedDb {
  proofs: DbTlsProofs;
  db: ListedDb;
  dbUser: string;
  dbName: string;
  /** Throws why nobody can sign in: nothing is stored for it. */
  terms(): ServerTerms | Promise<ServerTerms>;
  /** Who connects is somebody else, whom this user makes then. */
  makes?: { user: string; roles: readonly string[] } | undefined;
  /** What stores another password; empty where the database is not stored itself. */
  setPassword: string;
  who: { user: string; session: string };
  /** Where what is learned is kept; nothing is of a database that is not stored. */
  states?: Pick<DbStates, 'learning' | 'signedIn'>;
  /** For each hop. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface Hop {
  message: string;
  /** Somebody should look at it, though it works. */
  next?: string;
}

/** In this order; each throws `AppError` with `next`. */
export interface DbTry {
  reach(): Promise<Hop>;
  tcp(): Promise<Hop>;
  /** Undefined: it is not encrypted. */
  tls(): Promise<Hop | undefined>;
  /** Undefined: nobody could sign in, and it was not asked. */
  protocol(): Promise<Hop | undefined>;
  login(): Promise<Hop>;
  database(): Promise<Hop>;
  /** Whether who was let in gets an answer to next to nothing. */
  rights(): Promise<Hop>;
  close(): void;
}

/** The database said no, and to what. */
export class DbRefused extends AppError {
  readonly what: RefusedFor;
  constructor(what: RefusedFor, message: string, { next, cause }: { next: string; cause: unknown }) {
    super('target_unreachable', message, { fields: { next }, cause });
    this.what = what;
  }
}

/** It speaks TLS, and nobody could sign in. */
class Enough extends Error {}

interface Signing {
  /** What is inside TLS. */
  secured: Promise<Duplex>;
  /** The version of the server. */
  signedIn: Promise<string>;
  /** What it answered then, in words. */
  answered: Promise<string>;
}

export function tryDb(reach: Pick<Reach, 'way'>, tried: TriedDb): DbTry {
  const { db, who, dbUser, dbName, makes, timeoutMs, signal } = tried;
  const address = db.address.hosts.map(dbDialAddress)[0] ?? '';
  let route: Route | undefined;
  let bare: Duplex | undefined;
  let signing: Signing | undefined;
  const sign = (): Signing => {
    signing ??= beginSignIn(tried, bare!);
    return signing;
  };

  return {
    async reach() {
      route = await reach.way(dbTarget(db), { who, signal, timeoutMs });
      return { message: `${address} is reached ${route.tell}` };
    },
    async tcp() {
      bare = await route!.dial();
      bare.on('error', () => {});
      return { message: `${address} accepts connections` };
    },
    async tls() {
      return db.spec.tls.mode === 'off' ? undefined : tellTls(db, await sign().secured);
    },
    async protocol() {
      const title = DB_PROTOCOL_TITLES[db.spec.protocol];
      try {
        const version = await sign().signedIn;
        return { message: `it is ${title}${version === '' ? '' : `, version ${shown(version)}`}` };
      } catch (error) {
        if (!(error instanceof DbRefused)) return undefined;
        if (speaksOtherwise(error)) throw error;
        return { message: `it answers as ${title} does` };
      }
    },
    async login() {
      await sign().signedIn.catch((error: unknown) => {
        // It looks at the database only when it has let somebody in.
        if (!(error instanceof DbRefused) || error.what !== 'database') throw error;
      });
      if (!makes) return { message: `the database lets '${dbUser}' in` };
      const given = makes.roles.length === 0 ? 'without any role' : `with the roles ${makes.roles.join(', ')}`;
      return {
        message: `the database lets the admin user '${dbUser}' in, who makes '${makes.user}' ${given} when somebody connects: now nobody was made`,
      };
    },
    async database() {
      const version = await sign().signedIn;
      const where = dbName === '' ? 'its usual database' : `the database '${dbName}'`;
      return { message: `${where} is there${version === '' ? '' : `, version ${shown(version)}`}` };
    },
    async rights() {
      return { message: await sign().answered };
    },
    close: () => void bare?.destroy(),
  };
}

/** All hops in one go, as the protocols have it; what fails before TLS stands is told of TLS. */
function beginSignIn(tried: TriedDb, bare: Duplex): Signing {
  const secured = Promise.withResolvers<Duplex>();
  const signedIn = Promise.withResolvers<string>();
  const answered = signIn(tried, bare, { secured: secured.resolve, signedIn: signedIn.resolve });
  answered.catch((error: unknown) => {
    secured.reject(error);
    signedIn.reject(error);
  });
  for (const waiting of [secured.promise, signedIn.promise]) waiting.catch(() => {});
  return { secured: secured.promise, signedIn: signedIn.promise, answered };
}

interface Passed {
  secured(inside: Duplex): void;
  signedIn(version: string): void;
}

async function signIn(tried: TriedDb, bare: Duplex, passed: Passed): Promise<string> {
  const { protocol } = tried.db.spec;
  const attempt = TRY_SIGN_IN[protocol];
  const { terms: asked, missing } = await termsOr(tried);
  const terms = tried.states?.learning(tried.db, asked) ?? asked;
  const { secure } = terms;
  if (missing !== undefined && !secure) throw missing;
  const watch = async (under: Duplex, limits?: TlsLimits): Promise<Duplex> => {
    const inside = await secure!(under, limits);
    passed.secured(inside);
    if (missing !== undefined) throw new Enough();
    return inside;
  };
  const signal = AbortSignal.any([tried.signal, AbortSignal.timeout(tried.timeoutMs)]);
  try {
    return await attempt(bare, { ...terms, secure: secure && watch }, signal, (version) => {
      tried.states?.signedIn(tried.db, { version });
      passed.signedIn(version);
    });
  } catch (error) {
    throw error instanceof Enough ? missing : explained(tried, error);
  }
}

/** It is no server of that protocol, as far as it says anything. */
function speaksOtherwise({ cause }: DbRefused): boolean {
  return cause instanceof DbFailure && (cause.kind === 'malformed' || cause.kind === 'gone');
}

/** TLS is tried also where nobody could sign in. */
async function termsOr({ terms, db, proofs }: TriedDb): Promise<{ terms: ServerTerms; missing: unknown }> {
  try {
    return { terms: await terms(), missing: undefined };
  } catch (missing) {
    const nobody = { user: '', database: '', credential: { method: 'password', password: '' } } as const;
    return { terms: { ...nobody, ...dbSecurity(proofs, db) }, missing };
  }
}

function explained({ db, dbUser, dbName, setPassword }: TriedDb, error: unknown): unknown {
  const { spec } = db;
  const { protocol } = spec;
  if (error instanceof DbFailure) {
    const isEncrypted = spec.tls.mode !== 'off';
    const line = lineToAdd({ protocol, dbUser, dbName, setPassword, isEncrypted, signIn: signInOf(spec) }, error);
    const next = line === '' && error.kind === 'malformed' ? 'look at the address, the port and the protocol' : line;
    return new DbRefused(refusedFor(protocol, error), shown(inWords(protocol, error)), { next, cause: error });
  }
  // A connection that breaks is an answer; anything else is a mistake of ours.
  if (error instanceof Error && 'syscall' in error)
    return new AppError('target_unreachable', `the connection broke: ${error.message}`, {
      cause: error,
      // Its alert may be lost with the connection that it ends.
      ...(spec.tls.mode === 'off' || signInOf(spec) === 'certificate'
        ? {}
        : { fields: { next: `where it lets in only who shows a certificate: ${BY_CERTIFICATE}` } }),
    });
  return error;
}

/** What is wrong with a message says nothing to whoever typed the address of something else. */
function inWords(protocol: DbProtocol, { kind, message }: DbFailure): string {
  if (kind !== 'malformed' || message.includes(': is it ')) return message;
  return `it does not speak ${DB_PROTOCOL_TITLES[protocol]} as it should: ${message}`;
}

function tellTls({ spec, address }: ListedDb, inside: Duplex): Hop {
  const { mode, serverName } = spec.tls;
  if (mode === 'insecure')
    return {
      message: 'its certificate is not checked: anybody in between can read and change what passes',
      next: 'give its authority as CA instead',
    };
  const name = serverName || address.hosts[0]?.host || '';
  const until = inside instanceof TLSSocket ? certificateEnd(inside) : undefined;
  const leftMs = until === undefined ? Number.POSITIVE_INFINITY : until - Date.now();
  const days = Math.floor(leftMs / DAY_MS);
  const left = until === undefined ? '' : `, for ${days === 1 ? '1 more day' : `${days} more days`}`;
  return {
    message: `its certificate is good${mode === 'verify-ca' ? '' : ` for ${name}`}${left}`,
    ...(leftMs < WARNED_MS ? { next: 'renew its certificate' } : {}),
  };
}

function shown(words: string): string {
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}
