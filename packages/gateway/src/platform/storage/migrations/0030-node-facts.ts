/** What lists say of servers beside what was entered: whether one answered when it was last tried, and who used it last. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const nodeFacts: Migration = {
  number: 30,
  name: 'node-facts',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('node_state')
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('checked', integer, (column) => column.notNull())
      .addColumn('why', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('node_state_key', ['cluster', 'id'])
      .execute();
    // The last session on a server, and somebody's own, without reading all there ever were.
    await db.schema
      .createIndex('session_resource')
      .on('session')
      .columns(['cluster', 'resource_id', 'created'])
      .execute();
    await db.schema
      .createIndex('session_resource_user')
      .on('session')
      .columns(['cluster', 'resource_id', 'user', 'created'])
      .execute();
  },
};
