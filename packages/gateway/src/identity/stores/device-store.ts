/** Second-factor devices in the store. */
import { randomUUID } from 'node:crypto';
import type { MfaDevice } from '@gatehouse/contract/identity/mfa';
import type { Factor } from '@gatehouse/contract/identity/users/users';
import type { DeviceUsage } from '@gatehouse/contract/identity/webauthn';
import { ZERO_TIME } from '@gatehouse/contract/std/dates';
import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { SealedContext, SecretBox } from '../../platform/secrets/secret-box.ts';
import { readJson, writeJson } from '../../platform/storage/json.ts';
import type { Db, Tables, Tx } from '../../platform/storage/tables.ts';
import type { Credential } from '../credentials/webauthn.ts';

interface DeviceBase {
  id: string;
  user: string;
  name: string;
  added: number;
  /** Where it was added from; undefined where nobody knows. */
  address: string | undefined;
  lastUsed: number | undefined;
}
export interface TotpDevice extends DeviceBase {
  type: 'TOTP';
  sealedSecret: string;
  lastStep: number | undefined;
}
export interface KeyDevice extends DeviceBase {
  type: 'WebAuthn';
  usage: DeviceUsage;
  credential: Credential;
}
export type Device = TotpDevice | KeyDevice;

const transports = z.array(z.string());

export async function listDevices(db: Db, user: string): Promise<Device[]> {
  const rows = await db.selectFrom('mfa_device').selectAll().where('user', '=', user).orderBy('added').execute();
  return rows.map(toDevice);
}

/** The kinds of devices each user has, for a list of them all. */
export async function factorsByUser(db: Db): Promise<ReadonlyMap<string, Factor[]>> {
  const rows = await db
    .selectFrom('mfa_device')
    .select(['user', 'type', 'usage'])
    .distinct()
    .orderBy('type')
    .orderBy('usage')
    .execute();
  const factors = new Map<string, Factor[]>();
  for (const { user, type, usage } of rows) {
    const factor = type === 'TOTP' ? 'app' : usage === 'passwordless' ? 'passkey' : 'key';
    factors.set(user, [...(factors.get(user) ?? []), factor]);
  }
  return factors;
}

export async function findKey(db: Db, credentialId: string): Promise<KeyDevice | undefined> {
  const row = await db
    .selectFrom('mfa_device')
    .selectAll()
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
  const device = row && toDevice(row);
  return device?.type === 'WebAuthn' ? device : undefined;
}

type NewDevice = { user: string; name: string; added: number; address: string };

export async function insertTotp(
  tx: Tx,
  device: NewDevice & { secret: string; lastStep: number },
  secrets: SecretBox,
): Promise<Device> {
  const id = randomUUID();
  const row = {
    ...emptyRow(id, device),
    type: 'TOTP',
    usage: 'mfa',
    sealed_secret: secrets.seal(totpPlace(id), device.secret),
    // The code that enrolled it must not sign in with it.
    last_step: device.lastStep,
  };
  await tx.insertInto('mfa_device').values(row).execute();
  return toDevice(row);
}

export async function insertKey(
  tx: Tx,
  device: NewDevice & { credential: Credential; usage: DeviceUsage },
): Promise<Device> {
  const { credential, usage } = device;
  const row = {
    ...emptyRow(randomUUID(), device),
    type: 'WebAuthn',
    usage,
    credential_id: credential.credentialId,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: writeJson(credential.transports),
  };
  await tx.insertInto('mfa_device').values(row).execute();
  return toDevice(row);
}

export async function deleteDevice(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('mfa_device').where('id', '=', id).execute();
}

/** False when this or a later code was used already: two calls with one code must not both pass. */
export async function spendTotpStep(tx: Tx, id: string, step: number, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('mfa_device')
    .set({ last_step: step, last_used: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('last_step', 'is', null), eb('last_step', '<', step)]))
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

/** False for one that was removed meanwhile. */
export async function markKeyUsed(tx: Tx, id: string, counter: number, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('mfa_device')
    .set({ counter, last_used: now })
    .where('id', '=', id)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

export function totpSecret(device: TotpDevice, secrets: SecretBox): string {
  return secrets.openText(totpPlace(device.id), device.sealedSecret);
}

/** The device as the account page shows it. */
export function toItem(device: Device): MfaDevice {
  return {
    id: device.id,
    name: device.name,
    type: device.type,
    lastUsed: device.lastUsed === undefined ? ZERO_TIME : new Date(device.lastUsed).toISOString(),
    addedAt: new Date(device.added).toISOString(),
    passwordless: device.type === 'WebAuthn' && device.usage === 'passwordless',
  };
}

/** The device as audit events name it. */
export function deviceFields(device: Device) {
  return { mfa_device_name: device.name, mfa_device_uuid: device.id, mfa_device_type: device.type };
}

function totpPlace(id: string): SealedContext {
  return { table: 'mfa_device', id, column: 'sealed_secret' };
}

function emptyRow(id: string, { user, name, added, address }: NewDevice) {
  return {
    id,
    user,
    name,
    added,
    address: address || null,
    last_used: null,
    sealed_secret: null,
    last_step: null,
    credential_id: null,
    public_key: null,
    counter: null,
    transports: null,
  };
}

function toDevice(row: Selectable<Tables['mfa_device']>): Device {
  const { id, user, name, added } = row;
  const base = { id, user, name, added, address: row.address ?? undefined, lastUsed: row.last_used ?? undefined };
  if (row.type === 'TOTP') {
    return { ...base, type: 'TOTP', sealedSecret: row.sealed_secret ?? '', lastStep: row.last_step ?? undefined };
  }
  return {
    ...base,
    type: 'WebAuthn',
    usage: row.usage === 'passwordless' ? 'passwordless' : 'mfa',
    credential: {
      credentialId: row.credential_id ?? '',
      publicKey: Uint8Array.from(Buffer.from(row.public_key ?? '', 'base64url')),
      counter: row.counter ?? 0,
      transports: transports.parse(readJson(row.transports ?? '[]')),
    },
  };
}
