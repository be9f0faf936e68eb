/** Which connector gave users their roles, and whom providers have just signed out: what a provider gave goes when it lets go. */
import { type Kysely, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';
import type { Engine } from '../tables.ts';

export const givenBy: Migration = {
  number: 35,
  name: 'given-by',
  async up(db, engine) {
    const { text } = columnTypes(engine);
    await db.schema.alterTable('user').addColumn('given_by', text).execute();
    // Made by a connector, or signed in through one: a link alone has given nobody anything.
    await sql`
      update "user" set given_by = (
        select i.connector from user_identity i
        where i."user" = "user".name and (
          i.connector = "user".created_by or exists (
            select 1 from sign_in s where s.connector = i.connector and s.subject = i.subject))
        order by i.confirmed desc limit 1)`.execute(db);
    await createLogouts(db, engine);
  },
};

async function createLogouts(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, integer } = columnTypes(engine);
  await db.schema
    .createTable('provider_logout')
    .addColumn('connector', text, (column) => column.notNull())
    .addColumn('subject', text, (column) => column.notNull())
    .addColumn('provider_session', text, (column) => column.notNull())
    .addColumn('heard', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('provider_logout_key', ['connector', 'subject', 'provider_session'])
    .execute();
}
