/** `gatehouse db connect`, `env` and `config` as people run them: real processes, psql, and a real PostgreSQL. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { type DbWorld, startDbWorld } from '@gatehouse/gateway/testing/db/db-world';
import { type SecurePostgres, startSecurePostgres } from '@gatehouse/gateway/testing/db/secure-postgres';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const GATEHOUSE = `${ROOT}/gatehouse`;
let postgres: SecurePostgres;
let world: DbWorld;
let env: Record<string, string>;
let folder: string;
beforeAll(async () => {
  postgres = await startSecurePostgres();
  world = await startDbWorld(postgres);
  const { token } = await call(world.ann.send, apiTokenRoutes.create, { body: { name: 'cli', scope: 'all' } });
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-connect-'));
  env = { ...cleanEnvironment(), GATEHOUSE_ADDRESS: world.origin, GATEHOUSE_TOKEN: token, TMPDIR: folder };
});
afterAll(async () => {
  await world?.close();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const connect = (...args: string[]) =>
  run(GATEHOUSE, ['db', 'connect', 'shop', '--db-user', 'by_scram', ...args], { env });

test('psql is started on a socket that nobody else can open, and nothing of it is left', async () => {
  const { stdout } = await connect(
    ...['--', '-XAtc', 'select current_user', '-c', '\\echo :HOST', '-c', '\\! stat -c %a "$TMPDIR"/gatehouse-db-*'],
  );
  const [user, host = '', mode] = stdout.trim().split('\n');

  expect({ user, mode }).toEqual({ user: 'by_scram', mode: '700' });
  expect(host.startsWith(join(folder, 'gatehouse-db-'))).toBe(true);
  expect(readdirSync(folder)).toEqual([]);
});

test('it ends as the program ends', async () => {
  await expect(connect('--', '-XAtc', 'select 1/0')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('division by zero'),
  });
});

test('who is let in nowhere hears why, beside what the program makes of it', async () => {
  const asNobody = run(GATEHOUSE, ['db', 'connect', 'shop', '--db-user', 'nobody', '--', '-XAtc', 'select 1'], { env });
  await expect(asNobody).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("none of your roles lets you connect to 'shop' as 'nobody'"),
  });
});

test("Ctrl-C is the program's own, and cancels at the server", async () => {
  const child = spawn(
    GATEHOUSE,
    ['db', 'connect', 'shop', '--db-user', 'by_scram', '--', '-XAtc', 'select pg_sleep(300)'],
    // A group of its own, as a terminal has it.
    { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  let said = '';
  child.stderr.on('data', (piece: Buffer) => {
    said += piece.toString();
  });
  const running =
    "select count(*)::int from pg_stat_activity where query = 'select pg_sleep(300)' and state = 'active'";
  await expect.poll(async () => (await run('psql', ['-X', '-At', postgres.url, '-c', running])).stdout).toBe('1\n');
  process.kill(-child.pid!, 'SIGINT');
  await once(child, 'close');

  expect(said).toContain('canceling statement due to user request');
});

test('a program that is missing is named, with where to get it', async () => {
  const bin = join(folder, 'empty');
  mkdirSync(bin);
  // What the command itself is started with.
  for (const tool of ['dirname', 'readlink', 'uname', 'head', 'find']) symlinkSync(`/usr/bin/${tool}`, join(bin, tool));
  const failed = run(GATEHOUSE, ['db', 'connect', 'shop', '--db-user', 'by_scram'], { env: { ...env, PATH: bin } });

  await expect(failed).rejects.toMatchObject({ stderr: expect.stringContaining('postgresql-client') });
  rmSync(bin, { recursive: true });
});

test('variables and fields lead to the port that proxy db listens on', async () => {
  const { port } = await world.tunnel();
  const at = ['shop', '--db-user', 'by_scram', '--listen', `127.0.0.1:${port}`];
  const { stdout: exports } = await run(GATEHOUSE, ['db', 'env', ...at], { env });
  const { stdout: json } = await run(GATEHOUSE, ['db', 'config', ...at, '--format', 'json'], { env });
  const { address, ...config } = JSON.parse(json) as { address: string };

  const { stdout } = await run('sh', ['-c', `${exports}\npsql -XAtwc 'select current_user'`]);
  expect(stdout).toBe('by_scram\n');
  expect((await run('psql', [address, '-XAtwc', 'select 1'])).stdout).toBe('1\n');
  expect(config).toMatchObject({ host: '127.0.0.1', port, user: 'by_scram', database: postgres.database, tls: false });
});
