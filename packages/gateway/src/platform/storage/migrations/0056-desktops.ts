/** Passwords of desktops, and certificates that were accepted of those that agents offer. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const desktops: Migration = {
  number: 56,
  name: 'desktops',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('desktop_secret')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('desktop', text, (column) => column.notNull())
      .addColumn('login', text, (column) => column.notNull())
      .addColumn('login_key', text, (column) => column.notNull())
      .addColumn('labels', text, (column) => column.notNull())
      .addColumn('agents', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('created_by', text, (column) => column.notNull())
      .addColumn('sealed', text, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('desktop_secret_of').on('desktop_secret').columns(['cluster', 'desktop']).execute();
    await db.schema
      .createTable('desktop_pin')
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('desktop', text, (column) => column.notNull())
      .addColumn('target', text, (column) => column.notNull())
      .addColumn('pin', text, (column) => column.notNull())
      .addColumn('proven_by', text, (column) => column.notNull())
      .addColumn('accepted', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('desktop_pin_of', ['cluster', 'desktop'])
      .execute();
  },
};
