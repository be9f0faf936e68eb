/** `gatehouse db login` for programs of MySQL, Redis, MongoDB and SQL Server, as people run it: they then come straight to the gateway. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { type NativeWorld, startNativeWorldOf } from '@gatehouse/gateway/testing/db/native-world';
import { PlainSqlserver } from '@gatehouse/gateway/testing/db/plain-sqlserver';
import {
  PASSWORD as MARIADB_PASSWORD,
  type SecureMariadb,
  startSecureMariadb,
} from '@gatehouse/gateway/testing/db/secure-mariadb';
import { PASSWORD, type SecureRedis, startSecureRedis } from '@gatehouse/gateway/testing/db/secure-redis';
import { type StubSqlserver, startStubSqlserver } from '@gatehouse/gateway/testing/db/stub-sqlserver';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
/** With a byte that is no text: a password of an older time. */
const MINE = '[client]\n# \xe9\nconnect_timeout=7\n\n[client_mine]\nhost=elsewhere';
let mariadb: SecureMariadb;
let redis: SecureRedis;
let sqlserver: StubSqlserver;
let world: NativeWorld;
let home: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  [mariadb, redis, sqlserver] = await Promise.all([
    ...([startSecureMariadb(), startSecureRedis(), startStubSqlserver({ app: PASSWORD })] as const),
  ]);
  const orders = { protocol: 'mysql', port: mariadb.port, ca: mariadb.ca, database: 'shop' } as const;
  const cache = { protocol: 'redis', port: redis.port, ca: redis.ca, database: '0' } as const;
  world = await startNativeWorldOf([
    { ...orders, name: 'orders', dbUsers: ['by_native'], password: MARIADB_PASSWORD },
    { ...orders, name: 'mine', dbUsers: ['by_native'], password: MARIADB_PASSWORD },
    { ...cache, name: 'cache', dbUsers: ['app'], password: PASSWORD },
    { ...cache, name: 'store', protocol: 'mongodb', database: 'shop', dbUsers: ['app'], password: PASSWORD },
    {
      ...{ name: 'sales', protocol: 'sqlserver', port: sqlserver.port, ca: sqlserver.ca, database: 'shop' },
      ...{ dbUsers: ['app'], password: PASSWORD },
    },
  ]);
  home = mkdtempSync(join(tmpdir(), 'gatehouse-login-'));
  const { token } = await call(world.ann.send, apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } });
  const trust = join(home, 'ca.pem');
  writeFileSync(trust, world.ca);
  writeFileSync(join(home, '.my.cnf'), MINE, 'latin1');
  env = {
    ...{ ...cleanEnvironment(), HOME: home, XDG_CONFIG_HOME: join(home, 'config') },
    ...{ GATEHOUSE_ADDRESS: `https://localhost:${world.port}`, GATEHOUSE_TOKEN: token, NODE_EXTRA_CA_CERTS: trust },
  };
});
afterAll(async () => {
  await world?.gateway.close();
  await Promise.all([mariadb?.stop(), redis?.stop(), sqlserver?.stop()]);
  rmSync(home, { recursive: true, force: true });
});

const gatehouse = (...args: string[]) => run(`${ROOT}/gatehouse`, ['db', ...args], { env });
const typed = (command: string) => run('sh', ['-c', command], { env });
/** What people are told to type. */
const commandIn = (told: string) => /Connect with: (.*)\n/.exec(told)?.[1] ?? '';

test('mariadb is let in by the group that login writes, what was there stays, and logout takes it away', async () => {
  await expect(gatehouse('login', 'orders', '--db-user', 'by_native')).rejects.toMatchObject({
    stderr: expect.stringContaining('databases.mysqlListen'),
  });
  await world.gateway.dbDoors.mysqlDoor?.listen({ host: '127.0.0.1', port: 0 });
  const { stdout: told } = await gatehouse('login', 'orders', '--db-user', 'by_native');
  const command = commandIn(told);
  const file = join(home, '.my.cnf');

  expect(command).toBe('mariadb --defaults-group-suffix=_orders');
  const asked = `-N -B -e 'select current_user(), @@have_ssl, database()'`;
  expect((await typed(`${command} ${asked}`)).stdout).toBe('by_native@127.0.0.1\tYES\tshop\n');
  const { stdout: variables } = await gatehouse('env', 'orders');
  expect((await typed(`${variables.trim()}; mariadb ${asked}`)).stdout).toContain('by_native');
  expect(readFileSync(file, 'latin1').startsWith(`${MINE}\n[client_orders]\n`)).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  // The name of the gateway is looked at: another machine's certificate would not do.
  const elsewhere = await typed(`${command} -h 127.0.0.2 ${asked}`).catch((error: { stderr: string }) => error);
  expect(elsewhere.stderr).toMatch(/certificate|connect/i);
  await expect(gatehouse('login', 'mine', '--db-user', 'by_native')).rejects.toMatchObject({
    stderr: expect.stringContaining("'client_mine' of your own"),
  });

  await gatehouse('logout', 'orders');
  expect(readFileSync(file, 'latin1')).toBe(`${MINE}\n`);
});

test('redis-cli is let in by what login prints, and config says the same', async () => {
  const { stdout: told } = await gatehouse('login', 'cache', '--db-user', 'app');
  const command = commandIn(told);

  expect(command).toMatch(/^redis-cli -h localhost .*--sni cache\.db\.localhost/);
  expect((await typed(`${command} ACL WHOAMI`)).stdout).toBe('app\n');
  const { stdout: config } = await gatehouse('config', 'cache', '--format', 'json');
  const facts = JSON.parse(config);
  expect(facts).toMatchObject({ command, serverName: 'cache.db.localhost', tls: true, port: world.port });
  expect((await gatehouse('config', 'cache')).stdout).toContain('cache.db.localhost, as its TLS must name it');

  await gatehouse('logout', 'cache');
  expect([facts.key, facts.certificate].map((file) => existsSync(file))).toEqual([false, false]);
  await expect(gatehouse('config', 'cache')).rejects.toMatchObject({
    stderr: expect.stringContaining('db login cache'),
  });
});

test('programs of MongoDB get key and certificate in one file, and an address that names both', async () => {
  const { stdout: told } = await gatehouse('login', 'store', '--db-user', 'app');
  const address = new URL(/mongodb:\/\/[^' ]+/.exec(told)?.[0] ?? '');

  expect(address.host).toBe(`store.db.localhost:${world.port}`);
  const both = readFileSync(address.searchParams.get('tlsCertificateKeyFile') ?? '', 'utf8');
  expect(both).toMatch(/BEGIN CERTIFICATE[\s\S]+BEGIN PRIVATE KEY/);
  expect(told).toContain('the name store.db.localhost must lead to the gateway');
  await gatehouse('logout', 'store');
});

test('a program of SQL Server is let in by what config says, and none of a terminal is named', async () => {
  const { stdout: told } = await gatehouse('login', 'sales', '--db-user', 'app');
  expect(told).toContain('What a program is told: gatehouse db config sales');
  expect(told).toContain('must speak TDS 8.0 (encrypt: strict) and show a certificate');
  const facts = JSON.parse((await gatehouse('config', 'sales', '--format', 'json')).stdout);
  const [ca, cert, key] = [facts.roots, facts.certificate, facts.key].map((file: string) => readFileSync(file, 'utf8'));
  const socket = connectTls({ host: facts.host, port: facts.port, ca, cert, key, ALPNProtocols: ['tds/8.0'] });
  await once(socket, 'secureConnect');
  const client = await PlainSqlserver.open(socket);
  expect(await client.run('select who')).toMatch(/app.*shop/);
  client.drop();
  await expect(gatehouse('env', 'sales')).rejects.toMatchObject({
    stderr: expect.stringContaining('takes variables'),
  });

  await gatehouse('logout', 'sales');
  expect([facts.key, facts.certificate].map((file) => existsSync(file))).toEqual([false, false]);
});
