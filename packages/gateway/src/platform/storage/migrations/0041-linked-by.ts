/** Whose word it is that somebody at a provider is a user. Of those from before nobody knows: they count as linked by the user. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const linkedBy: Migration = {
  number: 41,
  name: 'linked-by',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    await db.schema
      .alterTable('user_identity')
      .addColumn('linked_by', text, (column) => column.notNull().defaultTo('self'))
      .execute();
  },
};
