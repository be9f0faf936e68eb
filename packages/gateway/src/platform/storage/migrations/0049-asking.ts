/** Until when one gateway asks a provider about somebody: what it asks with may be used once alone. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const asking: Migration = {
  number: 49,
  name: 'asking',
  async up(db, engine) {
    const { integer } = columnTypes(engine);
    await db.schema.alterTable('user_identity').addColumn('asking_until', integer).execute();
  },
};
