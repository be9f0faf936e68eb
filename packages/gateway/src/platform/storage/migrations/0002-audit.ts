/** Audit events and the ends of their chains. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const audit: Migration = {
  number: 2,
  name: 'audit',
  async up(db, engine) {
    const { text, json, integer } = columnTypes(engine);

    await db.schema
      .createTable('event')
      .addColumn('id', integer, (column) =>
        engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey().generatedByDefaultAsIdentity(),
      )
      .addColumn('uid', text, (column) => column.notNull().unique())
      .addColumn('time', integer, (column) => column.notNull())
      .addColumn('event', text, (column) => column.notNull())
      .addColumn('code', text, (column) => column.notNull())
      .addColumn('severity', text, (column) => column.notNull())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('sign_in', text, (column) => column.notNull())
      .addColumn('session', text, (column) => column.notNull())
      .addColumn('resource_kind', text, (column) => column.notNull())
      .addColumn('resource_name', text, (column) => column.notNull())
      .addColumn('address', text, (column) => column.notNull())
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('data', json, (column) => column.notNull())
      .addColumn('chain', text, (column) => column.notNull())
      .addColumn('chain_index', integer, (column) => column.notNull())
      .addColumn('prev_hash', text, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull())
      .addUniqueConstraint('event_chain_place', ['chain', 'chain_index'])
      .execute();
    await db.schema.createIndex('event_time').on('event').columns(['time', 'id']).execute();
    await db.schema.createIndex('event_event').on('event').columns(['event', 'time', 'id']).execute();
    await db.schema.createIndex('event_user').on('event').columns(['user', 'time', 'id']).execute();
    await db.schema.createIndex('event_session').on('event').columns(['session', 'id']).execute();

    await db.schema
      .createTable('event_chain')
      .addColumn('chain', text, (column) => column.primaryKey())
      .addColumn('length', integer, (column) => column.notNull())
      .addColumn('hash', text, (column) => column.notNull())
      .execute();
  },
};
