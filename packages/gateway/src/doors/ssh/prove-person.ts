/** Who a program comes for: whoever the certificate it proves is of, while their sign-in lives. The name it gives itself says nothing of that. */
import { authAttemptFailed } from '@gatehouse/contract/audit/sign-in-events';
import type { PublicKeyAuthContext } from 'ssh2';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import { type HeadlessLimits, isWithin } from '../../identity/authorities/ssh/headless-limits.ts';
import type { PersonCertificates } from '../../identity/authorities/ssh/person-certificates.ts';
import type { Identity } from '../../identity/identity.ts';
import type { Audit } from '../../platform/audit/emit.ts';
import { CERTIFICATE_TYPES } from '../../platform/crypto/ssh/certificate.ts';
import { isSignedBy } from '../../platform/crypto/ssh/public-key.ts';
import type { Caller } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import { storeFailure } from '../../platform/storage/store-failure.ts';
import type { Db } from '../../platform/storage/tables.ts';

export interface ProveDeps {
  db: Db;
  audit: Audit;
  access: AccessControl;
  identity: Pick<Identity, 'callerOf' | 'requireHere'>;
  certificates: Pick<PersonCertificates, 'read' | 'begin'>;
  /** Throws while nobody can tell who may still do what. */
  requireStore(): void;
  log: Log;
  now: () => number;
}

export interface Person {
  caller: Caller;
  /** Of the certificate; undefined where a browser said yes to this connection. */
  serial: string | undefined;
  /** Good for one session alone, and which. */
  limits: HeadlessLimits | undefined;
  /** When they gave a second factor on this connection. */
  factor: number | undefined;
}

/** Not proved: it asks whether the key would do. */
export type ShownPerson = { person: Person; isProved: boolean };

/** What a certificate is not; how many there may be in a minute is for the caller to hold down. */
export async function provePerson(
  deps: ProveDeps,
  context: PublicKeyAuthContext,
  address: string,
): Promise<ShownPerson> {
  const { key, signature, blob } = context;
  if (!(key.algo in CERTIFICATE_TYPES))
    throw new AppError('not_signed_in', 'keys alone let nobody in here: gatehouse login gets a certificate');
  const { subject, user, signIn, serial, limits } = await deps.certificates.read(key.data);
  if (signature && !(blob && isBy(subject, blob, signature)))
    throw new AppError('not_signed_in', 'the signature is not of the key that the certificate is for');
  if (limits && !isWithin(limits, address))
    throw new AppError('not_signed_in', 'your certificate is for another address: ask again from here');
  deps.requireStore();
  await deps.identity.requireHere(signIn, { address, door: 'ssh' });
  const known = { username: user, signInId: signIn, address };
  const caller = deps.identity.callerOf(known as Parameters<Identity['callerOf']>[0]);
  // The sign-in lives, and says who it is.
  if ((await caller.now()).username !== user)
    throw new AppError('not_signed_in', 'the certificate is of somebody else');
  return { person: { caller, serial, limits, factor: undefined }, isProved: signature !== undefined };
}

/** A role of theirs asks for a second factor at every connection. */
export async function needsFactor({ access }: ProveDeps, { caller, limits }: Person): Promise<boolean> {
  if (limits) return false;
  return sessionOptions(access.of(await caller.now())).requireMfa;
}

/** What is told, and written to the log, of who was not let in. */
export async function tellRefused(deps: ProveDeps, error: unknown, address: string): Promise<string> {
  const told = storeFailure(error) ?? error;
  if (!(told instanceof AppError)) {
    deps.log.error({ error }, 'the SSH door made a mistake');
    return 'the gateway made a mistake: its log says more';
  }
  if (told.code === 'not_signed_in') {
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
