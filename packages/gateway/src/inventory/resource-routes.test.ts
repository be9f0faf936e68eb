import { offeredAppSpec } from '@gatehouse/contract/kinds/app/app-spec';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openMemoryStorage } from '../../testing/storage/memory-storage.ts';
import type { Storage } from '../platform/storage/storage.ts';
import { type Announcer, createAnnouncer } from './announce.ts';
import { freeNames } from './held-names.ts';
import { askAboutLabels } from './label-set-store.ts';
import { routesTo } from './resource-routes.ts';
import { type NewResource, putResources } from './resource-store.ts';

let storage: Storage;
let announcer: Announcer;
let time = 1_000_000;

beforeEach(async () => {
  storage = await openMemoryStorage(() => time);
  announcer = createAnnouncer({
    db: storage.db,
    now: () => time,
    log: pino({ level: 'silent' }),
    everyMs: 0,
    sweepEveryMs: 10,
    returnMs: 0,
  });
});
afterEach(async () => {
  await announcer.close();
  await storage.close();
});

const app = (name: string, uri: string, labels: Record<string, string> = {}): NewResource => ({
  cluster: 'c',
  kind: 'app',
  id: name,
  name,
  labels,
  spec: offeredAppSpec.parse({ uri }),
  owner: '',
  group: 'g1',
  expires: undefined,
});
const PLACE = { cluster: 'c', kind: 'app', id: 'grafana' } as const;
const rows = () => storage.db.selectFrom('resource').select(['id', 'owner']).orderBy('id').execute();
const refused = async (owner: string, ...apps: NewResource[]) => (await announcer.report(owner, apps)).refused;

const ways = async () => (await routesTo(storage.db, [PLACE])).get(PLACE.id) ?? [];

test('the same application of several agents is one, with a way through each', async () => {
  await refused('a1', app('grafana', 'http://localhost:3000', { 'teleport.internal/resource-id': 'x' }));
  await refused('a2', app('grafana', 'http://localhost:3000', { 'teleport.internal/resource-id': 'y' }));

  expect(await rows()).toEqual([{ id: 'grafana', owner: 'a1' }]);
  expect(await ways()).toEqual(['a1', 'a2']);
});

test('an agent that says something else under a name that is taken is refused, however it differs', async () => {
  await refused('a1', app('grafana', 'http://localhost:3000', { env: 'dev' }));

  const other = await refused('a2', app('grafana', 'http://localhost:9999', { env: 'dev' }));
  const wider = await refused('a2', app('grafana', 'http://localhost:3000', { env: 'prod' }));

  expect([other, wider]).toMatchObject([[{ name: 'grafana' }], [{ name: 'grafana' }]]);
  expect(await ways()).toEqual(['a1']);
});

test('one that was entered by hand is not taken by an agent', async () => {
  await storage.db.transaction().execute((tx) => putResources(tx, [app('grafana', 'http://localhost:1')], time));

  expect(await refused('a1', app('grafana', 'http://localhost:1'))).toMatchObject([
    { reason: expect.stringContaining('entered by hand') },
  ]);
  expect(await rows()).toEqual([{ id: 'grafana', owner: '' }]);
});

test('it stays while one way is left, and goes with the last', async () => {
  const same = app('grafana', 'http://localhost:3000');
  await refused('a1', same);
  await refused('a2', same);

  await refused('a1');
  expect([await rows(), await ways()]).toEqual([[{ id: 'grafana', owner: 'a2' }], ['a2']]);

  await announcer.gone('a2', 0);
  time += 1;
  await expect.poll(rows).toEqual([]);
  expect(await ways()).toEqual([]);
});

test('the only agent that offers it may change it', async () => {
  await refused('a1', app('grafana', 'http://localhost:3000'));

  expect(await refused('a1', app('grafana', 'http://localhost:4000'))).toEqual([]);

  const { spec } = await storage.db.selectFrom('resource').select('spec').executeTakeFirstOrThrow();
  expect(JSON.stringify(spec)).toContain('localhost:4000');
});

test('an agent of another token is no second way, whatever it says', async () => {
  const same = app('grafana', 'http://localhost:3000');
  await refused('a1', same);

  for (const said of [
    same,
    app('grafana', 'http://localhost:9999'),
    app('grafana', 'http://elsewhere:1', { env: 'x' }),
  ])
    expect(await refused('a2', { ...said, group: 'g2' })).toMatchObject([
      { name: 'grafana', reason: expect.stringContaining('belongs to agents of another token') },
    ]);
  expect(await ways()).toEqual(['a1']);
});

test('a name stays with its token while nobody offers it, until it is freed', async () => {
  await refused('a1', app('grafana', 'http://localhost:3000'));
  await refused('a1');
  const foreign = { ...app('grafana', 'http://localhost:9999'), group: 'g2' };
  expect(await rows()).toEqual([]);

  expect(await refused('a2', foreign)).toHaveLength(1);
  expect(await refused('a3', app('grafana', 'http://localhost:3000'))).toEqual([]);
  await refused('a3');
  await storage.db.transaction().execute((tx) => freeNames(tx, { cluster: 'c', kind: 'app' }, 'grafana'));

  expect(await refused('a2', foreign)).toEqual([]);
  expect(await rows()).toEqual([{ id: 'grafana', owner: 'a2' }]);
});

describe('a public host', () => {
  const HOST = 'grafana.corp.example';
  const at = (name: string, publicAddr = HOST) => ({
    ...app(name, `http://${name}.inside:3000`),
    spec: offeredAppSpec.parse({ uri: `http://${name}.inside:3000`, publicAddr }),
  });

  test('of one that was entered by hand is not taken', async () => {
    await storage.db.transaction().execute((tx) => putResources(tx, [at('grafana')], time));

    expect(await refused('a1', at('aaa'))).toMatchObject([
      { name: 'aaa', reason: expect.stringContaining("belongs to the application 'grafana'") },
    ]);
  });

  test("is one application's, also of the same token and while it is away", async () => {
    await refused('a1', at('grafana'));

    expect(await refused('a2', at('aaa'))).toHaveLength(1);
    await refused('a1');
    expect(await refused('a2', at('aaa'))).toHaveLength(1);
    expect(await refused('a2', { ...at('bbb'), group: 'g2' })).toHaveLength(1);
    expect(await refused('a1', at('grafana', 'other.corp.example'))).toEqual([]);
    expect(await refused('a2', at('aaa'))).toHaveLength(1);
    await storage.db.transaction().execute((tx) => freeNames(tx, { cluster: 'c', kind: 'app' }, HOST));
    expect(await refused('a2', at('aaa'))).toEqual([]);
  });
});

test("an address that is another's application is not offered under a second name, except on loopback", async () => {
  await refused('a1', app('grafana', 'http://grafana.inside:3000/start'), app('home', 'http://localhost:80'));

  expect(await refused('a2', { ...app('evil', 'HTTP://GRAFANA.inside:3000'), group: 'g2' })).toMatchObject([
    { name: 'evil', reason: expect.stringContaining("leads to the application 'grafana'") },
  ]);
  expect(await refused('a2', { ...app('mine', 'http://localhost:80'), group: 'g2' })).toEqual([]);
  expect(await refused('a3', app('second', 'http://grafana.inside:3000'))).toEqual([]);
});

describe('databases, which agents share as they share applications', () => {
  const db = (name: string, type: string): NewResource => ({
    ...app(name, 'http://localhost:1'),
    kind: 'db',
    spec: { type, protocol: type, uri: 'orders.inside:5432' },
  });

  test("are many of one type, and not where another's is, which one could be let into by other labels", async () => {
    expect(await refused('a1', db('orders', 'postgres'), db('shop', 'postgres'))).toEqual([]);
    const elsewhere = (uri: string, serverName = '') => ({
      ...db('stock', 'postgres'),
      group: 'g2',
      spec: { protocol: 'postgres', uri, tls: { serverName } },
    });
    for (const posing of [
      elsewhere('orders.inside:5432'),
      elsewhere('ORDERS.inside'),
      elsewhere('alias.inside', 'orders.inside'),
    ])
      expect(await refused('a2', posing)).toMatchObject([
        { reason: expect.stringContaining('who may sign in to the one could sign in to the other') },
      ]);
    expect(await refused('a2', elsewhere('stock.inside'))).toEqual([]);
    expect(await refused('a3', { ...elsewhere('localhost'), group: 'g3', id: 'own', name: 'own' })).toEqual([]);
    expect(await refused('a4', { ...elsewhere('127.0.0.1'), group: 'g4', id: 'mine', name: 'mine' })).toEqual([]);
  });

  test('have names of their own, which stay with their token and are told in their own words', async () => {
    expect(await refused('a1', app('orders', 'http://localhost:3000'))).toEqual([]);
    expect(await refused('a2', { ...db('orders', 'postgres'), group: 'g2' })).toEqual([]);

    const [refusal] = await refused('a3', { ...db('orders', 'mysql'), group: 'g3' });

    expect(refusal?.reason).toContain('gatehouse tokens add --db orders=…');
    expect(refusal?.reason).toContain('gatehouse db free orders');
    await refused('a2');
    await storage.db.transaction().execute((tx) => freeNames(tx, { cluster: 'c', kind: 'db' }, 'orders'));
    expect(await refused('a3', { ...db('orders', 'mysql'), group: 'g3' })).toEqual([]);
    expect(await refused('a4', { ...app('orders', 'http://localhost:3000'), group: 'g2' })).toHaveLength(1);
  });
});

test('one token does not take every name there is', async () => {
  const names = (from: number) => Array.from({ length: 1000 }, (_, at) => app(`n${from + at}`, 'http://localhost:1'));
  for (const from of [0, 1000]) expect(await refused('a1', ...names(from))).toEqual([]);

  expect(await refused('a1', app('one-more', 'http://localhost:1'))).toMatchObject([
    { reason: expect.stringContaining('holds 2000 names') },
  ]);
});

test('however many applications an agent offers, changes or takes back, others wait for a few statements only', async () => {
  let statements = 0;
  const counted = storage.db.withPlugin({
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const many = createAnnouncer({ db: counted, now: () => time, log: pino({ level: 'silent' }), everyMs: 0 });
  await storage.db.transaction().execute((tx) => askAboutLabels(tx, ['env']));
  const offers = (port: number) =>
    Array.from({ length: 400 }, (_, at) => ({
      ...app(`n${at}`, `http://h${at}.inside:${port}`, { env: `${port}-${at}` }),
      spec: offeredAppSpec.parse({ uri: `http://h${at}.inside:${port}`, publicAddr: `h${at}.corp.example` }),
    }));

  for (const resources of [offers(1), offers(2), []]) {
    statements = 0;
    expect(await many.report('a1', resources)).toEqual({ refused: [] });
    expect(statements).toBeLessThan(60);
  }

  expect(await rows()).toEqual([]);
  await many.close();
});
