/** What makes the database user of one person on the fly, whatever the protocol: on a connection of the admin user's, under a lock that every gateway asks for. */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DbFailure } from './db-failure.ts';
import type { Credential } from './server-terms.ts';

export interface MadeUserTerms {
  user: string;
  /** Who makes it. */
  admin: string;
  /** By which the user signs in; with a certificate, of whom it says that it is. */
  by: { method: 'password' } | { method: 'certificate'; organization: string };
  isEncrypted: boolean;
}

export interface LetIn {
  /** It was not there before. */
  isNew: boolean;
  credential: Credential;
}

/** Holds the lock on one user from its beginning to `close`. After anything has thrown, only `close` is left. */
export interface UserMaker {
  /** Makes the user where there is none and gives it exactly these roles. `noted` is awaited before anything is changed, once it is sure that the user is ours. */
  letIn(roles: readonly string[], noted: () => Promise<void>): Promise<LetIn>;
  /** For one more connection of a session that is in; its roles stay as they are. */
  letInAgain(): Promise<LetIn>;
  /** Nobody else comes in by what it was let in with. */
  shut(): Promise<void>;
  /** `busy`: sessions of theirs are open. `gone`: there is no user of ours. */
  letOut(isDropped: boolean): Promise<'gone' | 'busy' | 'disabled' | 'dropped'>;
  close(): void;
}

/** For who waits until another connection of the same user is in, or out. */
export const LOCK_SECONDS = 5;

/** Both letters, a digit and a sign: some servers ask for all of them. */
export function newSecret(): string {
  return `${randomBytes(24).toString('base64url')}aA1!`;
}

export function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** What the server would cut, fold, or take for another name. */
export function refuseName(
  { user, admin }: Pick<MadeUserTerms, 'user' | 'admin'>,
  most: number,
  reserved: RegExp,
): void {
  const because = (why: string): DbFailure =>
    new DbFailure('refused', `no database user is made for '${user}': ${why}`, {
      next: 'let them connect as a user that the database has, with a role that makes none',
    });
  if (Buffer.byteLength(user) > most) throw because(`the name is longer than ${most} bytes`);
  if (/\p{Cc}|\p{Cf}|\p{Cs}|^\s|\s$/u.test(user))
    throw because('the name begins or ends with a space, or holds what is not shown');
  if (reserved.test(user)) throw because('the database keeps such names for itself');
  if (user === admin) throw because('the admin user is called so');
}

export function notOurs(user: string, adopt: string): DbFailure {
  return new DbFailure('refused', `the database has a user '${user}' already, which was not made here`, {
    next: `drop or rename it there, or hand it over: ${adopt}`,
  });
}

export function otherRoles(user: string, roles: readonly string[]): DbFailure {
  const held = roles.length === 0 ? 'no roles' : `the roles ${roles.join(', ')}`;
  return new DbFailure('refused', `'${user}' is connected there with ${held}, and would have others now`, {
    next: 'close the other sessions first: roles are given and taken when nobody is in',
  });
}

/** What the admin user was refused, in the server's words. */
export function couldNot(
  error: unknown,
  { user, admin }: Pick<MadeUserTerms, 'user' | 'admin'>,
  what: string,
): unknown {
  if (!(error instanceof DbFailure) || error.kind !== 'refused') return error;
  return new DbFailure('refused', `the admin user '${admin}' could not ${what} for '${user}': ${error.message}`, {
    cause: error,
    next: error.next || 'see docs/databases.md for what the admin user must be granted',
  });
}

export function refuseOwnRole({ admin }: Pick<MadeUserTerms, 'admin'>, roles: readonly string[]): void {
  if (roles.includes(admin))
    throw new DbFailure('refused', `the role '${admin}' is the admin user itself, and is given to nobody`);
}

export function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && [...some].sort().every((each, at) => each === [...others].sort()[at]);
}

interface HeldRoles {
  isBusy: boolean;
  roles: readonly string[];
}

const LOOK_MS = 100;
const MAX_LOOKS = 20;

/** Whoever was just put out and comes again at once is still there for a moment, with what they had. Gives what there was at last. */
export async function whenFree<State extends HeldRoles>(
  look: () => Promise<State>,
  roles: readonly string[],
): Promise<State> {
  let state = await look();
  for (let looks = 1; looks < MAX_LOOKS && state.isBusy && !isSame(state.roles, roles); looks += 1) {
    await sleep(LOOK_MS);
    state = await look();
  }
  return state;
}
