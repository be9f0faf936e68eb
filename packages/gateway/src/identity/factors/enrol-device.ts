/** Enrols a device for the user a link or privilege token was made for. */
import type { CreationResponse, DeviceUsage } from '@gatehouse/contract/identity/webauthn';
import { AppError } from '../../platform/std/app-error.ts';
import { isUniqueViolation } from '../../platform/storage/errors.ts';
import { holdLock } from '../../platform/storage/named-lock.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { checkTotp, newTotpSecret, qrPng, totpUri } from '../credentials/totp.ts';
import { beginRegistration, finishRegistration, type NewCredential } from '../credentials/webauthn.ts';
import type { IdentityDeps } from '../identity-deps.ts';
import { type Device, insertKey, insertTotp, listDevices } from '../stores/device-store.ts';
import { findUser } from '../stores/user-store.ts';
import {
  pendingTotp,
  setPendingKey,
  setPendingTotp,
  takePendingKey,
  type UserToken,
} from '../stores/user-token-store.ts';
import { originsFor, takesKeys, takesTotp } from './second-factor.ts';

const RP_NAME = 'Gatehouse';
/** More are never needed; each is one more thing to lose. */
const MAX_DEVICES = 32;

export interface PendingTotp {
  qrCode: string;
  secret: string;
}

/** A new secret each time it is asked for: a QR code photographed off an earlier screen is worth nothing. */
export async function beginTotp(parts: IdentityDeps, token: UserToken): Promise<PendingTotp> {
  const secret = newTotpSecret();
  await setPendingTotp(parts.db, token, secret, parts.secrets);
  const uri = totpUri({ issuer: `${RP_NAME} ${parts.settings.clusterName}`, account: token.user, secret });
  return { qrCode: (await qrPng(uri)).toString('base64'), secret };
}

export async function beginKey(parts: IdentityDeps, token: UserToken, usage: DeviceUsage) {
  const user = await findUser(parts.db, token.user);
  if (!user) throw new AppError('not_found', 'the user of this link does not exist any more');
  const devices = await listDevices(parts.db, token.user);
  const { challenge, options } = beginRegistration({
    rpId: parts.settings.rpId,
    rpName: RP_NAME,
    user: { id: user.webauthnHandle, name: user.name },
    usage,
    exclude: devices.filter((device) => device.type === 'WebAuthn').map(({ credential }) => credential),
  });
  await setPendingKey(parts.db, token, { challenge, usage }, parts.now());
  return options;
}

export interface DeviceAnswer {
  name: string | undefined;
  code: string | undefined;
  key: CreationResponse | undefined;
  requestOrigin: string;
}

export type CheckedDevice =
  | { type: 'TOTP'; name: string; secret: string; step: number }
  | { type: 'WebAuthn'; name: string; credential: NewCredential; usage: DeviceUsage };

/** Checks what the person answered; stores nothing yet. */
export async function checkNewDevice(
  parts: IdentityDeps,
  token: UserToken,
  answer: DeviceAnswer,
): Promise<CheckedDevice> {
  if (answer.key) return checkNewKey(parts, token, { ...answer, key: answer.key });
  if (!takesTotp(parts.settings.secondFactor)) throw notTaken('an authenticator app');
  const secret = pendingTotp(token, parts.secrets);
  if (secret === undefined) throw new AppError('bad_request', 'scan the QR code first');
  const checked = checkTotp({ secret, code: answer.code ?? '', now: parts.now(), lastStep: undefined });
  if (!checked) {
    throw new AppError('bad_request', 'the code is not right: wait for the next one and try again', {
      fields: { field: 'code' },
    });
  }
  return { type: 'TOTP', name: answer.name ?? 'authenticator app', secret, step: checked.step };
}

async function checkNewKey(
  parts: IdentityDeps,
  token: UserToken,
  { key, name, requestOrigin }: DeviceAnswer & { key: CreationResponse },
): Promise<CheckedDevice> {
  if (!takesKeys(parts.settings.secondFactor)) throw notTaken('a hardware key');
  const pending = await takePendingKey(parts.db, token, parts.now());
  if (!pending) throw new AppError('bad_request', 'the prompt for the key has expired: try again');
  const credential = await finishRegistration({
    response: key,
    usage: pending.usage,
    challenge: pending.challenge,
    rpId: parts.settings.rpId,
    origins: originsFor(parts, requestOrigin),
  });
  const usual = pending.usage === 'passwordless' ? 'passkey' : 'hardware key';
  return { type: 'WebAuthn', name: name ?? usual, credential, usage: pending.usage };
}

export async function storeNewDevice(
  tx: Tx,
  parts: IdentityDeps,
  user: string,
  checked: CheckedDevice,
  /** Where from. */
  address: string,
): Promise<Device> {
  // Of many at once, each must count those before it.
  await holdLock(tx, `devices of ${user}`, 'alone');
  const held = await listDevices(tx, user);
  if (held.length >= MAX_DEVICES) throw new AppError('conflict', `you have ${MAX_DEVICES} devices: remove one first`);
  if (held.some(({ name }) => name === checked.name)) {
    throw new AppError('conflict', `you have a device named '${checked.name}' already: choose another name`, {
      fields: { field: 'deviceName' },
    });
  }
  const facts = { user, name: checked.name, added: parts.now(), address };
  try {
    return checked.type === 'TOTP'
      ? await insertTotp(tx, { ...facts, secret: checked.secret, lastStep: checked.step }, parts.secrets)
      : await insertKey(tx, { ...facts, credential: checked.credential, usage: checked.usage });
  } catch (error) {
    if (isUniqueViolation(error)) throw new AppError('conflict', 'this key is registered already', { cause: error });
    throw error;
  }
}

export function notTaken(what: string): AppError {
  return new AppError('denied', `this gateway does not take ${what}`);
}
