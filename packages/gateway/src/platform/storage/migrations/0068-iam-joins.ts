/** How machines join with a token: by its secret, as all that exist, or by who AWS says they are. Challenges of the second are used once. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const iamJoins: Migration = {
  number: 68,
  name: 'iam-joins',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .alterTable('join_token')
      .addColumn('method', text, (column) => column.notNull().defaultTo('token'))
      .execute();
    await db.schema
      .createTable('join_challenge_use')
      .addColumn('digest', text, (column) => column.primaryKey())
      .addColumn('expires', integer, (column) => column.notNull())
      .execute();
  },
};
