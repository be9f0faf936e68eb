/** Lists of applications are sorted by the address they show, and search it: run against each engine. */
import { beforeAll, expect, test } from 'vitest';
import { listResources } from '../../src/inventory/list-resources.ts';
import { putResources } from '../../src/inventory/resource-store.ts';
import { createAppHosts } from '../../src/kinds/app/app-hosts.ts';
import { shownAddress } from '../../src/kinds/app/shown-address.ts';
import type { Storage } from '../../src/platform/storage/storage.ts';

const CLUSTER = 'shown-address';
const named = 'https://gate.example:3080';

export function shownAddressSuite(open: () => Pick<Storage, 'db'>): void {
  beforeAll(async () => {
    const app = (name: string, uri: string, publicAddr = '') =>
      ({
        cluster: CLUSTER,
        kind: 'app',
        id: name,
        name,
        labels: {},
        spec: { uri, publicAddr },
        owner: '',
        expires: undefined,
      }) as const;
    const apps = [
      app('alpha', 'http://10.0.0.3:80', 'z.elsewhere.example'),
      app('mid', 'http://10.0.0.2:80'),
      app('queue', 'tcp://10.0.0.1:5672'),
      app('zeta', 'http://10.0.0.4:80', 'b.elsewhere.example'),
    ];
    await open()
      .db.transaction()
      .execute((tx) => putResources(tx, apps, 0));
  });

  async function names(origin: string, more: { sort?: string; search?: string; query?: string; limit?: number }) {
    const { db } = open();
    const derived = shownAddress(
      db,
      createAppHosts(() => origin),
    );
    const found: string[] = [];
    let startKey: string | undefined;
    do {
      const page = { cluster: CLUSTER, kind: 'app', limit: 10, ...more, startKey, derived } as const;
      const list = await listResources(db, { type: 'all' }, page);
      found.push(...list.items.map(({ name }) => name));
      startKey = list.startKey || undefined;
    } while (startKey !== undefined);
    return found;
  }

  test.each([1, 2, 10])('by address comes first what is shown first, in pages of %d', async (limit) => {
    const up = ['zeta', 'mid', 'queue', 'alpha'];
    expect(await names(named, { sort: 'publicAddress:asc', limit })).toEqual(up);
    expect(await names(named, { sort: 'publicAddress:desc', limit })).toEqual(up.toReversed());
  });

  test('where the gateway is an address only, those without a host come by where they are dialled', async () => {
    const shown = ['zeta', 'mid', 'queue', 'alpha'];
    expect(await names('http://192.0.2.1:3080', { sort: 'publicAddress:asc', limit: 1 })).toEqual(shown);
    expect(await names('http://192.0.2.1:3080', { search: '10.0.0.2' })).toEqual(['mid']);
    expect(await names('http://192.0.2.1:3080', { search: '10.0.0.3' })).toEqual([]);
  });

  test.each([
    ['gate.example', ['mid', 'queue']],
    ['mid.gate.example', ['mid']],
    ['MID.Gate', ['mid']],
    ['https://mid.gate.example:3080', ['mid']],
    ['tcp://queue.gate', ['queue']],
    ['https://queue', []],
    ['z.elsewhere', ['alpha']],
    ['alpha.gate.example', []],
    ['10.0.0.2', []],
  ])('a search for %s finds what shows it', async (search, expected) => {
    expect(await names(named, { search })).toEqual(expected);
    expect(await names(named, { search, sort: 'publicAddress:asc' })).toHaveLength(expected.length);
    expect(await names(named, { query: `search("${search}")` })).toEqual(expected);
  });
}
