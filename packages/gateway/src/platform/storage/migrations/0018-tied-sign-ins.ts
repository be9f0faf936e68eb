/** The address each sign-in belongs to, for roles that pin it; those that exist belong to where they were made. */
import { sql } from 'kysely';
import { clientKey } from '../../std/client-key.ts';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const tiedSignIns: Migration = {
  number: 18,
  name: 'tied-sign-ins',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    for (const table of ['sign_in', 'user_token', 'webauthn_challenge'])
      await db.schema.alterTable(table).addColumn('tied_to', text).execute();
    const { rows } = await sql<{ address: string }>`
      select distinct address from sign_in where kind <> 'token' and ended is null and address <> ''
    `.execute(db);
    for (const { address } of rows)
      await sql`
        update sign_in set tied_to = ${clientKey(address)}
        where address = ${address} and kind <> 'token' and ended is null
      `.execute(db);
  },
};
