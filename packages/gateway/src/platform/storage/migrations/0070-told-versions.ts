/** What somebody holds gets a number that grows with it, so that a leaf tells older words of its root from newer ones, by whichever gateway they come. */
import { sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const toldVersions: Migration = {
  number: 70,
  name: 'told-versions',
  async up(db, engine) {
    const { integer } = columnTypes(engine);
    await db.schema
      .alterTable('user')
      .addColumn('version', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await sql`update "user" set version = created`.execute(db);
    await db.schema.alterTable('remote_user').addColumn('told_version', integer).execute();
    await db.schema.alterTable('remote_user').addColumn('told_at', integer).execute();
  },
};
