/** Whether somebody has just proven who they are, by the very sign-in that asks. */

import { sessionOptions } from '../../access/session-options.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { usableDevices } from '../factors/second-factor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { listDevices } from '../stores/device-store.ts';
import { findSignIn, type SignIn } from '../stores/sign-in-store.ts';
import { findUser } from '../stores/user-store.ts';

/** How long a proof counts for what follows it. */
const FRESH_MS = 5 * 60_000;

type ProofDeps = Pick<IdentityDeps, 'db' | 'now' | 'access' | 'settings'>;

export async function hasDevices({ db, settings }: Pick<ProofDeps, 'db' | 'settings'>, user: string): Promise<boolean> {
  return usableDevices(await listDevices(db, user), settings.secondFactor).length > 0;
}

/** Someone who walks up to an open browser must not be able to enrol their own key. */
export async function requireFreshPassword({ db, now }: ProofDeps, actor: Actor): Promise<void> {
  const signIn = await findSignIn(db, actor.signInId);
  if (signIn && now() - provenAt(signIn) <= FRESH_MS) return;
  // Whoever comes through a provider, or by a passkey alone, has none to enter.
  const hasPassword = (await findUser(db, actor.username))?.passwordHash !== undefined;
  throw new AppError(
    'mfa_required',
    hasPassword
      ? 'it is a while since you signed in: enter your password again first'
      : 'it is a while since you signed in: sign out and in again first, or add a second factor that can be asked for',
    { fields: { reason: hasPassword ? 'password' : 'sign_in' } },
  );
}

/** A browser is signed in by a proof; a command line by a browser that may have been open for hours. */
function provenAt({ kind, created, passwordAt = 0 }: SignIn): number {
  return kind === 'browser' ? Math.max(created, passwordAt) : passwordAt;
}

/** The factor that was just used counts, unless a role asks for one each time; whoever has none enters the password. */
export async function requireFreshProof(deps: ProofDeps, actor: Actor): Promise<void> {
  if (!(await hasDevices(deps, actor.username))) return await requireFreshPassword(deps, actor);
  const { mfaAt } = (await findSignIn(deps.db, actor.signInId)) ?? {};
  const { requireMfa } = sessionOptions(deps.access.of(actor));
  if (!requireMfa && mfaAt !== undefined && deps.now() - mfaAt <= FRESH_MS) return;
  throw new AppError('mfa_required', 'prove it with one of your devices first');
}

/** The same for changes of what others may do: a proof of the last minutes counts, whatever sessions ask for. */
export async function requireRecentFactor(deps: ProofDeps, actor: Actor): Promise<void> {
  if (!(await hasDevices(deps, actor.username))) return await requireFreshPassword(deps, actor);
  const { mfaAt } = (await findSignIn(deps.db, actor.signInId)) ?? {};
  if (mfaAt !== undefined && deps.now() - mfaAt <= FRESH_MS) return;
  throw new AppError('mfa_required', 'prove it with one of your devices first');
}

/** Whoever finds a sign-in that was left open, or its file, must not make something of it that lasts when it has ended. */
export async function requireFreshToOutlive({ db, now }: ProofDeps, actor: Actor, expires: number): Promise<void> {
  const signIn = await findSignIn(db, actor.signInId);
  // Browsers accept a command line under a fresh proof, so its beginning is one as well.
  const { created = 0, passwordAt = 0, mfaAt = 0, expires: end = 0 } = signIn ?? {};
  if (expires <= end || now() - Math.max(created, passwordAt, mfaAt) <= FRESH_MS) return;
  throw new AppError(
    'mfa_required',
    `it is a while since you signed in: sign in again first, or make one that ends by ${new Date(end).toISOString()} as this sign-in does`,
  );
}
