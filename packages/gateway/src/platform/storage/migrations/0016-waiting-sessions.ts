/** Sessions that wait for people before anything is dialled: after a restart there is no shell of theirs to be found. */
import { sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const waitingSessions: Migration = {
  number: 16,
  name: 'waiting-sessions',
  async up(db, engine) {
    const { integer } = columnTypes(engine);
    await db.schema.alterTable('session').addColumn('begun', integer).execute();
    await db.schema
      .alterTable('session')
      .addColumn('frozen', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`update session set begun = created`.execute(db);
  },
};
