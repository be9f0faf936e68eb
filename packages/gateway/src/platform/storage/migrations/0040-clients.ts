/** Which client of its network each of those on the way came from: in a full network whoever has most gives way, not their neighbours. */
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

const CROWDED = ['sso_attempt', 'cli_login', 'webauthn_challenge'] as const;

export const clients: Migration = {
  number: 40,
  name: 'clients',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    // Those from before are gone within minutes.
    for (const table of CROWDED)
      await db.schema
        .alterTable(table)
        .addColumn('client_key', text, (column) => column.notNull().defaultTo(''))
        .execute();
  },
};
