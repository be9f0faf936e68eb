/** Whether somebody has just proven who they are, by the very sign-in that asks. */

import { beginPath, SAYS_WHEN } from '@gatehouse/contract/identity/connectors/begin-path';
import { sessionOptions } from '../../access/session-options.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { usableDevices } from '../factors/second-factor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { findConnectorKind } from '../stores/connector-kind.ts';
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
  if ((await findUser(db, actor.username))?.passwordHash !== undefined)
    throw new AppError('mfa_required', 'it is a while since you signed in: enter your password again first', {
      fields: { reason: 'password' },
    });
  throw await signInAgain(db, signIn);
}

/** `again`: where a browser goes for it, followed by where it wants to be afterwards. */
async function signInAgain(db: Db, signIn: SignIn | undefined): Promise<AppError> {
  const connector = signIn?.kind === 'browser' ? signIn.through?.connector : undefined;
  const kind = connector === undefined ? undefined : await findConnectorKind(db, connector);
  if (connector === undefined || kind === undefined)
    return new AppError(
      'mfa_required',
      'it is a while since you signed in: sign out and in again first, or add a second factor that can be asked for',
      { fields: { reason: 'sign_in' } },
    );
  if (!SAYS_WHEN[kind])
    return new AppError(
      'mfa_required',
      'GitHub does not say when you signed in there, so that coming through it is no proof of now: ask an administrator for a reset link, and add a second factor by it',
      { fields: { reason: 'no_proof' } },
    );
  return new AppError(
    'mfa_required',
    `the provider '${connector}' did not say that you have just signed in there: sign in again there first`,
    {
      fields: {
        reason: 'sign_in',
        again: `${beginPath(kind)}?connector_id=${encodeURIComponent(connector)}&fresh=yes&redirect_url=`,
      },
    },
  );
}

/** A browser is signed in by a proof, here or at a provider some time ago; a command line by a browser that may have been open for hours. */
function provenAt({ kind, provenAt: begun = 0, passwordAt = 0 }: SignIn): number {
  return kind === 'browser' ? Math.max(begun, passwordAt) : passwordAt;
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
  const { kind, created = 0, provenAt: proven = 0, passwordAt = 0, mfaAt = 0, expires: end = 0 } = signIn ?? {};
  const begun = kind === 'browser' ? proven : created;
  if (expires <= end || now() - Math.max(begun, passwordAt, mfaAt) <= FRESH_MS) return;
  throw new AppError(
    'mfa_required',
    `it is a while since you signed in: sign in again first, or make one that ends by ${new Date(end).toISOString()} as this sign-in does`,
  );
}
