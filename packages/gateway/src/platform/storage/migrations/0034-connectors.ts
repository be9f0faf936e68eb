/** Sign-in providers, whoever is on the way through one, and what sign-ins and identities know of theirs. */
import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';
import type { Engine } from '../tables.ts';

export const connectors: Migration = {
  number: 34,
  name: 'connectors',
  async up(db, engine) {
    await createConnectors(db, engine);
    await createAttempts(db, engine);
    await widenIdentities(db, engine);
  },
};

async function createConnectors(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, json, integer } = columnTypes(engine);
  await db.schema
    .createTable('connector')
    .addColumn('name', text, (column) => column.primaryKey())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('revision', text, (column) => column.notNull())
    .addColumn('enabled', integer, (column) => column.notNull())
    .addColumn('issuer', text, (column) => column.notNull())
    .addColumn('sealed', text)
    .addColumn('facts', json, (column) => column.notNull())
    .addColumn('trouble', text, (column) => column.notNull().defaultTo(''))
    .addColumn('last_sign_in', integer)
    .addColumn('created', integer, (column) => column.notNull())
    .addColumn('updated', integer, (column) => column.notNull())
    .addColumn('updated_by', text, (column) => column.notNull())
    .execute();
}

async function createAttempts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, integer } = columnTypes(engine);
  await db.schema
    .createTable('sso_attempt')
    .addColumn('state_hash', text, (column) => column.primaryKey())
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('connector', text, (column) => column.notNull())
    .addColumn('revision', text, (column) => column.notNull())
    .addColumn('purpose', text, (column) => column.notNull())
    .addColumn('user', text)
    .addColumn('sign_in', text)
    .addColumn('browser_hash', text, (column) => column.notNull())
    .addColumn('sealed', text, (column) => column.notNull())
    .addColumn('created', integer, (column) => column.notNull())
    .addColumn('expires', integer, (column) => column.notNull())
    .addColumn('answered', integer)
    .addColumn('code_hash', text, (column) => column.unique())
    .addColumn('code_expires', integer)
    .addColumn('sealed_answer', text)
    .addColumn('finished', integer)
    .addColumn('sealed_result', text)
    .execute();
  await db.schema.createIndex('sso_attempt_expires').on('sso_attempt').column('expires').execute();
}

async function widenIdentities(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, integer } = columnTypes(engine);
  for (const column of ['connector', 'subject', 'provider_session'])
    await db.schema.alterTable('sign_in').addColumn(column, text).execute();
  await db.schema.createIndex('sign_in_identity').on('sign_in').columns(['connector', 'subject']).execute();
  const identities = () => db.schema.alterTable('user_identity');
  await identities()
    .addColumn('issuer', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await identities()
    .addColumn('confirmed', integer, (column) => column.notNull().defaultTo(0))
    .execute();
  await identities().addColumn('next_recheck', integer).execute();
  await identities()
    .addColumn('sealed_id', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await identities().addColumn('sealed_tokens', text).execute();
  await identities()
    .addColumn('trouble', text, (column) => column.notNull().defaultTo(''))
    .execute();
  await db.schema.createIndex('user_identity_recheck').on('user_identity').column('next_recheck').execute();
}
