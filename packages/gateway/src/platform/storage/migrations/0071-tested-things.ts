/** A connection that was tried says to what, so that whoever tries again sees what came of it before. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const testedThings: Migration = {
  number: 71,
  name: 'tested-things',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    await db.schema.alterTable('connection_diagnostic').addColumn('kind', text).execute();
    await db.schema.alterTable('connection_diagnostic').addColumn('resource', text).execute();
    await db.schema
      .createIndex('connection_diagnostic_user')
      .on('connection_diagnostic')
      .columns(['user', 'kind', 'resource'])
      .execute();
  },
};
