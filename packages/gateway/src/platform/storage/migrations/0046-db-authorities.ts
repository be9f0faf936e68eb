/** The authorities of databases: for servers, for our sign-ins, and for people at native doors. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const dbAuthorities: Migration = {
  number: 46,
  name: 'db-authorities',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('db_authority')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('purpose', text, (column) => column.notNull())
      .addColumn('certificate', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('signs', integer, (column) => column.notNull())
      .addColumn('leaves', integer)
      .execute();
  },
};
