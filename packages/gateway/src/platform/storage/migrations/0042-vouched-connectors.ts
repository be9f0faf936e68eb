/** Whether what speaks for the provider of a connector was written by somebody who may edit roles. Of those saved before nobody knows: they are saved again. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const vouchedConnectors: Migration = {
  number: 42,
  name: 'vouched-connectors',
  async up(db, engine) {
    const { integer } = columnTypes(engine);
    await db.schema
      .alterTable('connector')
      .addColumn('vouched', integer, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
