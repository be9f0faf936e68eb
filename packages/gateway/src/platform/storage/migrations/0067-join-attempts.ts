/** What came of join tokens lately: scripts that were fetched, machines that joined and that were refused. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const joinAttempts: Migration = {
  number: 67,
  name: 'join-attempts',
  async up(db, engine) {
    const { text, json, integer } = columnTypes(engine);
    await db.schema
      .createTable('join_attempt')
      .addColumn('token', text, (column) => column.notNull())
      .addColumn('outcome', text, (column) => column.notNull())
      .addColumn('about', text, (column) => column.notNull())
      .addColumn('time', integer, (column) => column.notNull())
      .addColumn('expires', integer, (column) => column.notNull())
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('address', text, (column) => column.notNull())
      .addColumn('reason', text, (column) => column.notNull())
      .addColumn('next', text, (column) => column.notNull())
      .addColumn('offers', json)
      .addPrimaryKeyConstraint('join_attempt_key', ['token', 'outcome', 'about'])
      .execute();
    await db.schema.createIndex('join_attempt_about').on('join_attempt').column('about').execute();
    await db.schema.createIndex('join_attempt_expires').on('join_attempt').column('expires').execute();
  },
};
