/** What step 35 makes of users from before who came through a connector, or were only linked to one; run against each engine. */
import { type RawBuilder, sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Migration } from '../../src/platform/storage/migrate.ts';
import { givenBy } from '../../src/platform/storage/migrations/0035-given-by.ts';
import { MIGRATIONS } from '../../src/platform/storage/migrations.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import type { Db } from '../../src/platform/storage/tables.ts';

/** `newStore` gives what opens one store again and again, brought to the last of `migrations`. */
export function givenByMigrationContract(
  newStore: () => Promise<(migrations: readonly Migration[]) => Promise<Storage>>,
): void {
  test('who was made by a connector, or signed in through one, holds what it gave', async () => {
    const open = await newStore();
    const before = await open(MIGRATIONS.slice(0, MIGRATIONS.indexOf(givenBy)));
    await enterOldData(before.db);
    await before.close();

    const after = await open(MIGRATIONS);
    try {
      const users = await after.db.selectFrom('user').select(['name', 'given_by']).orderBy('name').execute();
      expect(Object.fromEntries(users.map(({ name, given_by }) => [name, given_by]))).toEqual({
        local: null,
        linked: null,
        made: 'okta',
        came: 'okta',
        // Whichever was confirmed last has given last.
        both: 'github',
        // Somebody else's sign-in gives them nothing.
        namesake: null,
      });
      expect(await after.db.selectFrom('provider_logout').selectAll().execute()).toEqual([]);
    } finally {
      await after.close();
    }
    // A second start changes nothing.
    await (await open(MIGRATIONS)).close();
  });
}

async function enterOldData(db: Db): Promise<void> {
  const run = (statement: RawBuilder<unknown>) => statement.execute(db);
  const user = (name: string, createdBy: string) =>
    run(sql`insert into "user" (name, password_hash, roles, traits, webauthn_handle, created, created_by)
      values (${name}, null, '[]', '{}', ${name}, 1, ${createdBy})`);
  const identity = (name: string, connector: string, subject: string, confirmed: number) =>
    run(sql`insert into user_identity ("user", connector_kind, connector, subject, data, created, confirmed)
      values (${name}, 'oidc', ${connector}, ${subject}, '{}', 1, ${confirmed})`);
  const signIn = (name: string, connector: string, subject: string) =>
    run(sql`insert into sign_in (id, "user", kind, name, created, expires, last_active, address, user_agent, connector, subject)
      values (${`${name} ${connector}`}, ${name}, 'browser', '', 1, 2, 1, '', '', ${connector}, ${subject})`);

  await user('local', 'admin');
  await user('linked', 'admin');
  await identity('linked', 'okta', 's-linked', 0);
  await user('made', 'okta');
  await identity('made', 'okta', 's-made', 5);
  await user('came', 'admin');
  await identity('came', 'okta', 's-came', 5);
  await signIn('came', 'okta', 's-came');
  await user('both', 'okta');
  await identity('both', 'okta', 's-both', 5);
  await identity('both', 'github', '17', 6);
  await signIn('both', 'github', '17');
  await user('namesake', 'admin');
  await identity('namesake', 'okta', 's-namesake', 5);
  await signIn('namesake', 'okta', 's-other');
}
