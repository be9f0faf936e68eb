/** Calls that were refused, for administrators to look up. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const denials: Migration = {
  number: 7,
  name: 'denials',
  async up(db, engine) {
    const { text, json, integer } = columnTypes(engine);
    await db.schema
      .createTable('denial')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('time', integer, (column) => column.notNull())
      .addColumn('expires', integer, (column) => column.notNull())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('data', json, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('denial_time').on('denial').column('time').execute();
    await db.schema.createIndex('denial_expires').on('denial').column('expires').execute();
  },
};
