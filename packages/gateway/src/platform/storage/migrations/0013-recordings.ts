/** What became of the recording of each session, as far as it is known. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const recordings: Migration = {
  number: 13,
  name: 'recordings',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('recording')
      .addColumn('sid', text, (column) => column.primaryKey())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('gap', text, (column) => column.notNull())
      .addColumn('reason', text, (column) => column.notNull())
      .addColumn('bytes', integer, (column) => column.notNull())
      .addColumn('duration_ms', integer, (column) => column.notNull())
      .addColumn('changed', integer, (column) => column.notNull())
      .addColumn('checked', integer, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('recording_state').on('recording').columns(['state', 'sid']).execute();
    await db.schema.createIndex('session_ended').on('session').columns(['cluster', 'ended']).execute();
  },
};
