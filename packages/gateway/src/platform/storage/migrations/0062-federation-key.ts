/** The keys by which other clusters know this one. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const federationKey: Migration = {
  number: 62,
  name: 'federation-key',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('federation_key')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('public_key', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('signs_from', integer, (column) => column.notNull())
      .execute();
  },
};
