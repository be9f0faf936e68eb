/** MongoDB behind the gateway, as its own driver reaches it: what is decided, told and ended. The server is a stub, as no real one can be had. */
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { MongoClient, type MongoClientOptions } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { CLUSTER, type DbWorld, startDbWorldOf } from '../../../testing/db/db-world.ts';
import { type StubMongodb, startStubMongodb } from '../../../testing/db/stub-mongodb.ts';

const PASSWORD = 'a secret of the shop';
let mongodb: StubMongodb;
let world: DbWorld;
const clients: MongoClient[] = [];
beforeAll(async () => {
  mongodb = await startStubMongodb({ app: PASSWORD });
});
afterAll(() => mongodb?.stop());
beforeEach(async () => {
  mongodb.commands.length = 0;
  world = await startDbWorldOf({
    ...{ protocol: 'mongodb', port: mongodb.port, ca: mongodb.ca, database: 'shop', dbNames: ['shop', 'stock'] },
    ...{ dbUsers: ['app'], password: PASSWORD },
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await world.close();
});

async function connect(options: MongoClientOptions = {}): Promise<MongoClient> {
  const { port } = await world.tunnel();
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    ...{ serverSelectionTimeoutMS: 5_000, ...options },
  });
  clients.push(client);
  return await client.connect();
}

const names = () => mongodb.commands.map((command) => Object.keys(command)[0]);
async function told() {
  const events = await world.gateway.events();
  return events
    .filter(({ code }) => /^TDB02|^TDB06/.test(code))
    .map(({ code, data }) => ({ code, db_query: '', ...data }));
}

test('somebody whose role gives it comes in without a password, and each command is in the log', async () => {
  const client = await connect();
  const orders = client.db('shop').collection<{ _id: number; text: string }>('orders');

  await orders.insertMany([
    { _id: 1, text: 'one' },
    { _id: 2, text: 'two' },
  ]);

  expect(await orders.find({ text: { $ne: 'x' } }).toArray()).toEqual([
    { _id: 1, text: 'one' },
    { _id: 2, text: 'two' },
  ]);
  await expect.poll(told).toHaveLength(2);
  const [insert, find] = await told();
  expect(insert).toMatchObject({ code: 'TDB02I', db_protocol: 'mongodb', db_user: 'app', db_name: 'shop' });
  expect(insert?.db_query).toContain('"documents": [{"_id": 1, "text": "one"}');
  expect(find).toMatchObject({ code: 'TDB02I', statement: { rows: 2, door: 'tunnel', backend: 42 } });
  expect(find?.db_query).toContain('"find": "orders", "filter": {"text": {"$ne": "x"}}');
});

test('a database that no role gives is refused in the words of the protocol, and the connection goes on', async () => {
  const client = await connect();
  const found = client.db('private').collection('orders').findOne();

  await expect(found).rejects.toMatchObject({ code: 13, message: expect.stringContaining("'private'") });
  expect(await client.db('stock').command({ ping: 1 })).toMatchObject({ ok: 1 });
  expect(names()).not.toContain('find');
  await expect.poll(told).toMatchObject([{ code: 'TDB02W', error: expect.stringContaining('(13)') }]);
});

test('what is too long to be held is judged before its end has passed', async () => {
  const client = await connect();
  const documents = Array.from({ length: 300 }, (_, n) => ({ n, text: 'x'.repeat(1_000) }));

  await client.db('shop').collection('orders').insertMany(documents);
  const refused = client.db('private').collection('orders').insertMany(documents);

  await expect(refused).rejects.toThrow();
  expect(names().filter((name) => name === 'insert')).toHaveLength(1);
  await expect.poll(told).toHaveLength(2);
  const [passed, wrong] = await told();
  expect(passed?.db_query).toMatch(/^\{"insert": "orders".*"documents": \[\{.*"n": 0, "text": "xxx/);
  expect(passed).toMatchObject({ code: 'TDB02I', statement: { rows: 300, sha256: expect.any(String) } });
  expect(wrong).toMatchObject({ code: 'TDB02W', error: expect.stringContaining("'private'") });
});

test('nobody signs in as somebody else, and compression is not agreed on', async () => {
  const client = await connect({ compressors: ['zlib'] });

  await expect(client.db('admin').command({ saslStart: 1, mechanism: 'PLAIN', payload: 'x' })).rejects.toMatchObject({
    code: 13,
  });
  await expect(client.db('admin').command({ logout: 1 })).rejects.toMatchObject({ code: 13 });
  const greetings = mongodb.commands.filter((command) => /^(hello|ismaster)$/i.test(Object.keys(command)[0] ?? ''));
  expect(greetings.length).toBeGreaterThan(0);
  for (const greeting of greetings) expect(greeting).not.toHaveProperty('compression');
});

test('a password in a command is written nowhere', async () => {
  const client = await connect();

  await client.db('shop').command({ createUser: 'eve', pwd: 'hunter2', roles: [] });

  await expect.poll(told).toHaveLength(1);
  const [event] = await told();
  expect(event?.db_query).toContain('"createUser": "eve", "pwd": "***"');
  expect(JSON.stringify(await world.gateway.events())).not.toContain('hunter2');
});

test('a role that is taken away ends what runs, with the reason, and the connection at the server', async () => {
  const client = await connect();
  const running = client.db('shop').command({ sleep: 1 });
  running.catch(() => {});
  await expect.poll(names).toContain('sleep');

  await world.gateway.setRoles('ann', []);

  await expect(running).rejects.toMatchObject({ code: 11601 });
  await expect.poll(() => mongodb.connections()).toBe(0);
});

test('the hops to it are tried, up to the version that it tells', async () => {
  const { steps } = await call(world.admin.send, databaseRoutes.check, {
    params: CLUSTER,
    body: {
      ...{ protocol: 'mongodb', uri: `localhost:${mongodb.port}`, tls: { ca: mongodb.ca }, signIn: 'password' },
      ...{ database: 'shop', dbUser: 'app', password: PASSWORD },
    },
  });

  // Its certificate is one of a day.
  expect(steps.map(({ status }) => status)).toEqual(['ok', 'ok', 'warning', 'ok', 'ok']);
  expect(JSON.stringify(steps)).toContain('7.0.14');
});

test('what the database refuses is told to the client and to the log', async () => {
  await call(world.admin.send, databaseRoutes.setSecret, {
    params: { ...CLUSTER, name: 'shop', dbUser: 'app' },
    body: { password: 'wrong' },
  });

  await expect(connect({ serverSelectionTimeoutMS: 1_000 })).rejects.toThrow();
  await expect
    .poll(async () => (await world.gateway.events()).find(({ code }) => code === 'TDB00W')?.data)
    .toMatchObject({ success: false, error: expect.stringContaining('Authentication failed') });
});
