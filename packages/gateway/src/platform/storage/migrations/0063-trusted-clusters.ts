/** Roots that are trusted here, leaves that joined, and the tokens they join with. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const trustedClusters: Migration = {
  number: 63,
  name: 'trusted-clusters',
  async up(db, engine) {
    const { text, json, integer } = columnTypes(engine);
    await db.schema
      .createTable('trusted_cluster')
      .addColumn('name', text, (column) => column.primaryKey())
      .addColumn('content', text, (column) => column.notNull())
      .addColumn('revision', text, (column) => column.notNull())
      .addColumn('enabled', integer, (column) => column.notNull())
      .addColumn('address', text, (column) => column.notNull())
      .addColumn('root_id', text, (column) => column.notNull().unique())
      .addColumn('root_name', text, (column) => column.notNull())
      .addColumn('root_key', text, (column) => column.notNull())
      .addColumn('root_next', text)
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('created_by', text, (column) => column.notNull())
      .addColumn('ended', text)
      .execute();
    await db.schema
      .createTable('remote_cluster')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('name', text, (column) => column.notNull().unique())
      .addColumn('key', text, (column) => column.notNull())
      .addColumn('next', text)
      .addColumn('labels', json, (column) => column.notNull())
      .addColumn('version', text, (column) => column.notNull())
      .addColumn('wants', json, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('created_by', text, (column) => column.notNull())
      .addColumn('last_seen', integer)
      .execute();
    await db.schema
      .createTable('cluster_join_token')
      .addColumn('hash', text, (column) => column.primaryKey())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('created_by', text, (column) => column.notNull())
      .addColumn('expires', integer, (column) => column.notNull())
      .addColumn('used_at', integer)
      .execute();
  },
};
