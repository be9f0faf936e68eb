/** Answers the calls of signing in with a password, renewing, signing out and the status poll. */

import type { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { OK } from '@gatehouse/contract/wire/ack';
import type { Handlers } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { checkCode, isRequired, type ProvenFactor, usableDevices } from '../factors/second-factor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { listDevices } from '../stores/device-store.ts';
import { issueBearer, replaceCookie } from '../stores/sign-in-secrets.ts';
import { findSignIn, isAlive } from '../stores/sign-in-store.ts';
import { findUser } from '../stores/user-store.ts';
import { notSignedIn } from './authenticate.ts';
import { signInReply } from './begin-sign-in.ts';
import { checkPassword } from './check-password.ts';
import type { Attempts } from './failures.ts';
import { finishSignIn, refuseSignIn } from './finish-sign-in.ts';
import type { LastActive } from './last-active.ts';
import { signOut } from './sign-out.ts';

interface SignInDeps extends IdentityDeps {
  attempts: Attempts;
  lastActive: LastActive;
}

export function signInHandlers(deps: SignInDeps): Handlers<typeof signInRoutes> {
  const { db, now, settings, attempts, cache } = deps;
  return {
    async signIn({ body, exchange }) {
      if (settings.secondFactor === 'webauthn') {
        throw new AppError('mfa_required', 'sign in with your hardware key or passkey');
      }
      const who = { name: body.user, address: exchange.address };
      return attempts.attempt(who, async () => {
        const user = await findUser(db, body.user);
        const passwordHash = await checkPassword(deps, user, body.pass);
        if (passwordHash === undefined || !user) {
          throw await refuseSignIn(deps, { ...who, exchange, reason: user ? 'wrong password' : 'unknown user' });
        }
        const factor = await checkSecondFactor(deps, user.name, body.second_factor_token ?? '');
        if (factor === 'wrong') throw await refuseSignIn(deps, { ...who, exchange, reason: 'wrong one-time code' });
        return finishSignIn(deps, user.name, {
          exchange,
          factor,
          proven: { password: true, mfa: factor !== undefined },
          passwordHash,
          sessionExpires: 'told',
        });
      });
    },

    async signOut({ actor, exchange }) {
      await signOut(deps, actor, exchange.address);
      exchange.clearCookie('session');
      return OK;
    },

    async renew({ actor, body, exchange }) {
      const asked = [body.requestId !== undefined, body.switchback === true, body.reloadUser === true];
      if (asked.filter(Boolean).length > 1) {
        throw new AppError('bad_request', 'ask for one of requestId, switchback and reloadUser, not for several');
      }
      if (body.requestId !== undefined) {
        throw new AppError('not_available', 'access requests are not available on this gateway');
      }
      if (actor.signInKind !== 'browser') throw new AppError('bad_request', 'only a browser renews its sign-in');
      const time = now();
      const { cookie, replaced, bearer, signIn } = await db.transaction().execute(async (tx) => {
        const signIn = await findSignIn(tx, actor.signInId);
        // Signed out between being let in and here.
        if (!signIn || !isAlive(signIn, time)) throw notSignedIn();
        return {
          signIn,
          ...(await replaceCookie(tx, signIn, time)),
          bearer: await issueBearer(tx, signIn, time),
        };
      });
      cache.dropSecrets(replaced);
      exchange.setCookie('session', cookie);
      return signInReply(bearer, { user: signIn.user, now: time, sessionExpires: signIn.expires, ...settings });
    },

    async status({ actor, query }) {
      // Clients that do not say how long their user has rested are taken to be active.
      const time = now();
      deps.lastActive.touch(actor.signInId, time - (query.idleMs ?? 0));
      if (query.idleMs === undefined) return OK;
      // From the store: an application may be used through another gateway.
      const signIn = await findSignIn(db, actor.signInId);
      return signIn ? { ...OK, idleMs: Math.max(0, time - deps.lastActive.of(signIn)) } : OK;
    },
  };
}

/** Nothing when none is asked for; `wrong` when a code was given and is not right. */
async function checkSecondFactor(
  deps: SignInDeps,
  user: string,
  code: string,
): Promise<ProvenFactor | undefined | 'wrong'> {
  const mode = deps.settings.secondFactor;
  if (mode === 'off') return undefined;
  const devices = await listDevices(deps.db, user);
  if (code !== '') return (await checkCode(deps, devices, code)) ?? 'wrong';
  const usable = usableDevices(devices, mode);
  if (usable.length > 0) {
    throw new AppError('mfa_required', 'this account has a second factor: enter its code or use your key', {
      fields: { totp: usable.some(({ type }) => type === 'TOTP'), key: usable.some(({ type }) => type !== 'TOTP') },
    });
  }
  if (!isRequired(mode)) return undefined;
  throw new AppError('mfa_required', 'this account has no second factor yet: ask an administrator for a reset link', {
    fields: { reason: 'no_device' },
  });
}
