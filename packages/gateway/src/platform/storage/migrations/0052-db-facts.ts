/** What was learned of databases when they were dialled and signed in to. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const dbFacts: Migration = {
  number: 52,
  name: 'db-facts',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('db_state')
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('target', text, (column) => column.notNull())
      .addColumn('reached', integer, (column) => column.notNull())
      .addColumn('version', text, (column) => column.notNull())
      .addColumn('capabilities', text, (column) => column.notNull())
      .addColumn('certificate_end', integer)
      .addPrimaryKeyConstraint('db_state_key', ['cluster', 'id'])
      .execute();
    // Those whose certificates end soon are asked for by every console.
    await db.schema
      .createIndex('db_state_certificate')
      .on('db_state')
      .columns(['cluster', 'certificate_end'])
      .execute();
  },
};
