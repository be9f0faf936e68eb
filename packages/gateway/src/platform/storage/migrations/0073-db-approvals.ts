/** Statements that people asked to run in databases, and what became of it. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const dbApprovals: Migration = {
  number: 73,
  name: 'db-approvals',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('db_approval')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('database', text, (column) => column.notNull())
      .addColumn('target', text, (column) => column.notNull())
      .addColumn('protocol', text, (column) => column.notNull())
      .addColumn('db_user', text, (column) => column.notNull())
      .addColumn('db_name', text, (column) => column.notNull())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('reason', text, (column) => column.notNull())
      .addColumn('sql', text, (column) => column.notNull())
      .addColumn('sha256', text, (column) => column.notNull())
      .addColumn('statements', integer, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('expires', integer, (column) => column.notNull())
      .addColumn('decided_by', text, (column) => column.notNull())
      .addColumn('decided', integer)
      .addColumn('note', text, (column) => column.notNull())
      .addColumn('used', integer)
      .execute();
    await db.schema.createIndex('db_approval_state').on('db_approval').columns(['state', 'expires']).execute();
    await db.schema.createIndex('db_approval_user').on('db_approval').columns(['user', 'created']).execute();
    await db.schema.createIndex('db_approval_created').on('db_approval').columns(['created']).execute();
  },
};
