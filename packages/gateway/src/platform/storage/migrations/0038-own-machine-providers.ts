/** Whether the provider of a connector may be on the machine the gateway runs on. Of those saved before nobody knows who let it: they are saved again. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const ownMachineProviders: Migration = {
  number: 38,
  name: 'own-machine-providers',
  async up(db, engine) {
    const { integer } = columnTypes(engine);
    await db.schema
      .alterTable('connector')
      .addColumn('own_machine', integer, (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
