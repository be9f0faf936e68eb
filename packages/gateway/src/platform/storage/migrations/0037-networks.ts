/** Where each of those on the way came from, by network: no network fills a table that all share. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

const CROWDED = ['sso_attempt', 'cli_login', 'webauthn_challenge'] as const;

export const networks: Migration = {
  number: 37,
  name: 'networks',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    for (const table of CROWDED) {
      // Those from before are gone within minutes.
      await db.schema
        .alterTable(table)
        .addColumn('network', text, (column) => column.notNull().defaultTo(''))
        .execute();
      await db.schema.createIndex(`${table}_network`).on(table).columns(['expires', 'network']).execute();
    }
  },
};
