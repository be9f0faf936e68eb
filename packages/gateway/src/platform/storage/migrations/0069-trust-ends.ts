/** Names of trusts stay their root's, also after the trust is gone; when a root was last heard of, and when trust was ended from the other side. */
import { sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const trustEnds: Migration = {
  number: 69,
  name: 'trust-ends',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('trust_name')
      .addColumn('name', text, (column) => column.primaryKey())
      .addColumn('root_id', text, (column) => column.notNull())
      .addColumn('root_key', text, (column) => column.notNull())
      .addColumn('root_next', text)
      .execute();
    await sql`insert into trust_name (name, root_id, root_key, root_next)
      select name, root_id, root_key, root_next from trusted_cluster`.execute(db);
    await db.schema.alterTable('trusted_cluster').addColumn('ended_at', integer).execute();
    await db.schema.alterTable('trusted_cluster').addColumn('heard', integer).execute();
    await db.schema.alterTable('remote_cluster').addColumn('left_at', integer).execute();
    await db.schema.alterTable('remote_cluster').addColumn('left_why', text).execute();
  },
};
