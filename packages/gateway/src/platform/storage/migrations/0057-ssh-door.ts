/** Authorities of people and of the SSH door, and the certificates that people hold. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const sshDoor: Migration = {
  number: 57,
  name: 'ssh-door',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .alterTable('ssh_authority')
      .addColumn('purpose', text, (column) => column.notNull().defaultTo('target'))
      .execute();
    await db.schema
      .createTable('ssh_certificate')
      .addColumn('serial', text, (column) => column.primaryKey())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('sign_in', text, (column) => column.notNull())
      .addColumn('fingerprint', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('expires', integer, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('ssh_certificate_user').on('ssh_certificate').columns(['user', 'expires']).execute();
    await db.schema.createIndex('ssh_certificate_expires').on('ssh_certificate').column('expires').execute();
  },
};
