/** Roles, and the inventory of resources with the combinations of labels that decisions are made on. */
import type { Kysely } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';
import type { Engine } from '../tables.ts';

export const access: Migration = {
  number: 4,
  name: 'access',
  async up(db, engine) {
    await createRoles(db, engine);
    await createLabelSets(db, engine);
    await createResources(db, engine);
  },
};

async function createRoles(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, integer } = columnTypes(engine);
  await db.schema
    .createTable('role')
    .addColumn('name', text, (column) => column.primaryKey())
    .addColumn('shape', text, (column) => column.notNull().unique())
    .addColumn('content', text, (column) => column.notNull())
    .addColumn('revision', text, (column) => column.notNull())
    .addColumn('created', integer, (column) => column.notNull())
    .addColumn('updated', integer, (column) => column.notNull())
    .addColumn('updated_by', text, (column) => column.notNull())
    .execute();
}

async function createLabelSets(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, json, integer } = columnTypes(engine);
  await db.schema
    .createTable('label_key')
    .addColumn('key', text, (column) => column.primaryKey())
    .execute();
  await db.schema
    .createTable('label_set')
    .addColumn('id', integer, (column) =>
      engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey().generatedByDefaultAsIdentity(),
    )
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('hash', text, (column) => column.notNull())
    .addColumn('labels', json, (column) => column.notNull())
    .addUniqueConstraint('label_set_hash', ['kind', 'hash'])
    .execute();
}

async function createResources(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, json, integer } = columnTypes(engine);
  await db.schema
    .createTable('resource')
    .addColumn('seq', integer, (column) =>
      engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey().generatedByDefaultAsIdentity(),
    )
    .addColumn('cluster', text, (column) => column.notNull())
    .addColumn('kind', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('labels', json, (column) => column.notNull())
    .addColumn('label_set', integer, (column) => column.notNull().references('label_set.id'))
    .addColumn('spec', json, (column) => column.notNull())
    .addColumn('owner', text, (column) => column.notNull())
    .addColumn('expires', integer)
    .addColumn('search', text, (column) => column.notNull())
    .addColumn('updated', integer, (column) => column.notNull())
    .addUniqueConstraint('resource_id', ['cluster', 'kind', 'id'])
    .execute();
  // Both carry the label set, so that a restricted list reads an index as an unrestricted one does.
  const index = (name: string, columns: string[]) =>
    db.schema.createIndex(name).on('resource').columns(columns).execute();
  await index('resource_by_name', ['cluster', 'kind', 'name', 'id', 'label_set']);
  await index('resource_by_set', ['cluster', 'kind', 'label_set', 'name', 'id']);
  await index('resource_owner', ['owner']);
  await index('resource_expires', ['expires']);

  await db.schema
    .createTable('resource_label')
    .addColumn('resource', integer, (column) => column.notNull().references('resource.seq').onDelete('cascade'))
    .addColumn('key', text, (column) => column.notNull())
    .addColumn('value', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('resource_label_key', ['resource', 'key'])
    .execute();
  await db.schema
    .createIndex('resource_label_value')
    .on('resource_label')
    .columns(['key', 'value', 'resource'])
    .execute();
}
