/** Who deleted users were to sign-in providers: the same subject returns under the same name, and nobody else gets what is kept of it. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const formerIdentities: Migration = {
  number: 36,
  name: 'former-identities',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('former_identity')
      .addColumn('connector', text, (column) => column.notNull())
      .addColumn('subject', text, (column) => column.notNull())
      .addColumn('issuer', text, (column) => column.notNull())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('deleted', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('former_identity_key', ['connector', 'subject'])
      .execute();
    await db.schema.createIndex('former_identity_user').on('former_identity').column('user').execute();
  },
};
