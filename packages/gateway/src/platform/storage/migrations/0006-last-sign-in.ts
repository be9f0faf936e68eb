/** When each user last signed in: rows of sign-ins are swept away, and administrators ask much later. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const lastSignIn: Migration = {
  number: 6,
  name: 'last-sign-in',
  async up(db, engine) {
    const { integer } = columnTypes(engine);
    await db.schema.alterTable('user').addColumn('last_sign_in', integer).execute();
  },
};
