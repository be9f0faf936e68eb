/** `gatehouse proxy db` under the programs of MariaDB and Redis, with real servers. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { type DbWorld, startDbWorldOf } from '@gatehouse/gateway/testing/db/db-world';
import { PASSWORD as MARIADB_PASSWORD, startSecureMariadb } from '@gatehouse/gateway/testing/db/secure-mariadb';
import { PASSWORD as REDIS_PASSWORD, startSecureRedis } from '@gatehouse/gateway/testing/db/secure-redis';
import { cleanEnvironment, ended, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterEach, expect, test } from 'vitest';

const run = promisify(execFile);
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function startProxy(world: DbWorld, ...args: string[]): Promise<string> {
  const ann = await world.gateway.signedIn('ann');
  const { token } = await call(ann.send, apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } });
  const env = { ...cleanEnvironment(), GATEHOUSE_ADDRESS: world.origin, GATEHOUSE_TOKEN: token };
  const proxy: ChildProcess = spawn(
    `${ROOT}/gatehouse`,
    ['proxy', 'db', ...args, '--listen', '0', '--format', 'json'],
    {
      ...{ env, stdio: ['ignore', 'pipe', 'inherit'] },
    },
  );
  closing.push(() => ended(proxy, 'SIGTERM'));
  const [line] = (await once(proxy.stdout!, 'data')) as [Buffer];
  return (JSON.parse(String(line)) as { address: string }).address.split(':')[1] ?? '';
}

test('mariadb comes in without a password, and its Ctrl-C cancels at the server', async () => {
  const mariadb = await startSecureMariadb();
  closing.push(() => mariadb.stop());
  const world = await startDbWorldOf({
    ...{ protocol: 'mysql', port: mariadb.port, ca: mariadb.ca, database: 'shop', dbNames: ['shop'] },
    ...{ dbUsers: ['by_native'], password: MARIADB_PASSWORD },
  });
  closing.push(() => world.close());
  const port = await startProxy(world, 'shop');
  const args = (sql: string) => ['--no-defaults', '-h', '127.0.0.1', '-P', port, '-N', '-B', '-e', sql];

  const { stdout } = await run('mariadb', args('select current_user(), database()'));
  expect(stdout).toBe('by_native@127.0.0.1\tshop\n');

  const child = spawn('mariadb', args('select sleep(600)'), { stdio: ['ignore', 'ignore', 'pipe'] });
  const running = "select count(*) from information_schema.processlist where info = 'select sleep(600)'";
  const sleeping = async () => (await run('mariadb', args(running))).stdout;
  await expect.poll(sleeping).toBe('1\n');
  child.kill('SIGINT');
  const [status] = await once(child, 'close');

  expect(status).not.toBe(0);
  await expect.poll(sleeping).toBe('0\n');
  const killed = async () =>
    (await world.gateway.events()).filter(({ data }) => /^kill query \d+/i.test(String(data.db_query)));
  await expect.poll(killed).toMatchObject([{ code: 'TDB02I' }]);

  await world.gateway.setRoles('ann', []);
  const refused = await run('mariadb', args('select 1')).catch((error: { stderr: string }) => error);
  // Whatever a server says before TLS, this client puts into words of its own.
  expect(refused.stderr).toContain("database 'shop' not found");
});

test('redis-cli comes in without a password', async () => {
  const redis = await startSecureRedis();
  closing.push(() => redis.stop());
  const world = await startDbWorldOf({
    ...{ protocol: 'redis', port: redis.port, ca: redis.ca, database: '', dbNames: ['0', '1'] },
    ...{ dbUsers: ['app'], password: REDIS_PASSWORD },
  });
  closing.push(() => world.close());
  const port = await startProxy(world, 'shop');
  const cli = async (...words: string[]) => (await run('redis-cli', ['-p', port, ...words])).stdout;

  expect(await cli('ACL', 'WHOAMI')).toBe('app\n');
  expect(await cli('-n', '1', 'SET', 'k', 'v')).toBe('OK\n');
  expect(await cli('-n', '1', 'GET', 'k')).toBe('v\n');
  expect(await cli('GET', 'k')).toBe('\n');

  await world.gateway.setRoles('ann', []);
  expect(await cli('GET', 'k')).toMatch(/^ERR database 'shop' not found/);
});
