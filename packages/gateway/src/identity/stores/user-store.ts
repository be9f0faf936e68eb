/** Users in the store. */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { readJson, writeJson } from '../../platform/storage/json.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { forgetFormerOf, rememberIdentitiesOf } from './former-identity-store.ts';

export type Traits = Readonly<Record<string, readonly string[]>>;

export interface User {
  name: string;
  passwordHash: string | undefined;
  /** The sign-in that it was chosen in. */
  passwordSetIn: string | undefined;
  roles: readonly string[];
  traits: Traits;
  /** Random bytes that keys know the user by. */
  webauthnHandle: Buffer;
  /** Where the user comes from: `local`, or the kind of the connector. */
  authType: string;
  created: number;
  createdBy: string;
  /** The connector whose mapping gave the roles and traits; undefined where somebody here did. */
  givenBy: string | undefined;
  /** Undefined: never. */
  lastSignIn: number | undefined;
  /** Grows with each change of roles and traits. */
  version: number;
}

/** WebAuthn allows 64; half of it is beyond guessing and beyond collisions. */
const HANDLE_BYTES = 32;

const storedRoles = z.array(z.string());
const storedTraits = z.record(z.string(), z.array(z.string()));

export async function findUser(db: Db, name: string): Promise<User | undefined> {
  const row = await selectUsers(db).where('user.name', '=', name).executeTakeFirst();
  return row && toUser(row);
}

/** Statements have a limit of values. */
const CHUNK = 1_000;

/** Those of the names that there are. */
export async function findUsers(db: Db, names: readonly string[]): Promise<User[]> {
  const chunks = Array.from({ length: Math.ceil(names.length / CHUNK) }, (_, at) =>
    names.slice(at * CHUNK, (at + 1) * CHUNK),
  );
  const rows = await Promise.all(chunks.map((chunk) => selectUsers(db).where('user.name', 'in', chunk).execute()));
  return rows.flat().map(toUser);
}

/** Those who hold what the mapping of a connector gave them last. */
export async function listUsersGivenBy(db: Db, connector: string): Promise<User[]> {
  const rows = await selectUsers(db).where('user.given_by', '=', connector).orderBy('user.name').execute();
  return rows.map(toUser);
}

export async function listUsers(db: Db): Promise<User[]> {
  const rows = await selectUsers(db).orderBy('user.name').execute();
  return rows.map(toUser);
}

/** Of thousands, in a tenth of the time that all of them take. */
export async function listUserNames(db: Db): Promise<string[]> {
  return (await db.selectFrom('user').select('name').orderBy('name').execute()).map(({ name }) => name);
}

export async function hasUsers(db: Db): Promise<boolean> {
  return (await db.selectFrom('user').select('name').limit(1).executeTakeFirst()) !== undefined;
}

/** Whether anybody at all could sign in. */
export async function hasCredentials(db: Db): Promise<boolean> {
  const withPassword = await db
    .selectFrom('user')
    .select('name')
    .where('password_hash', 'is not', null)
    .limit(1)
    .execute();
  const withDevice = await db.selectFrom('mfa_device').select('id').limit(1).execute();
  return withPassword.length + withDevice.length > 0;
}

export async function insertUser(
  tx: Tx,
  user: Pick<User, 'name' | 'roles' | 'traits' | 'created' | 'createdBy'> & { givenBy?: string | undefined },
): Promise<void> {
  await forgetFormerOf(tx, user.name);
  await tx
    .insertInto('user')
    .values({
      name: user.name,
      password_hash: null,
      password_set_in: null,
      roles: writeJson(user.roles),
      traits: writeJson(user.traits),
      webauthn_handle: randomBytes(HANDLE_BYTES).toString('base64url'),
      created: user.created,
      created_by: user.createdBy,
      last_sign_in: null,
      given_by: user.givenBy ?? null,
      // In milliseconds, which pass faster than roles change: greater than that of whoever was called so before.
      version: user.created,
    })
    .execute();
}

export async function updateUser(
  tx: Tx,
  name: string,
  { roles, traits, givenBy }: Pick<User, 'roles' | 'traits'> & { givenBy?: string | undefined },
): Promise<void> {
  await tx
    .updateTable('user')
    .set(({ eb }) => ({
      ...{ roles: writeJson(roles), traits: writeJson(traits), given_by: givenBy ?? null },
      version: eb('version', '+', 1),
    }))
    .where('name', '=', name)
    .execute();
}

/** What a connector gave stays theirs by the word of whoever decided so. */
export async function disownRoles(tx: Tx, name: string, givenBy: string): Promise<void> {
  await tx
    .updateTable('user')
    .set({ given_by: null })
    .where('name', '=', name)
    .where('given_by', '=', givenBy)
    .execute();
}

/** Devices, links and codes go with the user; sign-ins must be ended before. Who they were to providers is remembered. */
export async function deleteUser(tx: Tx, name: string, now: number): Promise<void> {
  await rememberIdentitiesOf(tx, name, now);
  await tx.deleteFrom('lock_out').where('name', '=', name).execute();
  await tx.deleteFrom('user').where('name', '=', name).execute();
}

export async function setPasswordHash(tx: Tx, name: string, hash: string | null): Promise<void> {
  await tx.updateTable('user').set({ password_hash: hash, password_set_in: null }).where('name', '=', name).execute();
}

/** Whoever has this sign-in has just chosen the password: nobody gave it to them. */
export async function notePasswordSetIn(tx: Tx, name: string, signInId: string): Promise<void> {
  await tx.updateTable('user').set({ password_set_in: signInId }).where('name', '=', name).execute();
}

/** Only while the stored one is still the one that was checked: a password changed meanwhile must not be undone. False where it is not. */
export async function replacePasswordHash(tx: Tx, name: string, from: string, to: string): Promise<boolean> {
  const result = await tx
    .updateTable('user')
    .set({ password_hash: to })
    .where('name', '=', name)
    .where('password_hash', '=', from)
    .executeTakeFirst();
  return Number(result.numUpdatedRows) === 1;
}

function selectUsers(db: Db) {
  return db
    .selectFrom('user')
    .selectAll('user')
    .select((eb) =>
      eb
        .selectFrom('user_identity')
        .select('connector_kind')
        .whereRef('user_identity.user', '=', 'user.name')
        .orderBy('user_identity.created')
        .limit(1)
        .as('connector_kind'),
    );
}

type Row = Awaited<ReturnType<ReturnType<typeof selectUsers>['executeTakeFirstOrThrow']>>;

function toUser(row: Row): User {
  return {
    name: row.name,
    passwordHash: row.password_hash ?? undefined,
    passwordSetIn: row.password_set_in ?? undefined,
    roles: storedRoles.parse(readJson(row.roles)),
    traits: storedTraits.parse(readJson(row.traits)),
    webauthnHandle: Buffer.from(row.webauthn_handle, 'base64url'),
    authType: row.connector_kind ?? 'local',
    created: row.created,
    createdBy: row.created_by,
    givenBy: row.given_by ?? undefined,
    lastSignIn: row.last_sign_in ?? undefined,
    version: row.version,
  };
}
