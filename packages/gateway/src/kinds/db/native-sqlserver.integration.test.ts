/** Programs of SQL Server straight to the gateway's public port, by TDS 8.0: TLS comes first, and says what it is for. The server is a stub, as no real one can be had. */
import { once } from 'node:events';
import { request } from 'node:https';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { CLUSTER } from '../../../testing/db/db-world.ts';
import { type ClientPair, type NativeWorld, startNativeWorldOf } from '../../../testing/db/native-world.ts';
import { PlainSqlserver } from '../../../testing/db/plain-sqlserver.ts';
import { type StubSqlserver, startStubSqlserver } from '../../../testing/db/stub-sqlserver.ts';
import { TYPE } from './engine/sqlserver/packets.ts';

const PASSWORD = 'a secret of the shop';
let sqlserver: StubSqlserver;
let world: NativeWorld;
beforeAll(async () => {
  sqlserver = await startStubSqlserver({ app: PASSWORD });
  const own = {
    ...({ protocol: 'sqlserver', port: sqlserver.port, ca: sqlserver.ca } as const),
    ...{ database: 'shop', dbUsers: ['app'], password: PASSWORD },
  };
  world = await startNativeWorldOf([
    { ...own, name: 'sales' },
    { ...own, name: 'other' },
    { ...own, name: 'hidden', env: 'prod' },
    { ...own, name: 'docs', protocol: 'mongodb' },
  ]);
});
afterAll(async () => {
  await world?.gateway.close();
  await sqlserver?.stop();
});

async function reached(pair?: ClientPair, servername = 'localhost', more: object = {}): Promise<TLSSocket> {
  const socket = connectTls({
    ...{ host: '127.0.0.1', port: world.port, ca: world.ca, servername, ALPNProtocols: ['tds/8.0'], ...pair },
    ...more,
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

const enter = async (pair?: ClientPair, servername?: string, database?: string) =>
  await PlainSqlserver.open(await reached(pair, servername), database);
const refused = (pair?: ClientPair, servername?: string) =>
  enter(pair, servername).then(
    () => 'let in',
    (error: Error) => error.message,
  );

let people = 0;
async function somebody() {
  people += 1;
  const name = `somebody-${people}`;
  await makeRole(
    world.admin,
    `role-${name}`,
    '{allow: {db_labels: {env: dev}, db_users: [app], db_names: [shop, stock]}}',
  );
  await world.gateway.addUser(name, { roles: [`role-${name}`] });
  return { name, who: await world.gateway.signedIn(name) };
}

const eventsOf = async (name: string) => (await world.gateway.events()).filter(({ user }) => user === name);

test('the certificate says who and which database: no password is given, and batches are told', async () => {
  const { name, who } = await somebody();
  const client = await enter(await world.certify(who, { name: 'sales' }));

  expect(client.agreed).toBe(0x08000000);
  expect(await client.run('select who, at_what')).toMatch(/app[\s\S]*shop/);
  expect(await client.run('select many')).toContain('row 19999 of many');
  await expect(client.run('use private')).rejects.toThrow(/^916 no role of yours/);
  await expect
    .poll(async () => (await eventsOf(name)).find(({ code }) => code === 'TDB02I')?.data)
    .toMatchObject({
      db_service: 'sales',
      db_user: 'app',
      db_query: 'select who, at_what',
      statement: { door: 'native' },
    });
});

test('each connection may name another database that a role gives, and none that no role gives', async () => {
  const { who } = await somebody();
  const pair = await world.certify(who, { name: 'sales' });

  expect(await (await enter(pair, 'localhost', 'stock')).run('select where_now')).toContain('stock');
  await expect(enter(pair, 'localhost', 'private')).rejects.toThrow(/^4060 /);
});

test('who shows no certificate, or comes to another name, is refused alike whether there is such a database or not', async () => {
  const nobody = await Promise.all(
    ['localhost', 'sales', 'hidden', 'none'].map((name) => refused(undefined, `${name}.db.localhost`)),
  );
  expect(new Set(nobody)).toEqual(new Set(['18456 no certificate was shown: gatehouse db login NAME gets one']));

  const pair = await world.certify(world.ann, { name: 'sales' });
  expect(await refused(pair, 'sales.db.localhost')).toBe('let in');
  const elsewhere = await Promise.all(['other', 'hidden', 'none'].map((name) => refused(pair, `${name}.db.localhost`)));
  expect(new Set(elsewhere)).toEqual(
    new Set(["18456 the certificate is for the database 'sales', and this name is another's"]),
  );
  expect(await refused(await world.certify(world.ann, { name: 'docs' }))).toMatch(
    /^18456 the database 'docs' speaks 'mongodb', which is not spoken here/,
  );
});

test.each([
  ['the role is taken', (name: string): Promise<unknown> => world.gateway.setRoles(name, [])],
  [
    'a lock is set',
    (name) => call(world.admin.send, lockRoutes.create, { params: CLUSTER, body: { targets: { user: name } } }),
  ],
])('when %s, what runs is cancelled at the server, told why, and nobody comes in again', async (_what, take) => {
  const { name, who } = await somebody();
  const pair = await world.certify(who, { name: 'sales' });
  const client = await enter(pair);
  sqlserver.came.length = 0;
  const running = client.run("waitfor delay '01:00'");
  await expect.poll(() => sqlserver.came.some(({ text }) => text.includes('waitfor'))).toBe(true);
  await Promise.all([take(name), expect(running).rejects.toThrow(/^596 /)]);
  await client.over;

  expect(sqlserver.came.at(-1)).toMatchObject({ type: TYPE.attention });
  expect(await refused(pair)).toMatch(/^18456 /);
});

test('who has no TDS 8.0 to say is a browser, and bytes that are no greeting are closed', async () => {
  const asked = request({
    ...{ host: '127.0.0.1', port: world.port, path: '/v1/webapi/ping', ca: world.ca, agent: false },
    ...{ servername: 'localhost', headers: { host: 'localhost:3080' }, ALPNProtocols: ['http/1.1'] },
  });
  asked.end();
  const [answer] = await once(asked, 'response');
  answer.resume();
  expect(answer.statusCode).toBe(200);
  for (const bytes of [
    'GET / HTTP/1.1\r\n\r\n',
    '\x12\x01\x00\x07\x00\x00\x00\x00',
    '\x12\x01\xff\xff\x00\x00\x00\x00',
  ]) {
    const socket = await reached();
    socket.on('error', () => {});
    socket.end(Buffer.from(bytes, 'latin1'));
    const [piece] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    expect(piece === undefined || typeof piece === 'boolean').toBe(true);
  }
});
