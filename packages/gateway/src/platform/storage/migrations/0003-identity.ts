/** Users, their devices, links and codes, and what is signed in as them. */
import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';
import type { Engine } from '../tables.ts';

export const identity: Migration = {
  number: 3,
  name: 'identity',
  async up(db, engine) {
    await createUsers(db, engine);
    await createCredentials(db, engine);
    await createSignIns(db, engine);
    await createPending(db, engine);
  },
};

async function createUsers(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, json, integer } = columnTypes(engine);
  await db.schema
    .createTable('user')
    .addColumn('name', text, (column) => column.primaryKey())
    .addColumn('password_hash', text)
    .addColumn('roles', json, (column) => column.notNull())
    .addColumn('traits', json, (column) => column.notNull())
    .addColumn('webauthn_handle', text, (column) => column.notNull().unique())
    .addColumn('created', integer, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('user_identity')
    .addColumn('user', text, (column) => column.notNull().references('user.name').onDelete('cascade'))
    .addColumn('connector_kind', text, (column) => column.notNull())
    .addColumn('connector', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('data', json, (column) => column.notNull())
    .addColumn('created', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('user_identity_key', ['connector_kind', 'connector', 'subject'])
    .execute();
  await db.schema.createIndex('user_identity_user').on('user_identity').column('user').execute();
}

async function createCredentials(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, json, integer } = columnTypes(engine);
  await db.schema
    .createTable('mfa_device')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('user', text, (column) => column.notNull().references('user.name').onDelete('cascade'))
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('usage', text, (column) => column.notNull())
    .addColumn('sealed_secret', text)
    .addColumn('last_step', integer)
    .addColumn('credential_id', text, (column) => column.unique())
    .addColumn('public_key', text)
    .addColumn('counter', integer)
    .addColumn('transports', json)
    .addColumn('added', integer, (column) => column.notNull())
    .addColumn('last_used', integer)
    .addUniqueConstraint('mfa_device_name', ['user', 'name'])
    .execute();
  await db.schema
    .createTable('recovery_code')
    .addColumn('user', text, (column) => column.notNull().references('user.name').onDelete('cascade'))
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('created', integer, (column) => column.notNull())
    .addColumn('used_at', integer)
    .addPrimaryKeyConstraint('recovery_code_key', ['user', 'hash'])
    .execute();
  await db.schema
    .createTable('user_token')
    .addColumn('hash', text, (column) => column.primaryKey())
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('user', text, (column) => column.notNull().references('user.name').onDelete('cascade'))
    .addColumn('created', integer, (column) => column.notNull())
    .addColumn('created_by', text, (column) => column.notNull())
    .addColumn('expires', integer, (column) => column.notNull())
    .addColumn('used_at', integer)
    .addColumn('sealed_totp', text)
    .addColumn('challenge', text)
    .addColumn('challenge_usage', text)
    .addColumn('challenge_expires', integer)
    .execute();
  await db.schema.createIndex('user_token_user').on('user_token').columns(['user', 'type']).execute();
  await db.schema.createIndex('user_token_expires').on('user_token').column('expires').execute();
}

async function createSignIns(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, json, integer } = columnTypes(engine);
  await db.schema
    .createTable('sign_in')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('user', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('scope', json)
    .addColumn('created', integer, (column) => column.notNull())
    .addColumn('expires', integer, (column) => column.notNull())
    .addColumn('last_active', integer, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('user_agent', text, (column) => column.notNull())
    .addColumn('password_at', integer)
    .addColumn('mfa_at', integer)
    .addColumn('ended', integer)
    .addColumn('ended_reason', text)
    .execute();
  await db.schema.createIndex('sign_in_user').on('sign_in').columns(['user', 'expires']).execute();
  await db.schema.createIndex('sign_in_expires').on('sign_in').column('expires').execute();
  await db.schema
    .createTable('sign_in_secret')
    .addColumn('hash', text, (column) => column.primaryKey())
    .addColumn('sign_in', text, (column) => column.notNull().references('sign_in.id').onDelete('cascade'))
    .addColumn('type', text, (column) => column.notNull())
    .addColumn('expires', integer, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('sign_in_secret_sign_in').on('sign_in_secret').column('sign_in').execute();
  await db.schema.createIndex('sign_in_secret_expires').on('sign_in_secret').column('expires').execute();
}

async function createPending(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, integer } = columnTypes(engine);
  await db.schema
    .createTable('sign_in_failure')
    .addColumn('id', integer, (column) =>
      engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey().generatedByDefaultAsIdentity(),
    )
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('time', integer, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('sign_in_failure_name').on('sign_in_failure').columns(['name', 'time']).execute();
  await db.schema.createIndex('sign_in_failure_address').on('sign_in_failure').columns(['address', 'time']).execute();
  await db.schema
    .createTable('lock_out')
    .addColumn('name', text, (column) => column.primaryKey())
    .addColumn('since', integer, (column) => column.notNull())
    .addColumn('until', integer, (column) => column.notNull())
    .addColumn('failures', integer, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('webauthn_challenge')
    .addColumn('challenge', text, (column) => column.primaryKey())
    .addColumn('purpose', text, (column) => column.notNull())
    .addColumn('user', text)
    .addColumn('sign_in', text)
    .addColumn('expires', integer, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('webauthn_challenge_expires').on('webauthn_challenge').column('expires').execute();
  await db.schema
    .createTable('cli_login')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('secret_hash', text, (column) => column.notNull())
    .addColumn('code', text, (column) => column.notNull())
    .addColumn('client', text, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('created', integer, (column) => column.notNull())
    .addColumn('expires', integer, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('sign_in', text)
    .execute();
  await db.schema.createIndex('cli_login_expires').on('cli_login').column('expires').execute();
}
