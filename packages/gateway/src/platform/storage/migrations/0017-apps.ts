/** Ways to what several agents offer, and what lets browsers into applications. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const apps: Migration = {
  number: 17,
  name: 'apps',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('resource_way')
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('kind', text, (column) => column.notNull())
      .addColumn('resource', text, (column) => column.notNull())
      .addColumn('owner', text, (column) => column.notNull())
      .addColumn('digest', text, (column) => column.notNull())
      .addPrimaryKeyConstraint('resource_way_key', ['cluster', 'kind', 'resource', 'owner'])
      .execute();
    await db.schema.createIndex('resource_way_owner').on('resource_way').column('owner').execute();
    await db.schema
      .createTable('app_session')
      .addColumn('hash', text, (column) => column.primaryKey())
      .addColumn('subject_hash', text, (column) => column.notNull())
      .addColumn('session', text, (column) => column.notNull())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('sign_in', text, (column) => column.notNull())
      .addColumn('expires', integer, (column) => column.notNull())
      .addColumn('user_agent', text, (column) => column.notNull())
      .addColumn('address', text, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('app_session_expires').on('app_session').column('expires').execute();
    await db.schema
      .createTable('app_launch')
      .addColumn('hash', text, (column) => column.primaryKey())
      .addColumn('state_hash', text, (column) => column.notNull())
      .addColumn('session', text, (column) => column.notNull())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('sign_in', text, (column) => column.notNull())
      .addColumn('host', text, (column) => column.notNull())
      .addColumn('path', text, (column) => column.notNull())
      .addColumn('expires', integer, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('app_launch_expires').on('app_launch').column('expires').execute();
  },
};
