/** Writes down who a root sent, and the sign-in here that stands for theirs there. */
import type { EndReason } from '@gatehouse/contract/identity/sign-ins';
import type { Passport } from '@gatehouse/contract/reach/trusted-clusters/passport';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { remoteName } from '../../stores/remote-name.ts';
import { findRemoteUsers, noteRemoteUser, putRemoteUser, type RemoteUser } from '../../stores/remote-user-store.ts';
import { findSignIn, insertSignIn, reviveSignIn } from '../../stores/sign-in-store.ts';

/** Whether what they hold is what is known of them already. */
export function isSameUser(a: RemoteUser, b: RemoteUser): boolean {
  const facts = ({ remoteRoles, roles, traits, authType, told }: RemoteUser) =>
    JSON.stringify([remoteRoles, roles, Object.entries(traits).toSorted(byName), authType, told?.version]);
  return facts(a) === facts(b);
}

/** Ends that were decided here. */
const GOES_ON: ReadonlySet<EndReason> = new Set(['ended_by_administrator', 'root_lost']);

/** Gives who they are: what another gateway heard of them since counts, and not what they came with. */
export async function keepVisit(tx: Tx, came: RemoteUser, signInId: string, passport: Passport): Promise<RemoteUser> {
  const user = await keepUser(tx, came);
  await keepSignIn(tx, user, signInId, passport);
  return user;
}

async function keepUser(tx: Tx, came: RemoteUser): Promise<RemoteUser> {
  const [known] = await findRemoteUsers(tx, [came]);
  if (known && isSameUser(known, came)) await noteRemoteUser(tx, came);
  else if (!(await putRemoteUser(tx, came))) return (await findRemoteUsers(tx, [came]))[0] ?? came;
  return came;
}

async function keepSignIn(
  tx: Tx,
  user: RemoteUser,
  signInId: string,
  { iat, sid, until, kind, addr, mfa_at }: Passport,
): Promise<void> {
  const expires = until * 1000;
  const held = await findSignIn(tx, signInId);
  if (!held)
    return void (await insertSignIn(tx, {
      id: signInId,
      user: remoteName(user),
      // Whether it has rested too long is for the root to say.
      kind: kind === 'token' ? 'token' : 'cli',
      name: sid,
      now: user.seen,
      expires,
      address: addr,
      userAgent: '',
      mfaAt: mfa_at === undefined ? undefined : mfa_at * 1000,
    }));
  if (held.user !== remoteName(user)) throw over();
  if (!held.ended) {
    if (held.expires !== expires) await reviveSignIn(tx, held, expires);
    return;
  }
  // What ended here goes on once the root says again that they are there; what ended there does not.
  if (!GOES_ON.has(held.ended.reason) || iat * 1000 <= held.ended.at) throw over();
  await reviveSignIn(tx, held, expires);
}

function over(): AppError {
  return new AppError('not_signed_in', 'your sign-in has ended here: sign in again');
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
