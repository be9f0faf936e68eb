/** Challenges for people who are signed in, and adding and removing their devices. */

import { mfaDeviceAdded, mfaDeviceDeleted } from '@gatehouse/contract/audit/account-events';
import type { SecondFactor } from '@gatehouse/contract/console/page-config';
import type { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { OK } from '@gatehouse/contract/wire/ack';
import { publish } from '../../platform/change-feed/publish.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Exchange, Handlers } from '../../platform/http/call.ts';
import { contextOf } from '../../platform/http/context-of.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { beginKey, beginTotp, checkNewDevice, notTaken, storeNewDevice } from '../factors/enrol-device.ts';
import { askForFactor, isRequired, takesKeys, takesTotp, usableDevices } from '../factors/second-factor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import type { AddressGuard } from '../sign-in/address-guard.ts';
import { checkPassword } from '../sign-in/check-password.ts';
import type { Attempts } from '../sign-in/failures.ts';
import { refuseSignIn } from '../sign-in/finish-sign-in.ts';
import { type Device, deleteDevice, deviceFields, listDevices, toItem } from '../stores/device-store.ts';
import { markProven } from '../stores/sign-in-store.ts';
import { findUser, type User } from '../stores/user-store.ts';
import { requireUserToken, spendUserToken, type UserTokenType } from '../stores/user-token-store.ts';
import { ownUser, requirePerson } from './own-account.ts';

interface MfaDeviceDeps extends IdentityDeps {
  attempts: Attempts;
  guard: AddressGuard;
}

const LINKS = ['invite', 'password', 'recovery'] as const;

export function mfaDeviceHandlers(deps: MfaDeviceDeps): Omit<Handlers<typeof mfaRoutes>, 'beginLogin' | 'finishLogin'> {
  const { db, now, audit, settings, attempts, cache } = deps;
  /** What was given to a sign-in at one address is no good at another, like the sign-in itself. */
  const tokenOf = async (tokenId: string, types: readonly UserTokenType[], { address }: Pick<Exchange, 'address'>) => {
    const token = await requireUserToken(db, tokenId, types, now());
    await deps.guard.requireSame(token.user, token.tiedTo, { address, door: 'privilege' });
    return token;
  };
  const challenge = async ({ actor }: { actor: Actor }) => {
    requirePerson(actor);
    return askForFactor(deps, { purpose: 'mfa', user: actor.username, signInId: actor.signInId });
  };
  return {
    challenge,
    readChallenge: challenge,

    async challengeWithPassword({ actor, body, exchange }) {
      const user = await ownUser(db, actor);
      const who = { name: user.name, address: exchange.address };
      await attempts.attempt(who, async () => {
        if (await checkPassword(deps, user, body.pass)) return;
        await refuseSignIn(deps, { ...who, exchange, reason: 'wrong password' });
        // Not 403: clients of this wire end the whole sign-in on that.
        throw new AppError('bad_request', 'the password is not right', { fields: { field: 'password' } });
      });
      await db.transaction().execute((tx) => markProven(tx, actor.signInId, { passwordAt: now() }));
      cache.dropSignIn(actor.signInId);
      return challenge({ actor });
    },

    async tokenChallenge({ params: { tokenId }, exchange }) {
      const token = await tokenOf(tokenId, ['recovery', 'privilege'], exchange);
      return askForFactor(deps, { purpose: 'mfa', user: token.user, signInId: undefined });
    },

    async registerChallenge({ params: { tokenId }, body, exchange }) {
      const token = await tokenOf(tokenId, [...LINKS, 'privilege'], exchange);
      if (body.deviceType === 'totp') {
        if (!takesTotp(settings.secondFactor)) throw notTaken('an authenticator app');
        const { qrCode, secret } = await beginTotp(deps, token);
        return { webauthn: null, totp: { qrCode }, totpSecret: secret };
      }
      if (!takesKeys(settings.secondFactor)) throw notTaken('a hardware key');
      return { webauthn: await beginKey(deps, token, body.deviceUsage), totp: null };
    },

    async devices({ actor }) {
      return (await listDevices(db, actor.username)).map(toItem);
    },

    async addDevice({ actor, body, exchange }) {
      requirePerson(actor);
      const token = await tokenOf(body.tokenId, ['privilege'], exchange);
      if (token.user !== actor.username) throw new AppError('denied', 'this token was made for somebody else');
      const checked = await checkNewDevice(deps, token, {
        name: body.deviceName,
        code: body.secondFactorToken,
        key: body.webauthnRegisterResponse,
        requestOrigin: exchange.origin,
      });
      await db.transaction().execute(async (tx) => {
        await spendUserToken(tx, token, now());
        const device = await storeNewDevice(tx, deps, token.user, checked, exchange.address);
        await publish(tx, { topic: 'user', id: token.user });
        const fields = { user: token.user, ...deviceFields(device) };
        await audit.emit(tx, mfaDeviceAdded, fields, contextOf(actor, exchange));
      });
      return OK;
    },

    async tokenDevices({ params: { tokenId }, exchange }) {
      const token = await tokenOf(tokenId, ['recovery', 'privilege'], exchange);
      return (await listDevices(db, token.user)).map(toItem);
    },

    async removeDevice({ params: { tokenId, deviceName }, exchange }) {
      const token = await tokenOf(tokenId, ['privilege'], exchange);
      await db.transaction().execute(async (tx) => {
        await spendUserToken(tx, token, now());
        const user = await findUser(tx, token.user);
        const devices = await listDevices(tx, token.user);
        const device = devices.find(({ name }) => name === deviceName);
        if (!user || !device) throw notFound('device', deviceName);
        refuseLast(user, devices, device, settings.secondFactor);
        await deleteDevice(tx, device.id);
        await publish(tx, { topic: 'user', id: token.user });
        const fields = { user: token.user, ...deviceFields(device) };
        await audit.emit(tx, mfaDeviceDeleted, fields, { address: exchange.address });
      });
      return OK;
    },
  };
}

/** Nobody may take away the last thing they can sign in with. */
function refuseLast(user: User, devices: readonly Device[], leaving: Device, mode: SecondFactor): void {
  const left = devices.filter(({ id }) => id !== leaving.id);
  if (isRequired(mode) && usableDevices(left, mode).length === 0) {
    throw new AppError(
      'bad_request',
      'this is your last device and a second factor is required: add another one first',
    );
  }
  const hasPasskey = left.some((device) => device.type === 'WebAuthn' && device.usage === 'passwordless');
  if (user.authType === 'local' && user.passwordHash === undefined && !hasPasskey) {
    throw new AppError('bad_request', 'this is your last passkey and you have no password: add another passkey first');
  }
}
