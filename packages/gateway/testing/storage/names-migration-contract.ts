/** What step 26 makes of tokens, agents and applications from before; run against each engine. */
import { type RawBuilder, sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Migration } from '../../src/platform/storage/migrate.ts';
import { names } from '../../src/platform/storage/migrations/0026-names.ts';
import { MIGRATIONS } from '../../src/platform/storage/migrations.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import type { Db } from '../../src/platform/storage/tables.ts';

const GROUP_LABEL = 'teleport.internal/resource-id';

/** `newStore` gives what opens one store again and again, brought to the last of `migrations`. */
export function namesMigrationContract(
  newStore: () => Promise<(migrations: readonly Migration[]) => Promise<Storage>>,
): void {
  test('belong to the tokens of those who had them', async () => {
    const open = await newStore();
    const before = await open(MIGRATIONS.slice(0, MIGRATIONS.indexOf(names)));
    await enterOldData(before.db);
    await before.close();

    const after = await open(MIGRATIONS);
    try {
      const { db } = after;
      const joined = (table: 'join_token' | 'agent') =>
        db.selectFrom(table).select(['id', 'offers', 'token_group']).orderBy('id').execute();
      const told = (rows: Awaited<ReturnType<typeof joined>>) =>
        rows.map(({ id, offers, token_group }) => [id, JSON.parse(offers), token_group]);
      const all = { apps: ['*'] };
      expect(told(await joined('join_token'))).toEqual([
        ['t-app', all, 't-app'],
        ['t-node', {}, 'r1'],
      ]);
      expect(told(await joined('agent'))).toEqual([
        ['a1', all, 'r1'],
        ['a2', all, 'r1'],
        ['a3', {}, 'a3'],
        ['a4', all, 'r2'],
      ]);
      const held = await db.selectFrom('held_name').selectAll().orderBy('kind').orderBy('name').execute();
      expect(held.map(({ cluster, kind, name, app, holder }) => [cluster, kind, name, app, holder])).toEqual([
        ['here', 'app', 'api', 'api', 'r1'],
        // Its host is an entered application's; the name is its own all the same.
        ['here', 'app', 'imp', 'imp', 'r2'],
        ['here', 'app', 'wiki', 'wiki', 'r1'],
        ['here', 'app', 'zoo', 'zoo', 'r2'],
        // Two had it; one has it now.
        ['here', 'host', 'wiki.example', 'wiki', 'r1'],
      ]);
      // Every report is looked at again by the new rules.
      expect(await db.selectFrom('announcement').select(['owner', 'digest']).execute()).toEqual([
        { owner: 'a1', digest: '' },
      ]);
    } finally {
      await after.close();
    }
    // A second start changes nothing.
    await (await open(MIGRATIONS)).close();
  });
}

async function enterOldData(db: Db): Promise<void> {
  const run = (statement: RawBuilder<unknown>) => statement.execute(db);
  const token = (id: string, roles: string[], labels: object) =>
    run(sql`insert into join_token (id, hash, hint, roles, labels, created, created_by, expires, max_uses, uses)
      values (${id}, ${id}, 'hint', ${JSON.stringify(roles)}, ${JSON.stringify(labels)}, 1, 'ann', 2, null, 0)`);
  const agent = (id: string, roles: string[], labels: object) =>
    run(sql`insert into agent (id, cluster, name, key, roles, labels, version, created, created_by, last_seen, address, connection)
      values (${id}, 'here', ${`name-${id}`}, ${`key-${id}`}, ${JSON.stringify(roles)}, ${JSON.stringify(labels)},
        '1.0.0', 1, 'ann', null, '', '')`);
  const resource = (kind: string, id: string, owner: string, host: string) =>
    run(sql`insert into resource (cluster, kind, id, name, labels, label_set, spec, owner, expires, search, updated, third_key)
      values ('here', ${kind}, ${id}, ${id}, '{}', 1, '{}', ${owner}, null, '', 1, ${host})`);

  await token('t-node', ['Node'], { [GROUP_LABEL]: 'r1', env: 'prod' });
  await token('t-app', ['App', 'Node'], {});
  await agent('a1', ['App'], { [GROUP_LABEL]: 'r1' });
  await agent('a2', ['App'], { [GROUP_LABEL]: 'r1' });
  await agent('a3', ['Node'], { [GROUP_LABEL]: '' });
  await agent('a4', ['App'], { [GROUP_LABEL]: 'r2' });
  await run(sql`insert into label_set (id, kind, hash, labels) values (1, 'app', 'h', '{}')`);
  await resource('app', 'wiki', 'a1', 'wiki.example');
  await resource('app', 'api', 'a2', '');
  await resource('app', 'shop', '', 'shop.example');
  await resource('app', 'imp', 'a4', 'shop.example');
  await resource('app', 'zoo', 'a4', 'wiki.example');
  await resource('app', 'ghost', 'agent that is gone', 'ghost.example');
  await resource('node', 'a3', 'a3', 'a3.example');
  await run(sql`insert into announcement (owner, holder, digest, expires) values ('a1', 'gateway', 'x', 9)`);
}
