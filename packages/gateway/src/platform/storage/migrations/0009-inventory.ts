/** What lists are sorted by beside names, and until when each agent's announcement counts. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const inventory: Migration = {
  number: 9,
  name: 'inventory',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    for (const key of ['second_key', 'third_key']) {
      await db.schema
        .alterTable('resource')
        .addColumn(key, text, (column) => column.notNull().defaultTo(''))
        .execute();
    }
    await db.schema
      .createIndex('resource_by_second_key')
      .on('resource')
      .columns(['cluster', 'kind', 'second_key', 'id', 'label_set'])
      .execute();
    // Every list asks for the sets that came since the last one, and there can be many.
    await db.schema.createIndex('label_set_by_kind').on('label_set').columns(['kind', 'id']).execute();
    // Heartbeats change this narrow table alone: the wide one has indexes that each of them would have to touch.
    await db.schema
      .createTable('announcement')
      .addColumn('owner', text, (column) => column.primaryKey())
      .addColumn('holder', text, (column) => column.notNull())
      .addColumn('digest', text, (column) => column.notNull())
      .addColumn('expires', integer, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('announcement_expires').on('announcement').column('expires').execute();
  },
};
