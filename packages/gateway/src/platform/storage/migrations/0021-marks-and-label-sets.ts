/** Which gateway's folder the remembered end of a recording is in, and an index by which unused label sets are found. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const marksAndLabelSets: Migration = {
  number: 21,
  name: 'marks-and-label-sets',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    await db.schema
      .alterTable('recording')
      .addColumn('mark_place', text, (column) => column.notNull().defaultTo(''))
      .execute();
    await db.schema.createIndex('resource_label_set').on('resource').columns(['label_set']).execute();
  },
};
