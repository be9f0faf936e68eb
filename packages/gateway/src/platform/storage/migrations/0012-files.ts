/** Files of servers in use, and the downloads that browsers may start by themselves. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const files: Migration = {
  number: 12,
  name: 'files',
  async up(db, engine) {
    const { text, json, integer } = columnTypes(engine);
    await db.schema
      .createTable('file_session')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('resource_id', text, (column) => column.notNull())
      .addColumn('login', text, (column) => column.notNull())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('sign_in', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('mfa', integer, (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('file_ticket')
      .addColumn('hash', text, (column) => column.primaryKey())
      .addColumn('file_session', text, (column) => column.notNull())
      .addColumn('wanted', json, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('started', integer)
      .execute();
  },
};
