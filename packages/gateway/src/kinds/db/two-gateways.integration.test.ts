/** Two gateways on one PostgreSQL, with real databases behind them: what runs at one of them is cancelled through the other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type NativeWorld, startNativeWorldOf } from '../../../testing/db/native-world.ts';
import { PASSWORD, type SecureMariadb, startSecureMariadb } from '../../../testing/db/secure-mariadb.ts';
import {
  PASSWORD as POSTGRES_PASSWORD,
  type SecurePostgres,
  startSecurePostgres,
} from '../../../testing/db/secure-postgres.ts';
import { makeTestAuthority } from '../../../testing/db/test-authority.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { sharedStores } from '../../../testing/storage/shared-stores.ts';

let store: TestPostgres;
let mariadb: SecureMariadb;
let postgres: SecurePostgres;
let world: NativeWorld;
let there: IdentityGateway;
let ca: string;
let folder: string;

beforeAll(async () => {
  [store, mariadb, postgres] = await Promise.all([startPostgres(), startSecureMariadb(), startSecurePostgres()]);
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-two-'));
  const share = sharedStores(store.url);
  const { server, ...authority } = await makeTestAuthority();
  ca = authority.ca;
  const options = async () => ({ secure: { host: 'localhost', ...server }, shared: await share() });
  const shop = { name: 'shop', protocol: 'postgres', port: postgres.port, ca: postgres.ca } as const;
  const orders = { name: 'orders', protocol: 'mysql', port: mariadb.port, ca: mariadb.ca } as const;
  world = await startNativeWorldOf(
    [
      { ...shop, database: postgres.database, dbUsers: ['by_scram'], password: POSTGRES_PASSWORD },
      { ...orders, database: 'shop', dbUsers: ['by_native'], password: PASSWORD },
    ],
    await options(),
  );
  there = await startIdentityGateway(await options());
  await there.app.listen({ host: '127.0.0.1', port: 0 });
  for (const { dbDoors } of [world.gateway, there]) await dbDoors.mysqlDoor?.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await world?.gateway.close();
  await there?.close();
  await Promise.all([store?.stop(), mariadb?.stop(), postgres?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

/** Leads the first connection to one gateway, and every other to the other one, as a balancer may. */
async function startBalancer(first: number, others: number): Promise<number> {
  let count = 0;
  const server: Server = createServer((socket) => {
    count += 1;
    const far = connect(count === 1 ? first : others, '127.0.0.1');
    for (const each of [socket, far]) each.on('error', () => {});
    socket.pipe(far).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test("Ctrl-C in psql cancels at the server, though its request comes to another gateway than the session's", async () => {
  const { cert, key } = await world.certify(world.ann);
  for (const [name, text] of Object.entries({ 'ca.pem': ca, 'own.crt': cert, 'own.key': key })) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o600);
  }
  const port = await startBalancer(world.port, (there.app.server.address() as AddressInfo).port);
  const files = `sslrootcert=${folder}/ca.pem sslcert=${folder}/own.crt sslkey=${folder}/own.key`;
  const at = `host=localhost hostaddr=127.0.0.1 port=${port} sslmode=verify-full gssencmode=disable ${files}`;
  const target = `${at} user=by_scram dbname=${postgres.database}`;
  const program = spawn('psql', ['-X', '-w', '-q', '-d', target, '-c', 'select 1', '-c', 'select pg_sleep(600)']);
  onTestFinished(() => void program.kill('SIGKILL'));
  let [errors, output] = ['', ''];
  program.stderr.on('data', (piece: Buffer) => {
    errors += piece.toString();
  });
  program.stdout.on('data', (piece: Buffer) => {
    output += piece.toString();
  });
  // Not its exit: what it said last may still be on its way then.
  const over = once(program, 'close');
  await expect.poll(() => output + errors).toContain('1 row');
  // The first may come before the statement is asked.
  const timer = setInterval(() => program.kill('SIGINT'), 500);
  await over;
  clearInterval(timer);

  expect(errors).toMatch(/canceling statement due to user request/i);
});

async function sleeping(mark: string): Promise<number> {
  const watcher = await createConnection({
    ...{ host: '127.0.0.1', port: mariadb.port, user: 'by_native', password: PASSWORD },
  });
  const text = `select 1 from information_schema.processlist where info = '${mark}'`;
  const [rows] = await watcher.query<RowDataPacket[]>(text);
  await watcher.end();
  return rows.length;
}

test('KILL reaches a connection of the same person at another gateway, and nobody else gets there', async () => {
  const pair = await world.certify(world.ann, { name: 'orders' });
  await there.addUser('bob', { roles: ['dev'] });
  await world.gateway.settled();
  const others = await world.certify(await world.gateway.signedIn('bob'), { name: 'orders' });
  const connected = async ({ dbDoors }: IdentityGateway, shown: typeof pair): Promise<Connection> => {
    const port = dbDoors.mysqlDoor?.port() ?? 0;
    const client = await createConnection({
      ...{ host: '127.0.0.1', port, user: 'anybody', password: 'anything', ssl: { ca, ...shown } },
    });
    client.on('error', () => {});
    onTestFinished(() => client.destroy());
    return client;
  };
  const [first, second, bobs] = [
    await connected(world.gateway, pair),
    await connected(there, pair),
    await connected(there, others),
  ];
  const own = first.threadId ?? 0;
  const mark = 'select sleep(603)';
  const cancelled = first.query(mark).catch((error: unknown) => error);
  await expect.poll(() => sleeping(mark)).toBe(1);

  for (const text of [`kill query ${own}`, `kill ${own}`])
    await expect(bobs.query(text)).rejects.toMatchObject({ errno: 1094 });
  await expect(second.query(`kill query ${own} + 0`)).rejects.toThrow();
  expect(await sleeping(mark)).toBe(1);
  await second.query(`KILL QUERY ${own}`);
  await cancelled;
  // Who asked is told before the server forgets what it ran.
  await expect.poll(() => sleeping(mark)).toBe(0);
  expect((await first.query('select 1 as still'))[0]).toEqual([{ still: 1 }]);
  await second.query(`kill ${own};`);
  await expect(first.query('select 1')).rejects.toThrow();
  // And its client is gone before its gateway forgets it.
  const again = () => second.query(`kill ${own}`).catch((error: unknown) => error);
  await expect.poll(again).toMatchObject({ errno: 1094 });
  expect((await second.query('select 1 as still'))[0]).toEqual([{ still: 1 }]);
});
