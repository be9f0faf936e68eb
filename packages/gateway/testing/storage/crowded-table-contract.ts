/** Who is let in where anybody may put a row into a table, and who gives way; run against each engine. */
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { insertCliLogin } from '../../src/identity/cli-login/cli-login-store.ts';
import { makeRoom } from '../../src/identity/stores/crowded-table.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';
import type { Db } from '../../src/platform/storage/tables.ts';

const BOUNDS = { total: 100, perNetwork: 40 };
const NOW = 1_000;

export function crowdedTableContract(open: () => Promise<Storage>): void {
  const opened = async () => {
    const storage = await open();
    onTestFinished(() => storage.close());
    return storage.db;
  };
  const roomFor = (db: Db, network: string) => makeRoom(db, 'cli_login', { network, now: NOW }, BOUNDS);

  test('in a network that has its share the oldest of the client that has most give way, and none of its neighbours', async () => {
    const db = await opened();
    await enterOne(db, '2001:db8:1:1::1', NOW + 1);
    for (let row = 0; row < 20; row++) await enterOne(db, '2001:db8:1:2::1', NOW + 2 + row);
    for (let row = 0; row < 19; row++) await enterOne(db, '2001:db8:1:3::1', NOW + 2);

    await roomFor(db, '2001:db8:1::/48');

    expect(await held(db, 'client_key')).toEqual({
      '2001:db8:1:1::/64': 1,
      '2001:db8:1:2::/64': 19,
      '2001:db8:1:3::/64': 19,
    });
    const { first } = await db
      .selectFrom('cli_login')
      .select((eb) => eb.fn.min('expires').as('first'))
      .where('client_key', '=', '2001:db8:1:2::/64')
      .executeTakeFirstOrThrow();
    expect(Number(first)).toBe(NOW + 3);
  });

  test('a network has no more than its share, and its neighbour loses nothing', async () => {
    const db = await opened();
    await enter(db, '192.0.3', 10);
    await enter(db, '192.0.2', 40);

    await roomFor(db, '192.0.2.0/24');

    expect(await held(db)).toEqual({ '192.0.2.0/24': 39, '192.0.3.0/24': 10 });
  });

  test('in a full table the oldest of the largest network give way', async () => {
    const db = await opened();
    await enter(db, '198.51.100', 30, NOW + 1);
    await enter(db, '203.0.113', 39, NOW + 2);
    await enter(db, '192.0.2', 31, NOW + 3);

    await roomFor(db, '192.0.3.0/24');

    expect(await held(db)).toEqual({ '198.51.100.0/24': 30, '203.0.113.0/24': 38, '192.0.2.0/24': 31 });
  });

  test('of many networks that one holder has, one gives way, and not the largest of all others', async () => {
    const db = await opened();
    await enter(db, '198.51.100', 9, NOW + 1);
    for (let row = 0; row < 91; row++) await enterOne(db, `2001:db8:${(row % 13).toString(16)}:1::1`, NOW + 2);

    await roomFor(db, '192.0.3.0/24');

    expect(await held(db)).toMatchObject({ '198.51.100.0/24': 9, '2001:db8:0::/48': 6 });
  });

  test('of a holder with one row in each of many networks as many give way as of any other', async () => {
    const db = await opened();
    for (let row = 0; row < 200; row++) await enterOne(db, `2001:db8:${row.toString(16)}:1::1`, NOW + 1);

    await makeRoom(db, 'cli_login', { network: '192.0.3.0/24', now: NOW }, { total: 200, perNetwork: 40 });

    expect(Object.keys(await held(db))).toHaveLength(198);
  });

  test('what has run out takes no room', async () => {
    const db = await opened();
    await enter(db, '192.0.2', 40, NOW);

    await roomFor(db, '192.0.2.0/24');
  });
}

let serial = 0;

async function enter(db: Db, prefix: string, count: number, expires = NOW + 1): Promise<void> {
  for (let host = 1; host <= count; host++) await enterOne(db, `${prefix}.${host}`, expires);
}

async function enterOne(db: Db, address: string, expires: number): Promise<void> {
  await insertCliLogin(db, {
    id: `request-${++serial}`,
    secret_hash: '',
    code: '',
    client: '',
    address,
    created: 0,
    expires,
    state: 'pending',
    sign_in: null,
    ssh: null,
  });
}

async function held(db: Db, by: 'network' | 'client_key' = 'network'): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; held: number }>`
    select ${sql.ref(by)} as name, count(*) as held from cli_login group by ${sql.ref(by)}`.execute(db);
  return Object.fromEntries(rows.map(({ name, held }) => [name, Number(held)]));
}
