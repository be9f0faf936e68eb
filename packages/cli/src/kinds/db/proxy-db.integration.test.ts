/** `gatehouse db` and `gatehouse proxy db` as people run them: real processes, psql, and a real PostgreSQL. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { makeRole } from '@gatehouse/gateway/testing/apps/app-world';
import { type DbWorld, startDbWorld } from '@gatehouse/gateway/testing/db/db-world';
import { PASSWORD, type SecurePostgres, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import type { TestBrowser } from '@gatehouse/gateway/testing/test-browser';
import { cleanEnvironment, ended, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
let postgres: SecurePostgres;
let world: DbWorld;
let folder: string;
const proxies: ChildProcess[] = [];
let tokens = 0;
beforeAll(async () => {
  postgres = await startSecurePostgres();
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-db-'));
  world = await startDbWorld(postgres, { dataDir: join(folder, 'data') });
});
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => ended(proxy, 'SIGTERM')));
  await world?.close();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function environmentOf(who: TestBrowser): Promise<Record<string, string>> {
  tokens += 1;
  const { token } = await call(who.send, apiTokenRoutes.create, { body: { name: `cli-${tokens}`, scope: 'all' } });
  return { ...cleanEnvironment(), GATEHOUSE_ADDRESS: world.origin, GATEHOUSE_TOKEN: token };
}

/** Signed in once: a gateway takes only so many from one address in a minute. */
let anns: Promise<Record<string, string>> | undefined;
function annsEnvironment(): Promise<Record<string, string>> {
  anns ??= world.gateway.signedIn('ann').then(environmentOf);
  return anns;
}

async function startProxy(...args: string[]): Promise<number> {
  const env = await annsEnvironment();
  const proxy = spawn(`${ROOT}/gatehouse`, ['proxy', 'db', ...args, '--listen', '0', '--format', 'json'], {
    ...{ env, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  proxies.push(proxy);
  const [line] = (await once(proxy.stdout!, 'data')) as [Buffer];
  return Number((JSON.parse(String(line)) as { address: string }).address.split(':')[1]);
}

const psql = (port: number, ...more: string[]) => ['-X', '-w', '-At', '-h', '127.0.0.1', '-p', String(port), ...more];

test('a database that was added by a command is reached by psql without a password, and removed again', async () => {
  const env = await environmentOf(await world.gateway.signedIn('admin'));
  const gatehouse = (...args: string[]) => run(`${ROOT}/gatehouse`, args, { env });
  const [secret, ca] = [join(folder, 'password'), join(folder, 'ca.pem')];
  writeFileSync(secret, `${PASSWORD}\n`);
  writeFileSync(ca, postgres.ca);
  const uri = `postgres://localhost:${postgres.port}`;
  const flags = ['--sign-in', 'password', '--db-user', 'by_scram', '--db-name', postgres.database];
  await gatehouse('db', 'add', 'orders', uri, ...flags, '--password-file', secret, '--ca', ca, '--labels', 'env=dev');
  const annsOwn = await annsEnvironment();
  const { stdout } = await run(`${ROOT}/gatehouse`, ['db', 'ls', '--format', 'json'], { env: annsOwn });
  expect(JSON.parse(stdout)).toMatchObject([{ name: 'orders', protocol: 'postgres' }, { name: 'shop' }]);
  const port = await startProxy('orders', '--tunnel', '--db-user', 'by_scram', '--db-name', postgres.database);

  expect((await run('psql', psql(port, '-c', 'select current_user'))).stdout).toBe('by_scram\n');
  await gatehouse('db', 'rm', 'orders');
  await expect(run('psql', psql(port, '-c', 'select 1'))).rejects.toThrow();
});

test('adding a database tells each hop, warns where one fails, and never repeats a password', async () => {
  const env = await environmentOf(await world.gateway.signedIn('admin'));
  const gatehouse = (...args: string[]) => run(`${ROOT}/gatehouse`, args, { env });
  const [wrong, ca] = [join(folder, 'wrong'), join(folder, 'ca.pem')];
  writeFileSync(wrong, 'not-the-password\n');
  writeFileSync(ca, postgres.ca);
  const uri = `postgres://localhost:${postgres.port}`;
  const flags = ['--sign-in', 'password', '--db-user', 'by_scram', '--password-file', wrong, '--ca', ca];
  const { stdout, stderr } = await gatehouse('db', 'add', 'wrong', uri, ...flags);

  expect(stdout).toMatch(/^✓ reach .*\n✓ tcp .*\n! tls .*1 more day.*\n *→ .*\n✗ login .*authentication failed.*\n/);
  expect(stdout).toContain(
    "database 'wrong' added\nLet somebody connect with: gatehouse users edit NAME --db-users by_scram --db-names DATABASE\n",
  );
  expect(stderr).toMatch(/^warning: 'wrong' is added, and cannot be reached yet: .*authentication failed/);
  expect(stdout + stderr).not.toContain('not-the-password');
  expect((await gatehouse('db', 'show', 'wrong')).stdout).toContain('by_scram');
  await gatehouse('db', 'rm', 'wrong');
  const quiet = await gatehouse('db', 'add', 'wrong', uri, ...flags, '--no-check');
  expect(quiet.stdout).not.toContain('reach ');
  await gatehouse('db', 'rm', 'wrong');
  const refused = gatehouse('db', 'add', 'x', 'postgres://me:hush/hush@db').catch((error: { stderr: string }) => error);
  // The system's own words hold the command; what we write does not.
  expect((await refused).stderr).toMatch(/holds a name or password/);
  expect((await refused).stderr).not.toContain('hush');
});

test('a connection is tested as somebody, and what fails says what to do', async () => {
  const env = await environmentOf(await world.gateway.signedIn('admin'));
  const testing = (...args: string[]) => run(`${ROOT}/gatehouse`, ['db', 'test', 'shop', ...args], { env });
  const rules = '{resources: [connection_diagnostic], verbs: [create, read]}';
  await makeRole(
    world.admin,
    'tester',
    `{allow: {db_labels: {'*': '*'}, db_users: ['*'], db_names: ['*'], rules: [${rules}]}}`,
  );
  await world.gateway.addUser('tess', { roles: ['tester'] });
  Object.assign(env, await environmentOf(await world.gateway.signedIn('tess')));

  expect((await testing('--db-user', 'by_scram')).stdout).toMatch(
    /✓ access .*\n✓ access .*\n✓ reach .*\n✓ tcp .*\n✓ tls .*\n✓ protocol .*\n✓ login .*\n✓ database .*\n✓ rights .*\n'by_scram' can connect to 'shop'\n$/,
  );
  const failed = await testing('--db-user', 'nobody').catch((error: { code: number; stdout: string }) => error);
  expect(failed).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/✗ login .*set-password shop nobody/),
  });
});

test('a program whose connection is refused hears why, in the words of its protocol', async () => {
  const port = await startProxy('shop', '--db-user', 'nobody');
  const refused = await run('psql', psql(port, '-c', 'select 1')).catch((error: { stderr: string }) => error);

  expect(refused.stderr).toMatch(/FATAL: {2}access denied: .*'nobody'/);
  expect(refused.stderr).not.toContain('closed the connection');
});

test('Ctrl-C in psql cancels at the server, and is no session of its own', async () => {
  const port = await startProxy('shop', '--db-user', 'by_scram');
  const child = spawn('psql', psql(port, '-c', 'select pg_sleep(600)'), { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  const running =
    "select count(*)::int from pg_stat_activity where query = 'select pg_sleep(600)' and state = 'active'";
  await expect.poll(async () => (await run('psql', ['-X', '-At', postgres.url, '-c', running])).stdout).toBe('1\n');
  const begun = async () => (await world.gateway.events()).filter(({ code }) => code === 'TDB00I').length;
  const before = await begun();
  child.kill('SIGINT');
  await once(child, 'close');

  expect(said).toContain('canceling statement due to user request');
  expect(await begun()).toBe(before);
});

test.each([
  [['db', 'add', 'x', 'oracle://db'], /begins with 'oracle:\/\/'/],
  [['db', 'add', 'x', 'postgres://me:secret@db'], /holds a name or password/],
  [['db', 'add', 'x', 'postgres://db', '--sign-in', 'password'], /--db-user/],
  [['db', 'add', 'x', 'postgres://db', '--sign-in', 'password', '--db-user', 'a'], /--password-file/],
  [['proxy', 'db', 'shop', '--listen', '0'], /say which user with --db-user: you may use by_md5, by_scram/],
  [['proxy', 'db', 'nothing', '--db-user', 'a'], /not found/],
])('%j is refused in words', async (args, words) => {
  const env = await annsEnvironment();

  await expect(run(`${ROOT}/gatehouse`, args, { env })).rejects.toThrow(words);
});

/** With a folder of its own for sockets and for what is kept. */
async function startOwn(args: string[], expected: (text: string) => boolean) {
  const env = {
    ...(await annsEnvironment()),
    XDG_RUNTIME_DIR: folder,
    XDG_CONFIG_HOME: folder,
  };
  const proxy = spawn(`${ROOT}/gatehouse`, ['proxy', 'db', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  proxies.push(proxy);
  let [out, errors] = ['', ''];
  proxy.stderr.on('data', (chunk) => {
    errors += String(chunk);
  });
  proxy.stdout.on('data', (chunk) => {
    out += String(chunk);
  });
  await expect.poll(() => expected(out) || proxy.exitCode !== null).toBe(true);
  return { proxy, out, errors: () => errors };
}
const CHOICE = ['--db-user', 'by_scram'];
const isReady = (text: string) => text.includes('Ctrl-C ends it');

test('without a port it is at a socket that only its owner can open, the same each time, and a killed one leaves nothing in the way', async () => {
  const first = await startOwn(['shop', ...CHOICE], isReady);
  const [, command = ''] = /^shop is at \S+: (psql .*)$/m.exec(first.out) ?? [];
  const select = () => run('sh', ['-c', `${command} -X -w -At -c 'select current_user'`]);
  expect((await select()).stdout).toBe('by_scram\n');
  const [, path = ''] = /^shop is at (\S+):/m.exec(first.out) ?? [];
  expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);

  const second = await startOwn(['shop', ...CHOICE], isReady);
  await expect.poll(() => second.proxy.exitCode).toBe(1);
  expect(second.errors()).toContain('already');

  await ended(first.proxy, 'SIGKILL');
  await expect(select()).rejects.toThrow();
  const third = await startOwn(['shop', ...CHOICE], isReady);
  expect(third.out).toBe(first.out);
  expect((await select()).stdout).toBe('by_scram\n');

  await ended(third.proxy, 'SIGTERM');
  chmodSync(join(path, '..'), 0o750);
  const fourth = await startOwn(['shop', ...CHOICE], isReady);
  await expect.poll(() => fourth.proxy.exitCode).toBe(1);
  expect(fourth.errors()).toContain('others can open');
});

test('any free port is the same port again the next time', async () => {
  const args = ['shop', ...CHOICE, '--listen', '0'];
  const first = await startOwn(args, isReady);
  await ended(first.proxy, 'SIGTERM');
  const second = await startOwn(args, isReady);

  expect(first.out).toMatch(/127\.0\.0\.1:\d+/);
  expect(second.out).toBe(first.out);
  const third = await startOwn(args, isReady);
  expect(third.out).toMatch(/127\.0\.0\.1:\d+/);
  expect(third.out).not.toBe(first.out);
});

test('--all listens for every database that needs no choice, and says which do', async () => {
  const { out, errors } = await startOwn(['--all', '--db-name', 'none-such', '--db-user', 'by_scram'], isReady);
  expect(out).toMatch(/^shop is at /);
  expect(errors()).toBe(`warning: no role of yours gives the database 'none-such': you may use ${postgres.database}\n`);
  const left = await startOwn(['--all'], isReady);
  await expect.poll(() => left.proxy.exitCode).not.toBeNull();
  expect(left.errors()).toMatch(/'shop' is left out: say which user with --db-user/);
  const ports = await startOwn(['--all', '--listen', '5432'], isReady);
  await expect.poll(() => ports.proxy.exitCode).toBe(2);
  expect(ports.errors()).toContain('one port leads to one thing');
});

test('what was done there is listed, taken out and checked by the commands for recordings', async () => {
  const port = await startProxy('shop', ...CHOICE);
  await run('psql', psql(port, '-c', 'select 6 * 7 as recorded_by_command'));
  await world.gateway.addUser('eve', { roles: ['auditor'] });
  const env = await environmentOf(await world.gateway.signedIn('eve'));
  const recordings = (...args: string[]) => run(`${ROOT}/gatehouse`, ['recordings', ...args], { env });
  const statements = async () => {
    const { stdout } = await recordings('ls', '--format', 'json');
    const all = (JSON.parse(stdout) as { sid: string }[]).map(({ sid }) => sid);
    const taken = await Promise.all(
      all.map((sid) => recordings('export', sid, '--as', 'sql').then(({ stdout }) => [sid, stdout])),
    );
    return taken.find(([, sql]) => sql?.includes('select 6 * 7 as recorded_by_command'));
  };
  await expect.poll(async () => (await statements())?.[1], { timeout: 30_000 }).toBeTruthy();
  const [sid = ''] = (await statements()) ?? [];

  expect((await recordings('ls')).stdout).toMatch(new RegExp(`${sid} .* ann .* by_scram@shop/.* complete`));
  const lines = (await recordings('export', sid, '--as', 'jsonl')).stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ text: 'select 6 * 7 as recorded_by_command', ok: true, rows: 1 }),
  );
  expect((await recordings('verify', sid)).stdout).toContain('is as it was written');
});
