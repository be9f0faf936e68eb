/** Where secrets of applications are kept: sealed, beside what everybody may read of them. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const sealedApps: Migration = {
  number: 23,
  name: 'sealed-apps',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    await db.schema.alterTable('resource').addColumn('sealed', text).execute();
  },
};
