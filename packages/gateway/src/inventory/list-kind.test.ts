import type { ListQuery } from '@gatehouse/contract/wire/paging';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openMemoryStorage } from '../../testing/storage/memory-storage.ts';
import { createAppHosts } from '../kinds/app/app-hosts.ts';
import { type AppListDeps, listApps } from '../kinds/app/app-list.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { Storage } from '../platform/storage/storage.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { ListPlan } from './list-plan.ts';
import { type NewResource, putResources } from './resource-store.ts';

const ANN = { username: 'ann', isOwner: false } as unknown as Actor;
const PAGE: ListQuery = {
  limit: 10,
  startKey: undefined,
  skip: 0,
  query: undefined,
  search: undefined,
  sort: undefined,
};
const access = { visibleTo: async () => ({ type: 'all' }) } as unknown as AppListDeps['access'];
const hosts = createAppHosts(() => 'https://gate.example.com');
const resource = (kind: NewResource['kind'], name: string, owner = ''): NewResource => ({
  cluster: 'c',
  kind,
  id: name,
  name,
  labels: { env: 'dev', 'teleport.internal/x': 'hidden' },
  spec: { uri: 'http://inside:1' },
  owner,
  expires: undefined,
});

let storage: Storage;
beforeAll(async () => {
  storage = await openMemoryStorage(() => 0);
  const way = (name: string, owner: string) => ({ cluster: 'c', kind: 'app', resource: name, owner, digest: '' });
  await storage.db.transaction().execute(async (tx) => {
    await putResources(tx, [resource('app', 'wiki', 'a1'), resource('app', 'shop', 'a1'), resource('app', 'own')], 0);
    await tx
      .insertInto('resource_way')
      .values([way('wiki', 'a1'), way('wiki', 'a2'), way('shop', 'a1')])
      .execute();
  });
});
afterAll(() => storage.close());

/** The tables that were asked, one entry for each question. */
function watched(db: Db): { db: Db; asked: string[] } {
  const asked: string[] = [];
  const handler: ProxyHandler<Db> = {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (key !== 'selectFrom') return typeof value === 'function' ? value.bind(target) : value;
      return (table: 'resource') => {
        asked.push(table);
        return target.selectFrom(table);
      };
    },
  };
  return { db: new Proxy(db, handler), asked };
}

const listing = (more: Partial<AppListDeps> = {}): AppListDeps => ({
  db: storage.db,
  access,
  hosts,
  agents: { isConnected: (id) => id === 'a1' },
  clusterName: 'c',
  ...more,
});

test('the agents of all applications of a page are asked for once', async () => {
  const { db, asked } = watched(storage.db);

  const { items } = await listApps(listing({ db }), ANN, PAGE);

  expect(items.map(({ name, gatehouse }) => [name, gatehouse?.ways, gatehouse?.connected])).toEqual([
    ['own', 0, 0],
    ['shop', 1, 1],
    ['wiki', 2, 1],
  ]);
  expect(asked.filter((table) => table === 'resource_way')).toHaveLength(1);
});

test('applications are found in memory, unless what is found depends on their shown addresses', async () => {
  const plans: ListPlan[] = [];
  const index = {
    refresh: async () => {},
    find: async (_: unknown, plan: ListPlan) => {
      plans.push(structuredClone(plan));
      return undefined;
    },
  };
  const list = (query: object) => listApps(listing({ index }), ANN, { ...PAGE, ...query });

  await list({ sort: 'name:asc', query: 'labels["env"] == "dev"' });
  expect(plans.splice(0)).toMatchObject([{ kind: 'app', limit: 10 }]);
  await list({ sort: 'publicAddress:asc' });
  await list({ sort: 'name:asc', search: 'example' });
  expect(plans).toEqual([]);
});
