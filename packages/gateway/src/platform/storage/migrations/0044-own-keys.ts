/** In which sign-in a password was chosen, and which device a sign-in has proven last. Of those from before nobody knows. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const ownKeys: Migration = {
  number: 44,
  name: 'own-keys',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    await db.schema.alterTable('user').addColumn('password_set_in', text).execute();
    await db.schema.alterTable('sign_in').addColumn('mfa_device', text).execute();
  },
};
