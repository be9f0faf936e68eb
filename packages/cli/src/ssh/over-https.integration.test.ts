/** Commands by `gatehouse ssh`, and ssh itself through `gatehouse proxy ssh`, at a gateway that listens for no SSH. */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { call } from '@gatehouse/contract/wire/client';
import { type ProcessWorld, SERVER, startProcessWorld } from '@gatehouse/gateway/testing/sessions/process-world';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startOnTerminal } from '../../testing/on-terminal.ts';
import { annSend, annToken } from '../../testing/process-token.ts';

const GATEHOUSE = `${ROOT}/gatehouse`;
let world: ProcessWorld;
let env: NodeJS.ProcessEnv;
let folder: string;
let server: string;
beforeAll(async () => {
  world = await startProcessWorld();
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-ssh-'));
  const token = await annToken(world);
  env = { ...cleanEnvironment(), HOME: folder, GATEHOUSE_ADDRESS: world.gateway.origin, GATEHOUSE_TOKEN: token };
  server = `${world.login}@${SERVER}`;
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(program: string, args: readonly string[], input: string | Buffer = '') {
  return new Promise<{ code: number; stdout: Buffer; stderr: string }>((resolve) => {
    const options = { env, encoding: 'buffer' as const, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(program, [...args], options, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr: stderr.toString() }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}
const ssh = (args: readonly string[], input?: string | Buffer) => run(GATEHOUSE, ['ssh', ...args], input);
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('a command has its own output, errors and exit code, and its words are its own', async () => {
  const { code, stdout, stderr } = await ssh([server, 'id', '-un;', 'echo --format json >&2; exit 9']);

  expect([code, stdout.toString(), stderr]).toEqual([9, `${world.login}\n`, '--format json\n']);
});

test('bytes go in and come out as they are', async () => {
  const bytes = randomBytes(3_000_000);
  const there = await ssh([server, 'sha256sum'], bytes);
  const back = await ssh([server, 'cat'], bytes);

  expect(there.stdout.toString()).toBe(`${hashOf(bytes)}  -\n`);
  expect(hashOf(back.stdout)).toBe(hashOf(bytes));
});

test('a shell without a terminal reads what it is given', async () => {
  const { code, stdout } = await ssh([server], 'echo typed; exit 4\n');

  expect(code).toBe(4);
  expect(stdout.toString()).toContain('typed\n');
});

test('a command has a terminal where one is asked for', async () => {
  const terminal = startOnTerminal([GATEHOUSE, 'ssh', '-t', server, 'stty size; exit 6'], { env, folder });

  expect((await terminal.ended()).code).toBe(6);
  expect(terminal.shown()).toContain('30 100');
});

test('scp comes through gatehouse proxy ssh', async () => {
  const bytes = randomBytes(1_000_000);
  writeFileSync(join(folder, 'there'), bytes);
  const through = ['-q', '-F', 'none', '-o', `ProxyCommand=${GATEHOUSE} proxy ssh %h`];
  const options = [...through, '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'];
  const put = await run('scp', [...options, join(folder, 'there'), `${server}:copied`]);
  const got = await run('scp', [...options, `${server}:copied`, join(folder, 'back')]);

  expect([put.code, put.stderr, got.code, got.stderr]).toEqual([0, '', 0, '']);
  expect(hashOf(readFileSync(join(folder, 'back')))).toBe(hashOf(bytes));
});

test('gatehouse scp copies there and back, and says what it cannot', async () => {
  const bytes = randomBytes(1_000_000);
  writeFileSync(join(folder, 'own'), bytes);
  const scp = (...args: string[]) => run(GATEHOUSE, ['scp', ...args]);
  const put = await scp('-q', join(folder, 'own'), `${server}:own`);
  const got = await scp('-q', '-O', `${server}:own`, join(folder, 'own-back'));

  expect([put.code, put.stderr, got.code, got.stderr]).toEqual([0, '', 0, '']);
  expect(hashOf(readFileSync(join(folder, 'own-back')))).toBe(hashOf(bytes));
  expect(await scp('a', 'b')).toMatchObject({ code: 2, stderr: expect.stringContaining('say which server') });
  expect(await scp('-q', join(folder, 'own'), 'root@nowhere:own')).toMatchObject({
    ...{ code: 4, stderr: expect.stringContaining("'nowhere'") },
  });
});

test('config ssh --over-https needs no door for ssh at the gateway', async () => {
  expect((await run(GATEHOUSE, ['config', 'ssh', '--write'])).stderr).toContain('--over-https needs none');
  const written = await run(GATEHOUSE, ['config', 'ssh', '--over-https', '--write']);
  expect([written.code, written.stderr]).toEqual([0, '']);
  const strict = ['-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=yes', '-o', 'GlobalKnownHostsFile=/dev/null'];
  const led = [`PATH=${ROOT}:${env.PATH}`, 'ssh', '-F', join(folder, '.ssh', 'config'), ...strict];
  const ran = await run('env', [...led, `${server}.localhost`, 'id -un']);

  expect([ran.code, ran.stdout.toString(), ran.stderr]).toEqual([0, `${server.split('@')[0]}\n`, '']);
});

test('what is refused is told in words, and ends as ssh does', async () => {
  const nobody = await ssh([`nobody@${SERVER}`, 'true']);
  const nowhere = await ssh(['root@nowhere', 'true']);
  const unsigned = await run('env', ['GATEHOUSE_TOKEN=wrong', GATEHOUSE, 'proxy', 'ssh', SERVER]);

  expect([nobody.code, nobody.stderr]).toEqual([255, expect.stringContaining("'nobody'")]);
  expect([nowhere.code, nowhere.stderr]).toEqual([4, expect.stringContaining("'nowhere'")]);
  expect([unsigned.code, unsigned.stderr]).toEqual([5, expect.stringContaining('gatehouse login')]);
});

test('a token that is taken back ends what runs by it, with words', async () => {
  const { token, id } = await call(annSend(world), apiTokenRoutes.create, { body: { name: 'brief', scope: 'all' } });
  const running = run('env', [`GATEHOUSE_TOKEN=${token}`, GATEHOUSE, 'ssh', server, 'echo begun >begun; sleep 60']);
  await expect
    .poll(async () => (await ssh([server, 'cat begun'])).stdout.toString(), { timeout: 20_000 })
    .toBe('begun\n');
  await call(annSend(world), apiTokenRoutes.remove, { params: { id } });
  const began = performance.now();
  const { code, stderr } = await running;

  expect(performance.now() - began).toBeLessThan(SOON_MS);
  expect([code, stderr]).toEqual([255, expect.stringMatching(/^gatehouse: \S.*\r?\n/)]);
});
