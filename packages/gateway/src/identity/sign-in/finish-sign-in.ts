/** The two ends of an attempt to sign in: a sign-in with its cookie, or a refusal that says nothing. Both are audited. */

import { userLogin, userLoginFailed } from '@gatehouse/contract/audit/sign-in-events';
import type { SignInReply } from '@gatehouse/contract/identity/sign-in';
import type { Exchange } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import type { ProvenFactor } from '../factors/second-factor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { holdUsers } from '../stores/administrators.ts';
import { deviceFields } from '../stores/device-store.ts';
import { findUser } from '../stores/user-store.ts';
import { type BegunSignIn, beginSignIn, type Proven, signInReply } from './begin-sign-in.ts';
import { isStillPassword } from './check-password.ts';
import { forgetFailures, recordFailure, refuseLocked } from './failures.ts';

type FinishDeps = Pick<IdentityDeps, 'db' | 'now' | 'audit' | 'access' | 'settings' | 'enterOtherwise'>;

interface Success {
  exchange: Exchange;
  factor: ProvenFactor | undefined;
  proven: Proven;
  /** What the password fitted; undefined where it was not checked by this call. */
  passwordHash?: string;
  /** The wire reference tells the end of the session in some replies and the zero time in others. */
  sessionExpires: 'told' | 'zero';
}

export async function finishSignIn(deps: FinishDeps, user: string, success: Success): Promise<SignInReply> {
  const { exchange, factor, proven, passwordHash, sessionExpires } = success;
  const outcome = await deps.db.transaction().execute(async (tx): Promise<BegunSignIn | { refused: string }> => {
    // Whoever takes credentials away ends what was signed in by them: it is over here, or this is found there.
    await holdUsers(tx);
    // A passkey cannot be guessed, so it also opens a locked name.
    if (proven.password) await refuseLocked(tx, user, deps.now());
    if (passwordHash !== undefined && !(await isStillPassword(tx, user, passwordHash)))
      return { refused: 'the password was taken away meanwhile' };
    if (factor && !(await factor.use(tx))) return { refused: 'one-time code used twice, or device removed meanwhile' };
    return signInAs(tx, deps, user, { exchange, factor, proven });
  });
  if ('refused' in outcome) {
    const reason = outcome.refused;
    throw await refuseSignIn(deps, { name: user, address: exchange.address, exchange, reason });
  }
  exchange.setCookie('session', outcome.cookie);
  return signInReply(outcome.bearer, {
    user,
    now: deps.now(),
    ...(sessionExpires === 'told' ? { sessionExpires: outcome.signIn.expires } : {}),
    inactivityTimeoutMs: deps.settings.inactivityTimeoutMs,
  });
}

/** Makes the sign-in and its event in the caller's transaction. */
export async function signInAs(
  tx: Tx,
  { now, audit, access, enterOtherwise }: Pick<FinishDeps, 'now' | 'audit' | 'access' | 'enterOtherwise'>,
  user: string,
  { exchange, factor, proven }: Pick<Success, 'exchange' | 'factor' | 'proven'>,
): Promise<BegunSignIn> {
  const lock = access.lockOn({ username: user, roles: (await findUser(tx, user))?.roles ?? [] });
  // The reason is for administrators: whoever has found the laptop and the password is not told that it is missed.
  if (lock) throw new AppError('denied', 'your account is locked: ask an administrator');
  await enterOtherwise(tx, user);
  const begun = await beginSignIn(tx, user, {
    exchange,
    now: now(),
    proven: factor ? { ...proven, device: factor.device.id } : proven,
  });
  await forgetFailures(tx, user);
  await audit.emit(
    tx,
    userLogin,
    {
      user,
      success: true,
      method: proven.password ? 'local' : 'passwordless',
      ...(factor ? { mfa_device: deviceFields(factor.device) } : {}),
      user_agent: exchange.userAgent,
      'addr.remote': exchange.address,
    },
    { signInId: begun.signIn.id },
  );
  return begun;
}

/** Counts and audits the failure. Whatever was wrong, the answer is this one. */
export async function refuseSignIn(
  deps: Pick<FinishDeps, 'db' | 'now' | 'audit'>,
  failed: { name: string; address: string; exchange: Pick<Exchange, 'userAgent'>; reason: string },
): Promise<AppError> {
  await deps.db.transaction().execute(async (tx) => {
    await recordFailure(tx, failed, deps);
    await auditFailure(tx, deps, failed);
  });
  return wrongCredentials();
}

/** A failure nobody can repeat into success is audited, but locks nobody. */
export async function auditFailure(
  tx: Tx,
  { audit }: Pick<FinishDeps, 'audit'>,
  { name, address, exchange, reason }: Parameters<typeof refuseSignIn>[1],
): Promise<void> {
  await audit.emit(tx, userLoginFailed, {
    user: name,
    success: false,
    error: reason,
    method: 'local',
    user_agent: exchange.userAgent,
    'addr.remote': address,
  });
}

export function wrongCredentials(): AppError {
  return new AppError('denied', 'invalid user name, password or second factor');
}
