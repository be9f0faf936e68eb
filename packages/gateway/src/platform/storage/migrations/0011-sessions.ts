/** Sessions: those that are open, so that they are found again after a restart, and how those that are over ended. */
import { sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const sessions: Migration = {
  number: 11,
  name: 'sessions',
  async up(db, engine) {
    const { text, json, integer } = columnTypes(engine);
    await db.schema
      .createTable('session')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('kind', text, (column) => column.notNull())
      .addColumn('resource_id', text, (column) => column.notNull())
      .addColumn('action', json, (column) => column.notNull())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('sign_in', text, (column) => column.notNull())
      .addColumn('address', text, (column) => column.notNull())
      .addColumn('request', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('cols', integer, (column) => column.notNull())
      .addColumn('rows', integer, (column) => column.notNull())
      .addColumn('agent', text, (column) => column.notNull())
      .addColumn('gateway', text, (column) => column.notNull())
      .addColumn('seen', integer, (column) => column.notNull())
      .addColumn('participants', json, (column) => column.notNull())
      .addColumn('mfa', integer, (column) => column.notNull())
      .addColumn('recorded', integer, (column) => column.notNull())
      .addColumn('ended', integer)
      .addColumn('end_cause', text)
      .addColumn('end_message', text)
      .addUniqueConstraint('session_request', ['user', 'request'])
      .execute();
    // Open ones are few among all there ever were.
    await db.schema
      .createIndex('session_open')
      .on('session')
      .columns(['cluster', 'created'])
      .where(sql.ref('ended'), 'is', null)
      .execute();
  },
};
