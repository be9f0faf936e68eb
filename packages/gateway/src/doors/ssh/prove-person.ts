/** Who a program comes for: whoever the certificate it proves is of, while their sign-in lives. The name it gives itself says nothing of that. */
import { authAttemptFailed } from '@gatehouse/contract/audit/sign-in-events';
import ssh2, { type PublicKeyAuthContext } from 'ssh2';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import { type HeadlessLimits, isWithin } from '../../identity/authorities/ssh/headless-limits.ts';
import type { PersonCertificates } from '../../identity/authorities/ssh/person-certificates.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import { CERTIFICATE_TYPES } from '../../platform/crypto/ssh/certificate.ts';
import { fingerprint, isSignedBy, publicKeyLine, typeOf } from '../../platform/crypto/ssh/public-key.ts';
import type { Caller, Who } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import { storeFailure } from '../../platform/storage/store-failure.ts';
import type { Db } from '../../platform/storage/tables.ts';

export interface ProveDeps {
  db: Db;
  audit: Audit;
  access: AccessControl;
  identity: Pick<Identity, 'callerOf' | 'requireHere' | 'approvals'>;
  certificates: Pick<PersonCertificates, 'read' | 'begin'>;
  /** False where so many of there were written down already that one more would only fill the log. */
  mayTell(address: string): boolean;
  /** Throws while nobody can tell who may still do what. */
  requireStore(): void;
  log: Log;
  now: () => number;
}

export interface Person {
  caller: Caller;
  /** Undefined where a browser said yes to this connection. */
  certificate: { serial: string; expires: number } | undefined;
  /** By which a browser lets them in, until it is revoked. */
  keyId: string | undefined;
  /** Good for one session alone, and which. */
  limits: HeadlessLimits | undefined;
  /** When they gave a second factor on this connection. */
  factor: number | undefined;
}

/** Not proved: it asks whether the key would do. Without a person: the key proves itself, and nobody. */
export type ShownPerson = { person: Person; isProved: boolean } | { key: string; isProved: boolean };

const RSA = 'ssh-rsa';
const PLAIN_TYPES: ReadonlySet<string> = new Set([...Object.values(CERTIFICATE_TYPES).map(({ plain }) => plain), RSA]);

export async function provePerson(
  deps: ProveDeps,
  context: PublicKeyAuthContext,
  address: string,
): Promise<ShownPerson> {
  const { key, signature, blob } = context;
  if (PLAIN_TYPES.has(key.algo)) return await byPlainKey(deps, context, address);
  if (!(key.algo in CERTIFICATE_TYPES))
    throw new AppError('not_signed_in', `keys of type '${key.algo}' are not taken: use ssh-keygen -t ed25519`);
  const { subject, user, signIn, serial, expires, limits } = await deps.certificates.read(key.data);
  if (signature && !(blob && isBy(subject, blob, signature)))
    throw new AppError('not_signed_in', 'the signature is not of the key that the certificate is for');
  if (limits && !isWithin(limits, address))
    throw new AppError('not_signed_in', 'your certificate is for another address: ask again from here');
  const caller = await callerOf(deps, { username: user, signInId: signIn }, address);
  return {
    person: { caller, certificate: { serial, expires }, keyId: undefined, limits, factor: undefined },
    isProved: signature !== undefined,
  };
}

/** Whoever a sign-in is of, from there, while it lives. */
export async function callerOf(deps: ProveDeps, who: Who, address: string): Promise<Caller> {
  deps.requireStore();
  await deps.identity.requireHere(who.signInId, { address, door: 'ssh' });
  const known = { ...who, address };
  const caller = deps.identity.callerOf(known as Parameters<Identity['callerOf']>[0]);
  // The sign-in lives, and says who it is.
  if ((await caller.now()).username !== who.username)
    throw new AppError('not_signed_in', 'the certificate is of somebody else');
  return caller;
}

/** A key says nothing of who holds it, unless a browser has said so until it signs out. */
async function byPlainKey(deps: ProveDeps, context: PublicKeyAuthContext, address: string): Promise<ShownPerson> {
  const { key, signature } = context;
  const print = fingerprint(key.data);
  if (!signature) return { key: print, isProved: false };
  if (!isByPlain(key.data, context)) throw new AppError('not_signed_in', 'the signature is not of that key');
  const bound = await deps.identity.approvals.boundTo(print, address);
  if (!bound) return { key: print, isProved: true };
  const caller = await callerOf(deps, bound.who, address);
  return { person: { ...bySignIn(caller), keyId: bound.keyId }, isProved: true };
}

/** Who stands on nothing but a sign-in. */
export function bySignIn(caller: Caller): Person {
  return { caller, certificate: undefined, keyId: undefined, limits: undefined, factor: undefined };
}

/** A role of theirs asks for a second factor at every connection. */
export async function needsFactor({ access }: ProveDeps, { caller, limits, factor }: Person): Promise<boolean> {
  if (limits || factor !== undefined) return false;
  return sessionOptions(access.of(await caller.now())).requireMfa;
}

/** What is told, and written to the log, of who was not let in. */
export async function tellRefused(deps: ProveDeps, error: unknown, address: string): Promise<string> {
  const told = storeFailure(error) ?? error;
  if (!(told instanceof AppError)) {
    deps.log.error({ error }, 'the SSH door made a mistake');
    return 'the gateway made a mistake: its log says more';
  }
  if (told.code === 'not_signed_in' && deps.mayTell(address)) {
    const fields = { user: '', 'addr.remote': address, success: false, error: told.message };
    await deps.db
      .transaction()
      .execute((tx) => deps.audit.emit(tx, authAttemptFailed, fields, { address }))
      .catch((unwritten: unknown) => deps.log.error({ error: unwritten }, 'a refused program could not be kept'));
  }
  return told.message;
}

function isBy(subject: Buffer, data: Buffer, signature: Buffer): boolean {
  try {
    return isSignedBy(subject, data, signature);
  } catch {
    // Not even written as signatures are.
    return false;
  }
}

/** Of keys it knows, ssh2 hands on signatures in the way it checks them itself. SHA-1 comes without the name of a hash. */
function isByPlain(key: Buffer, { blob, signature, hashAlgo }: PublicKeyAuthContext): boolean {
  if (!blob || !signature || (typeOf(key) === RSA && hashAlgo === undefined)) return false;
  const parsed = ssh2.utils.parseKey(publicKeyLine(key));
  return !(parsed instanceof Error) && parsed.verify(blob, signature, hashAlgo) === true;
}
