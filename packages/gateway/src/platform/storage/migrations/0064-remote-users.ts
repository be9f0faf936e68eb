/** People of other clusters who were here. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const remoteUsers: Migration = {
  number: 64,
  name: 'remote-users',
  async up(db, engine) {
    const { text, json, integer } = columnTypes(engine);
    await db.schema
      .createTable('remote_user')
      .addColumn('trust', text, (column) => column.notNull().references('trusted_cluster.name').onDelete('cascade'))
      .addColumn('name', text, (column) => column.notNull())
      .addColumn('remote_roles', json, (column) => column.notNull())
      .addColumn('roles', json, (column) => column.notNull())
      .addColumn('traits', json, (column) => column.notNull())
      .addColumn('auth_type', text, (column) => column.notNull())
      .addColumn('seen', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('remote_user_key', ['trust', 'name'])
      .execute();
  },
};
