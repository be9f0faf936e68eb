/** Database users that were made on the fly, until they are disabled again. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const madeDbUsers: Migration = {
  number: 72,
  name: 'made-db-users',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('made_db_user')
      .addColumn('cluster', text, (column) => column.notNull())
      .addColumn('id', text, (column) => column.notNull())
      .addColumn('db_user', text, (column) => column.notNull())
      .addColumn('target', text, (column) => column.notNull())
      .addColumn('mark', text, (column) => column.notNull())
      .addColumn('dropped', integer, (column) => column.notNull())
      .addColumn('since', integer, (column) => column.notNull())
      .addColumn('told', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('made_db_user_key', ['cluster', 'id', 'db_user'])
      .execute();
  },
};
