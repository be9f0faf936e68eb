/** Statements that people ran at the workbench of a database, and those they keep by a name: their own, and gone with them. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const ownStatements: Migration = {
  number: 48,
  name: 'own-statements',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('own_statement')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('user', text, (column) => column.notNull().references('user.name').onDelete('cascade'))
      .addColumn('database', text, (column) => column.notNull())
      .addColumn('name', text)
      .addColumn('sql', text, (column) => column.notNull())
      .addColumn('at', integer, (column) => column.notNull())
      .addColumn('told', text, (column) => column.notNull())
      .execute();
    await db.schema
      .createIndex('own_statement_of')
      .on('own_statement')
      .columns(['user', 'database', 'name', 'at'])
      .execute();
  },
};
