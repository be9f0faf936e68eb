/** When whoever began a sign-in proved who they are: providers may have known them for hours. And from where a device was added. Of those from before nobody knows. */
import { sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const whenAndWhere: Migration = {
  number: 53,
  name: 'when-and-where',
  async up(db, engine) {
    const { integer, text } = columnTypes(engine);
    await db.schema.alterTable('sign_in').addColumn('proven_at', integer).execute();
    await db.schema.alterTable('mfa_device').addColumn('address', text).execute();
    await sql`update sign_in set proven_at = created where kind = 'browser' and connector is null`.execute(db);
    // Written as the moment they came back, whenever it was that they used it.
    await sql`update sign_in set mfa_at = null where connector is not null and mfa_device is null`.execute(db);
  },
};
