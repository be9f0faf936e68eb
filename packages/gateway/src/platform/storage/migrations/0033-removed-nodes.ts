/** How servers that were removed were labelled: entered again they give no more than by other labels. Of those removed before nobody knows. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const removedNodes: Migration = {
  number: 33,
  name: 'removed-nodes',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('removed_node')
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('addr', text, (column) => column.notNull())
      .addColumn('through', text, (column) => column.notNull())
      .addColumn('host_keys', text, (column) => column.notNull())
      .addColumn('labels', text, (column) => column.notNull())
      .addColumn('removed', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('removed_node_key', ['cluster', 'id'])
      .execute();
    await db.schema.createIndex('removed_node_addr').on('removed_node').columns(['cluster', 'addr']).execute();
  },
};
