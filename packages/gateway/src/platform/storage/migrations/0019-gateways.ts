/** Gateways by the database's own clock, so that nobody compares the clocks of two machines; and open sessions by who holds them. */
import { sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const gateways: Migration = {
  number: 19,
  name: 'gateways',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .createTable('gateway')
      .addColumn('id', text, (column) => column.primaryKey())
      .addColumn('started', integer, (column) => column.notNull())
      .addColumn('seen', integer, (column) => column.notNull())
      .execute();
    const open = (name: string, columns: ('cluster' | 'agent' | 'gateway')[]) =>
      db.schema.createIndex(name).on('session').columns(columns).where(sql.ref('ended'), 'is', null).execute();
    await open('session_open_agent', ['cluster', 'agent']);
    await open('session_open_gateway', ['gateway']);
  },
};
