/** Requests of machines without a browser, and whether a certificate for one session was used. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const headless: Migration = {
  number: 59,
  name: 'headless',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('headless_request')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('user', text, (column) => column.notNull())
      .addColumn('public_key', text, (column) => column.notNull())
      .addColumn('server', text, (column) => column.notNull())
      .addColumn('login', text, (column) => column.notNull())
      .addColumn('command', text, (column) => column.notNull())
      .addColumn('client', text, (column) => column.notNull())
      .addColumn('address', text, (column) => column.notNull())
      .addColumn('network', text, (column) => column.notNull())
      .addColumn('client_key', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('expires', integer, (column) => column.notNull())
      .addColumn('holder', text, (column) => column.notNull())
      .addColumn('state', text, (column) => column.notNull())
      .addColumn('sign_in', text)
      .execute();
    await db.schema.createIndex('headless_request_user').on('headless_request').columns(['user', 'expires']).execute();
    await db.schema.createIndex('headless_request_expires').on('headless_request').column('expires').execute();
    await db.schema.alterTable('ssh_certificate').addColumn('used', integer).execute();
  },
};
