/** With which narrowed token a link was made: it gives no more than that token could. Links that exist were made without one, as far as anybody knows. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const narrowedLinks: Migration = {
  number: 32,
  name: 'narrowed-links',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    await db.schema.alterTable('user_token').addColumn('made_with', text).execute();
  },
};
