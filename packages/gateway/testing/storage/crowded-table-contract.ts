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

  test('a network that has its share is refused, and its neighbour is not', async () => {
    const db = await opened();
    await enter(db, '192.0.2', 40);

    await expect(roomFor(db, '192.0.2.0/24')).rejects.toThrow('too many sign-ins from your network');
    await roomFor(db, '192.0.3.0/24');
    expect(await held(db)).toEqual({ '192.0.2.0/24': 40 });
  });

  test('a /48 is one network, however many of its addresses are used', async () => {
    const db = await opened();
    for (let host = 0; host < 40; host++) await enter(db, `2001:db8:1:${host.toString(16)}:`, 1, ':');

    await expect(roomFor(db, '2001:db8:1::/48')).rejects.toThrow('too many sign-ins from your network');
    await roomFor(db, '2001:db8:2::/48');
  });

  test('in a full table the oldest of the largest network give way', async () => {
    const db = await opened();
    await enter(db, '198.51.100', 30, '.', NOW + 1);
    await enter(db, '203.0.113', 39, '.', NOW + 2);
    await enter(db, '192.0.2', 31, '.', NOW + 3);

    await roomFor(db, '192.0.3.0/24');

    expect(await held(db)).toEqual({ '198.51.100.0/24': 30, '203.0.113.0/24': 38, '192.0.2.0/24': 31 });
  });

  test('what has run out takes no room', async () => {
    const db = await opened();
    await enter(db, '192.0.2', 40, '.', NOW);

    await roomFor(db, '192.0.2.0/24');
  });
}

let serial = 0;

async function enter(db: Db, prefix: string, count: number, joint = '.', expires = NOW + 1): Promise<void> {
  for (let host = 1; host <= count; host++)
    await insertCliLogin(db, {
      id: `request-${++serial}`,
      secret_hash: '',
      code: '',
      client: '',
      address: `${prefix}${joint}${host}`,
      created: 0,
      expires,
      state: 'pending',
      sign_in: null,
    });
}

async function held(db: Db): Promise<Record<string, number>> {
  const { rows } = await sql<{ network: string; held: number }>`
    select network, count(*) as held from cli_login group by network`.execute(db);
  return Object.fromEntries(rows.map(({ network, held }) => [network, Number(held)]));
}
