/** What is remembered of evidence apart from itself: public keys that signed it, and how far each recording was sealed. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const evidence: Migration = {
  number: 20,
  name: 'evidence',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('signing_key')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('sealed', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .execute();
    await db.schema
      .alterTable('recording')
      .addColumn('mark_end', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    for (const name of ['mark_hash', 'finding'])
      await db.schema
        .alterTable('recording')
        .addColumn(name, text, (column) => column.notNull().defaultTo(''))
        .execute();
  },
};
