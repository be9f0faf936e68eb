/** Locks on users, roles, logins, servers, desktops and agents. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const locks: Migration = {
  number: 5,
  name: 'locks',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('access_lock')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('target_kind', text, (column) => column.notNull())
      .addColumn('target', text, (column) => column.notNull())
      .addColumn('message', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('created_by', text, (column) => column.notNull())
      .addColumn('expires', integer)
      .execute();
    await db.schema.createIndex('access_lock_expires').on('access_lock').column('expires').execute();
  },
};
