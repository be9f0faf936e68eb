/** Connections of SSH that ask a browser, and keys that a browser said yes to until it signs out. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const sshApprovals: Migration = {
  number: 61,
  name: 'ssh-approvals',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema.alterTable('cli_login').addColumn('ssh', text).execute();
    await db.schema
      .createTable('ssh_bound_key')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('fingerprint', text, (column) => column.notNull())
      .addColumn('address', text, (column) => column.notNull())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('sign_in', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('ssh_bound_key_fingerprint').on('ssh_bound_key').column('fingerprint').execute();
    await db.schema.createIndex('ssh_bound_key_user').on('ssh_bound_key').column('user').execute();
    await db.schema.createIndex('ssh_bound_key_sign_in').on('ssh_bound_key').column('sign_in').execute();
  },
};
