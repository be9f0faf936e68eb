/** The workbench of MongoDB through its socket. The server is a stub that answers from what it stores, as no real one can be had. */
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { EDITOR_AHEAD_BYTES, MAX_CELL_BYTES } from '@gatehouse/contract/kinds/db/editor';
import { call } from '@gatehouse/contract/wire/client';
import { type Document, Double, Int32, Long, ObjectId } from 'bson';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { CLUSTER, type DbWorld, startDbWorldOf } from '../../../../../testing/db/db-world.ts';
import type { EditorPage } from '../../../../../testing/db/editor-page.ts';
import { editorPages } from '../../../../../testing/db/editor-pages.ts';
import { type StubMongodb, startStubMongodb } from '../../../../../testing/db/stub-mongodb.ts';

const PASSWORD = 'a secret of the shop';
const OID = '65a000000000000000000001';
let mongodb: StubMongodb;
let world: DbWorld;
beforeAll(async () => {
  mongodb = await startStubMongodb({ app: PASSWORD });
  world = await startDbWorldOf({
    ...{ protocol: 'mongodb', port: mongodb.port, ca: mongodb.ca, database: 'shop', dbNames: ['shop', 'stock'] },
    ...{ dbUsers: ['app'], password: PASSWORD },
  });
});
afterAll(async () => {
  await world?.close();
  await mongodb?.stop();
});
beforeEach(() => {
  mongodb.commands.length = 0;
  mongodb.store.stored.clear();
  mongodb.store.cursors.clear();
});
afterEach(async () => {
  await closePages();
});

const { ready, closePages } = editorPages(() => ({ origin: world.origin, who: world.ann, dbUser: 'app' }));

function orders(count: number, more: (n: number) => Document = () => ({})): void {
  const documents = mongodb.store.documents('shop', 'orders');
  for (let n = 0; n < count; n += 1) documents.push({ _id: new Int32(n), ...more(n) });
}

const cellsOf = async (page: EditorPage, text: string, maxRows?: number) => {
  const { rows, done, id } = await page.run(text, maxRows === undefined ? {} : { maxRows });
  return { cells: rows.map(([cell]) => cell), done, id };
};

test('what is found is told in its types, and each command is in the log', async () => {
  mongodb.store.documents('shop', 'things').push({
    ...{ _id: new ObjectId(OID), n: new Int32(1), part: new Double(2), long: Long.fromNumber(3) },
    ...{ at: new Date('2026-01-31T12:00:00Z'), in: { deep: [true, null] } },
  });
  const page = await ready();
  expect(page.heard.at(-1)).toMatchObject({ type: 'ready', protocol: 'mongodb', version: '7.0.14', dbName: 'shop' });
  const { cells, done } = await cellsOf(page, `{ find: 'things', filter: { n: 1 } }`);
  expect(cells).toEqual([
    `{"_id": {"$oid": "${OID}"}, "n": 1, "part": 2.0, "long": {"$numberLong": "3"}, "at": {"$date": "2026-01-31T12:00:00.000Z"}, "in": {"deep": [true, null]}}`,
  ]);
  expect(done).toMatchObject({ tag: 'find', rows: 1, more: false });
  expect(
    (await cellsOf(page, `{find: 'things', filter: {_id: ObjectId("${OID}")}, projection: {n: 1}}`)).cells,
  ).toEqual([`{"_id": {"$oid": "${OID}"}, "n": 1}`]);
  const told = async () => (await world.gateway.events()).filter(({ code }) => code === 'TDB02I');
  await expect
    .poll(async () => (await told()).map(({ data }) => data))
    .toContainEqual(
      expect.objectContaining({
        ...{ user: 'ann', db_query: '{"find": "things", "filter": {"n": 1}, "$db": "shop"}' },
        statement: expect.objectContaining({ door: 'web', rows: 1 }),
      }),
    );
});

test('a result stops at the rows that are wanted, goes on when asked, and is let go of at the server', async () => {
  orders(1_200);
  const page = await ready();
  const first = await cellsOf(page, '{ find: "orders", sort: { _id: -1 } }', 150);
  expect(first.cells).toHaveLength(150);
  expect([first.cells[0], first.done.more]).toEqual(['{"_id": 1199}', true]);
  const from = page.heard.length;
  page.send({ type: 'more', id: first.id, maxRows: 100 });
  expect(await page.next('done', first.id, from)).toMatchObject({ rows: 100, more: true });
  expect(mongodb.store.cursors.size).toBe(1);
  page.send({ type: 'close', id: first.id });
  await expect.poll(() => mongodb.store.cursors.size).toBe(0);
  expect((await cellsOf(page, '{ find: "orders", skip: 1195 }')).cells).toHaveLength(5);
});

test('aggregations, counts and any other command are run as typed', async () => {
  orders(300, (n) => ({ city: n % 3 === 0 ? 'Bern' : 'Basel', sum: new Int32(2) }));
  const page = await ready();
  const { cells } = await cellsOf(
    page,
    '{ aggregate: "orders", pipeline: [{ $group: { _id: "$city", sum: { $sum: "$sum" } } }, { $sort: { _id: 1 } }], cursor: {} }',
  );
  expect(cells).toEqual(['{"_id": "Basel", "sum": 400}', '{"_id": "Bern", "sum": 200}']);
  expect((await cellsOf(page, '{ count: "orders", query: { _id: { $gte: 290 } } }')).cells).toEqual([
    '{"ok": 1, "n": 10}',
  ]);
  const id = page.send({ type: 'run', tab: 0, sql: '{ nonsense: 1 }' });
  await expect(page.next('done', id)).rejects.toThrow(/"code":"59".*no such command: 'nonsense'/);
  const wrong = page.send({ type: 'run', tab: 0, sql: '{ find: orders }' });
  await expect(page.next('done', wrong)).rejects.toThrow(/bad_request.*"position":8/);
});

test('a document is changed by a command that must find it as it was', async () => {
  orders(2, () => ({ state: 'new' }));
  const page = await ready();
  const update =
    '{ update: "orders", updates: [{ q: { _id: 1, state: { $eq: "new" } }, u: { $set: { state: "paid" } } }] }';
  expect((await cellsOf(page, update)).cells).toEqual(['{"ok": 1, "n": 1, "nModified": 1}']);
  expect((await cellsOf(page, update)).cells).toEqual(['{"ok": 1, "n": 0, "nModified": 0}']);
  expect((await cellsOf(page, '{ insert: "orders", documents: [{ _id: 9 }] }')).cells).toEqual(['{"ok": 1, "n": 1}']);
  expect((await cellsOf(page, '{ delete: "orders", deletes: [{ q: { _id: 0 }, limit: 1 }] }')).cells).toEqual([
    '{"ok": 1, "n": 1}',
  ]);
  expect((await cellsOf(page, '{ find: "orders" }')).cells).toEqual(['{"_id": 1, "state": "paid"}', '{"_id": 9}']);
});

test('databases are listed as roles give them, collections with their fields and indexes', async () => {
  orders(3, (n) => ({ ship: { city: 'Bern', box: [{ kg: new Double(n) }] } }));
  mongodb.store.documents('private', 'x').push({});
  const page = await ready();
  const nodes = async (...path: string[]) => {
    const { nodes: found } = await page.next('nodes', page.send({ type: 'tree', path }));
    return found.map(({ name, kind, detail }) => [name, kind, detail].join(' ').trim());
  };
  expect(await nodes()).toEqual(['shop schema', 'stock schema']);
  expect(await nodes('shop')).toEqual(['orders table']);
  expect(await nodes('shop', 'orders')).toEqual(['Fields group', 'Indexes group']);
  expect(await nodes('shop', 'orders', 'Fields')).toEqual([
    ...['_id column int', 'ship column document', 'ship.city column text'],
    ...['ship.box column array', 'ship.box.kg column double'],
  ]);
  expect(await nodes('shop', 'orders', 'Indexes')).toEqual(['_id_ index { _id: 1 }']);
  await expect(nodes('private')).rejects.toThrow(/you may not use the database 'private'/);
});

test('a database that no role gives is refused, wherever it is named', async () => {
  const page = await ready();
  const id = page.send({ type: 'run', tab: 0, sql: '{ find: "x", $db: "private" }' });
  await expect(page.next('done', id)).rejects.toThrow(/"code":"13".*you may not use the database 'private'/);
  expect((await cellsOf(page, '{ count: "x", $db: "stock" }')).cells).toEqual(['{"ok": 1, "n": 0}']);
});

test('who may only read changes nothing, by no command and no stage', async () => {
  orders(1);
  const shop = { params: { ...CLUSTER, name: 'shop' } };
  await call(world.admin.send, databaseRoutes.update, { ...shop, body: { readOnly: true } });
  try {
    const page = await ready();
    expect(page.heard.at(-1)).toMatchObject({ readOnly: true });
    for (const sql of [
      '{ insert: "orders", documents: [{}] }',
      '{ delete: "orders", deletes: [{ q: {}, limit: 0 }] }',
      '{ aggregate: "orders", pipeline: [{ $out: "y" }], cursor: {} }',
      '{ drop: "orders" }',
    ])
      await expect(page.next('done', page.send({ type: 'run', tab: 0, sql }))).rejects.toThrow(
        /this session only reads/,
      );
    expect((await cellsOf(page, '{ find: "orders" }')).cells).toEqual(['{"_id": 0}']);
  } finally {
    await call(world.admin.send, databaseRoutes.update, { ...shop, body: { readOnly: false } });
  }
});

test('a long document is cut and marked, and a page that takes nothing is not run over', async () => {
  // Each is shown in nearly as much as one may be: together they are several times what may be ahead of a page.
  const fields = Array.from({ length: 40 }, (_, n) => [`text${n}`, 'x'.repeat(5_000)]);
  orders(60, () => Object.fromEntries(fields));
  const page = await ready({ isLazy: true });
  const id = page.send({ type: 'run', tab: 0, sql: '{ find: "orders", batchSize: 60 }' });
  const { rows, cut } = await page.next('rows', id);
  expect(rows[0]?.[0]?.length).toBeLessThan(66_000);
  expect(cut[0]).toMatchObject({ row: 0, column: 0, bytes: expect.any(Number) });
  expect(cut[0]?.bytes).toBeGreaterThan(200_000);
  const taken = () => page.heard.flatMap((reply) => (reply.type === 'rows' && reply.id === id ? [reply] : []));
  const ahead = () => taken().reduce((sum, reply) => sum + JSON.stringify(reply).length, 0);
  await page.settled(() => ahead() >= EDITOR_AHEAD_BYTES);
  // What was on its way when something that is no data is answered has come.
  const asked = () => page.next('nodes', page.send({ type: 'tree', path: ['shop', 'orders'] }));
  for (let before = -1; taken().length !== before; await asked()) before = taken().length;
  expect(ahead()).toBeLessThan(EDITOR_AHEAD_BYTES + 2 * MAX_CELL_BYTES);
  const isDone = () => page.heard.some((reply) => reply.type === 'done' && reply.id === id);
  for (let count = taken().length; !isDone(); count = taken().length) {
    page.send({ type: 'ack', id, seq: taken().at(-1)?.seq ?? 0 });
    await page.settled(() => isDone() || taken().length > count);
  }
  expect(await page.next('done', id)).toMatchObject({ rows: 60, more: false });
  expect(taken().flatMap((reply) => reply.rows)).toHaveLength(60);
});

test('a whole result is written as a file, though it has many batches', async () => {
  orders(2_500);
  const page = await ready();
  const id = page.send({ type: 'export', tab: 0, sql: '{ find: "orders" }', format: 'json' });
  expect(await page.next('done', id)).toMatchObject({ rows: 2_500 });
  const text = page.heard.map((reply) => (reply.type === 'piece' ? reply.text : '')).join('');
  expect(JSON.parse(text)).toHaveLength(2_500);
  const csv = page.send({ type: 'export', tab: 0, sql: '{ find: "orders" }', format: 'csv' });
  await expect(page.next('done', csv)).rejects.toThrow(/written as JSON/);
});

test('what runs is stopped with its connection, and the next command has a new one', async () => {
  const page = await ready();
  const before = mongodb.connections();
  const id = page.send({ type: 'run', tab: 0, sql: '{ sleep: 1 }' });
  await expect.poll(() => mongodb.commands.some((command) => 'sleep' in command)).toBe(true);
  page.send({ type: 'cancel', id });
  await expect(page.next('done', id)).rejects.toThrow(/cancelled/);
  await expect.poll(() => mongodb.connections()).toBeLessThan(before);
  expect((await cellsOf(page, '{ count: "x" }')).cells).toEqual(['{"ok": 1, "n": 0}']);
});

test('own commands are kept without their passwords', async () => {
  const page = await ready();
  await cellsOf(page, '{ count: "kept" }');
  await cellsOf(page, '{ createUser: "x", pwd: "hunter2", roles: [] }');
  const history = async () =>
    JSON.stringify((await page.next('statements', page.send({ type: 'history' }))).statements);
  await expect.poll(history).toContain('createUser');
  expect(await history()).toContain(String.raw`{ count: \"kept\" }`);
  expect(await history()).not.toContain('hunter2');
});

test('a lock ends it with the reason', async () => {
  const page = await ready();
  const body = { targets: { user: 'ann' }, message: 'for the test' };
  await call(world.admin.send, lockRoutes.create, { params: CLUSTER, body });
  expect(await page.next('ended')).toMatchObject({ cause: 'locked', message: expect.stringContaining('locked') });
  // By whichever is first: the end of the session, or that of the sign-in behind the socket.
  await expect.poll(() => page.closed?.code).toSatisfy((code) => code === 1000 || code === 4401);
});
