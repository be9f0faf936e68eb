/** Redis behind the gateway, as programs reach it: what is decided, told and ended, with a real server. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { CLUSTER, type DbWorld, startDbWorldOf } from '../../../testing/db/db-world.ts';
import { PASSWORD, type SecureRedis, startSecureRedis } from '../../../testing/db/secure-redis.ts';

const run = promisify(execFile);
const SHOP = { params: { ...CLUSTER, name: 'shop' } };
let redis: SecureRedis;
let world: DbWorld;
beforeAll(async () => {
  redis = await startSecureRedis();
});
afterAll(() => redis?.stop());
beforeEach(async () => {
  world = await startDbWorldOf({
    ...{ protocol: 'redis', port: redis.port, ca: redis.ca, database: '', dbNames: ['0', '3'] },
    ...{ dbUsers: ['app', 'reader'], password: PASSWORD },
  });
});
afterEach(() => world.close());

/** What each line of input is answered with. */
async function cli(port: number, ...lines: string[]): Promise<string[]> {
  const child = spawn('redis-cli', ['-p', String(port)], { stdio: ['pipe', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  child.stdin.end(`${lines.join('\n')}\n`);
  await once(child, 'close');
  return said.split('\n').filter((line) => line !== '');
}

async function told() {
  const events = await world.gateway.events();
  return events.filter(({ code }) => /^TDB0[0126]/.test(code));
}

test('somebody whose role gives it comes in without a password, and each command is in the log', async () => {
  const { port } = await world.tunnel();

  expect(await cli(port, 'ACL WHOAMI', 'SET k v', 'INCR k')).toEqual([
    ...['app', 'OK', 'ERR value is not an integer or out of range'],
  ]);
  await expect.poll(async () => (await told()).map(({ code }) => code)).toContain('TDB01I');
  const events = (await told()).filter(({ data }) => !String(data.db_query).includes('COMMAND'));
  expect(events.map(({ code }) => code)).toEqual(['TDB00I', 'TDB02I', 'TDB02I', 'TDB02W', 'TDB01I']);
  const common = { user: 'ann', db_service: 'shop', db_protocol: 'redis', db_user: 'app', db_name: '0' };
  expect(events[2]?.data).toMatchObject({
    ...common,
    db_query: '"SET" "k" "v"',
    success: true,
    statement: { door: 'tunnel', backend: expect.any(Number) },
  });
  expect(events[3]?.data).toMatchObject({ ...common, db_query: '"INCR" "k"', success: false });
});

test('databases have numbers: those of roles may be selected, others are refused', async () => {
  const { port } = await world.tunnel();

  expect(await cli(port, 'SELECT 3', 'SET here 3', 'SELECT 4', 'GET here', 'SELECT 0')).toEqual([
    ...['OK', 'OK', 'NOPERM this user may not use the database 4 here', '3', 'OK'],
  ]);
  await expect
    .poll(async () => (await told()).find(({ code }) => code === 'TDB02W')?.data)
    .toMatchObject({ db_query: '"SELECT" "4"', error: expect.stringContaining('NOPERM') });
});

test('one that no role gives is not opened', async () => {
  const { port, failures } = await world.tunnel({ dbName: '5' });

  await expect(run('redis-cli', ['-p', String(port), 'PING'])).rejects.toThrow();
  expect(failures[0]).toMatchObject({ code: 'denied' });
});

test('what the database refuses is told to the client and to the log', async () => {
  await call(world.admin.send, databaseRoutes.setSecret, {
    params: { ...SHOP.params, dbUser: 'app' },
    body: { password: 'wrong' },
  });
  const { port } = await world.tunnel();

  expect(await cli(port, 'GET k')).toEqual([expect.stringContaining('WRONGPASS')]);
  await expect
    .poll(async () => (await told()).find(({ code }) => code === 'TDB00W')?.data)
    .toMatchObject({ success: false, error: expect.stringContaining('WRONGPASS') });
});

test('when the role is taken, the reason is said, and what waits at the server is over', async () => {
  const { port } = await world.tunnel();
  const waiting = cli(port, 'BLPOP nothing 600');
  const blocked = async () => {
    const [info = ''] = (await cli(port, 'INFO clients')).filter((line) => line.startsWith('blocked_clients'));
    return info.trim();
  };
  await expect.poll(blocked).toBe('blocked_clients:1');
  await world.gateway.setRoles('ann', []);

  expect((await waiting).join('\n')).toContain('access denied');
});

test('one that is only read takes no command that changes something, nor any that nobody knows', async () => {
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { readOnly: true } });
  const { port } = await world.tunnel();

  expect(await cli(port, 'GET nothing', 'SET k v', 'EVAL "return 1" 0', 'FLUSHALL', 'PING')).toEqual([
    ...['NOPERM SET does not pass here: this connection only reads'],
    ...['NOPERM EVAL does not pass here: this connection only reads'],
    ...['NOPERM FLUSHALL does not pass here: this connection only reads', 'PONG'],
  ]);
});

test('a command that runs too long ends its connection, with the reason', async () => {
  await call(world.admin.send, databaseRoutes.update, { ...SHOP, body: { limits: { statementTimeoutMs: 200 } } });
  const { port } = await world.tunnel();

  expect((await cli(port, 'BLPOP nothing 600')).join(' ')).toContain('it ran longer than a command may here');
});
