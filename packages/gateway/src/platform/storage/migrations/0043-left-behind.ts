/** People of a deleted connector are remembered too: by its kind as well, and with whose word it was that they are them. Of those from before nobody knows the word. */
import { sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const leftBehind: Migration = {
  number: 43,
  name: 'left-behind',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    await db.schema
      .alterTable('former_identity')
      .addColumn('kind', text, (column) => column.notNull().defaultTo(''))
      .execute();
    await db.schema
      .alterTable('former_identity')
      .addColumn('linked_by', text, (column) => column.notNull().defaultTo('other'))
      .execute();
    // Until now the memory ended with its connector, so each has one.
    await sql`
      update former_identity set kind = coalesce(
        (select c.kind from connector c where c.name = former_identity.connector), '')`.execute(db);
  },
};
