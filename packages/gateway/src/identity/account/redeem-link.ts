/** Sets a user's credentials by an invite, reset or recovery link, and signs them in. */

import {
  mfaDeviceAdded,
  mfaDeviceDeleted,
  passwordChanged,
  recoveryCodesGenerated,
} from '@gatehouse/contract/audit/account-events';
import type { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import type { RecoveryCodes } from '@gatehouse/contract/identity/recovery';
import { publish } from '../../platform/change-feed/publish.ts';
import type { Call, Exchange } from '../../platform/http/call.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { type CheckedDevice, checkNewDevice, storeNewDevice } from '../factors/enrol-device.ts';
import { isRequired } from '../factors/second-factor.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { liftLockOut } from '../sign-in/failures.ts';
import { signInAs } from '../sign-in/finish-sign-in.ts';
import { holdUsers } from '../stores/administrators.ts';
import { forgetChallengesOf } from '../stores/challenge-store.ts';
import { type Device, deleteDevice, deviceFields, listDevices } from '../stores/device-store.ts';
import { forgetFormerOf } from '../stores/former-identity-store.ts';
import { doubtLinks, unhearEditorLinks } from '../stores/linked-by.ts';
import { replaceRecoveryCodes } from '../stores/recovery-store.ts';
import { endSignInsOf } from '../stores/sign-in-store.ts';
import { findUser, notePasswordSetIn, setPasswordHash, type User } from '../stores/user-store.ts';
import { requireUserToken, spendAllTokensOf, spendUserToken, type UserToken } from '../stores/user-token-store.ts';
import { decodePassword } from './decode-password.ts';
import { requireMaker } from './link-maker.ts';

type Body = Call<(typeof passwordRoutes)['useToken']>['body'];

interface Plan {
  token: UserToken;
  user: User;
  /** Undefined keeps what is there, null is none. */
  passwordHash: string | null | undefined;
  device: CheckedDevice | undefined;
}

export async function redeemLink(
  parts: IdentityDeps,
  body: Body,
  exchange: Exchange,
): Promise<{ recovery: RecoveryCodes }> {
  const plan = await checkLink(parts, body, exchange);
  const { cookie, codes, endedIds } = await parts.db
    .transaction()
    .execute((tx) => applyLink(tx, parts, plan, exchange));
  for (const id of endedIds) parts.cache.dropSignIn(id);
  exchange.setCookie('session', cookie);
  if (!codes) return { recovery: {} };
  return { recovery: { codes, created: new Date(parts.now()).toISOString() } };
}

/** Everything slow or refusable happens here, before the transaction. */
async function checkLink(parts: IdentityDeps, body: Body, exchange: Exchange): Promise<Plan> {
  const mode = parts.settings.secondFactor;
  const token = await requireUserToken(parts.db, body.token, ['invite', 'password', 'recovery'], parts.now());
  const user = await requireUser(parts.db, token.user);
  await requireMaker(parts, token, user);

  const plain = body.password ? decodePassword(body.password) : undefined;
  const hash = plain === undefined ? undefined : await parts.passwords.hash(plain);
  const given = body.webauthnCreationResponse !== undefined || Boolean(body.second_factor_token);
  if (!given && (isRequired(mode) || (token.type === 'recovery' && mode !== 'off'))) {
    throw new AppError('bad_request', 'a second factor is required: scan the code or use a key');
  }
  const device = given && mode !== 'off' ? await checkNewDevice(parts, token, answerOf(body, exchange)) : undefined;

  const isPasskey = device?.type === 'WebAuthn' && device.usage === 'passwordless';
  const keepsPassword = token.type === 'recovery' && user.passwordHash !== undefined;
  if (hash === undefined && !isPasskey && !keepsPassword) {
    throw new AppError('bad_request', 'choose a password, or a passkey that signs in without one');
  }
  return { token, user, passwordHash: hash ?? (keepsPassword ? undefined : null), device };
}

async function requireUser(db: Db, name: string): Promise<User> {
  const user = await findUser(db, name);
  if (!user) throw new AppError('not_found', 'the user of this link does not exist any more');
  return user;
}

function answerOf(body: Body, exchange: Exchange) {
  return {
    name: body.deviceName,
    code: body.second_factor_token,
    key: body.webauthnCreationResponse,
    requestOrigin: exchange.origin,
  };
}

async function applyLink(tx: Tx, parts: IdentityDeps, { token, user, passwordHash, device }: Plan, exchange: Exchange) {
  const { now, audit } = parts;
  // Whoever else takes credentials away ends what was signed in by them: it is over here, or this is found there.
  await holdUsers(tx);
  await spendUserToken(tx, token, now());
  // Again: hashing takes long enough for the right to be taken away, or for the user to become more than the maker.
  const maker = await requireMaker({ ...parts, db: tx }, token, await requireUser(tx, user.name));
  await spendAllTokensOf(tx, user.name, now());
  if (passwordHash !== undefined) await setPasswordHash(tx, user.name, passwordHash);
  await forgetChallengesOf(tx, user.name);
  await doubtLinks(tx, user.name);
  // Who made it may have used it themselves.
  if (!maker.mayEditRoles) await unhearEditorLinks(tx, user.name);
  // Nor is it who a deleted connector left behind: they would return to an account that somebody else has a key to.
  await forgetFormerOf(tx, user.name);
  // Whoever asked for new credentials has lost the old ones: what somebody else may hold must stop working.
  // A device that was added while somebody else had the account would sign them in again, or lock its owner out.
  const keepsDevices = token.type === 'recovery' && !device;
  const removed = keepsDevices ? [] : await removeOldDevices(tx, user.name);
  const added = device && (await storeNewDevice(tx, parts, user.name, device, exchange.address));
  const ended = await endSignInsOf(tx, user.name, 'credentials_reset', { now: now() });
  await liftLockOut(tx, user.name);
  const usesCodes = parts.settings.secondFactor !== 'off';
  const codes = usesCodes ? await replaceRecoveryCodes(tx, user.name, now()) : undefined;
  await publish(tx, { topic: 'user', id: user.name });

  const where = { address: exchange.address };
  const { name } = user;
  if (passwordHash) await audit.emit(tx, passwordChanged, { user: name, 'addr.remote': exchange.address });
  for (const old of removed) await audit.emit(tx, mfaDeviceDeleted, { user: name, ...deviceFields(old) }, where);
  if (added) await audit.emit(tx, mfaDeviceAdded, { user: name, ...deviceFields(added) }, where);
  if (codes) await audit.emit(tx, recoveryCodesGenerated, { user: name }, where);
  const proven = { password: Boolean(passwordHash), mfa: added !== undefined, device: added?.id };
  const { cookie, signIn } = await signInAs(tx, parts, name, { exchange, proven, factor: undefined });
  if (passwordHash) await notePasswordSetIn(tx, name, signIn.id);
  return { cookie, codes, endedIds: ended.map(({ id }) => id) };
}

async function removeOldDevices(tx: Tx, user: string): Promise<Device[]> {
  const devices = await listDevices(tx, user);
  for (const { id } of devices) await deleteDevice(tx, id);
  return devices;
}
