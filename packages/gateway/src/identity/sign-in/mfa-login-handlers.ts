/** Signing in with a key: after the password, or without one. */
import type { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import type { Handlers } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { clientKey } from '../../platform/std/client-key.ts';
import { askForFactor, askForPasskey, checkKey, takesKeys } from '../factors/second-factor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { Challenge } from '../stores/challenge-store.ts';
import type { KeyDevice } from '../stores/device-store.ts';
import { findUser } from '../stores/user-store.ts';
import type { AddressGuard } from './address-guard.ts';
import { checkPassword, isStillPassword } from './check-password.ts';
import type { Attempts } from './failures.ts';
import { auditFailure, finishSignIn, refuseSignIn, wrongCredentials } from './finish-sign-in.ts';

interface MfaLoginDeps extends IdentityDeps {
  attempts: Attempts;
  guard: AddressGuard;
}

export function mfaLoginHandlers(deps: MfaLoginDeps): Pick<Handlers<typeof mfaRoutes>, 'beginLogin' | 'finishLogin'> {
  const { db, settings, attempts } = deps;
  const requireKeys = () => {
    if (!takesKeys(settings.secondFactor)) throw new AppError('denied', 'this gateway does not take keys or passkeys');
  };
  return {
    async beginLogin({ body, exchange }) {
      requireKeys();
      if (body.passwordless) return askForPasskey(deps, clientKey(exchange.address));
      const { user: name, pass } = body;
      if (name === undefined || pass === undefined) {
        throw new AppError('bad_request', 'user name and password are missing');
      }
      const who = { name, address: exchange.address };
      return attempts.attempt(who, async () => {
        const user = await findUser(db, name);
        const hash = await checkPassword(deps, user, pass);
        if (hash === undefined || !user) {
          throw await refuseSignIn(deps, { ...who, exchange, reason: user ? 'wrong password' : 'unknown user' });
        }
        const asked = {
          purpose: 'login',
          user: name,
          signInId: undefined,
          tiedTo: clientKey(exchange.address),
        } as const;
        const challenge = await db.transaction().execute(async (tx) => {
          // Kept after whoever takes the password away has forgotten all challenges, it would count.
          if (!(await isStillPassword(tx, name, hash))) throw wrongCredentials();
          return askForFactor({ ...deps, db: tx }, asked);
        });
        if (challenge.webauthn_challenge) return challenge;
        throw new AppError('mfa_required', 'this account has no key: sign in with a one-time code', {
          fields: { totp: challenge.totp_challenge, key: false },
        });
      });
    },

    async finishLogin({ body, exchange }) {
      requireKeys();
      const answer = { response: body.webauthnAssertionResponse, requestOrigin: exchange.origin };
      const factor = await checkKey(deps, answer, (challenge, device) => fits(challenge, device, body.user)).catch(
        async (error: unknown) => {
          const reason = error instanceof Error ? error.message : 'the key was not accepted';
          const failed = { name: body.user ?? '', address: exchange.address, exchange, reason };
          await db.transaction().execute((tx) => auditFailure(tx, deps, failed));
          throw wrongCredentials();
        },
      );
      // The password was proven where the challenge was asked for; the key must be answered there too.
      const used = { address: exchange.address, door: 'sign-in' };
      await deps.guard.requireSame(factor.device.user, factor.challenge.tiedTo, used);
      return finishSignIn(deps, factor.device.user, {
        exchange,
        factor,
        proven: { password: factor.challenge.purpose === 'login', mfa: true },
        sessionExpires: 'zero',
      });
    },
  };
}

/** The password was proven for one name; the key must be that name's, whatever the second call says. */
function fits(challenge: Challenge, device: KeyDevice, saidUser: string | undefined): boolean {
  switch (challenge.purpose) {
    case 'login':
      return device.user === challenge.user && saidUser === challenge.user;
    case 'passwordless':
      return device.usage === 'passwordless' && (!saidUser || saidUser === device.user);
    case 'mfa':
      return false;
    default:
      return challenge.purpose satisfies never;
  }
}
