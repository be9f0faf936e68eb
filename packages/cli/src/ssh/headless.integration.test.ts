/** `gatehouse --headless`, as machines without a browser run it: real ssh, scp and rsync through the door to a real sshd. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { type ServerWorld, startServerWorld } from '@gatehouse/gateway/testing/connection-tests/server-world';
import { enrolKey } from '@gatehouse/gateway/testing/identity-gateway';
import type { SoftwareKey } from '@gatehouse/gateway/testing/software-key';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HowAnswered, runHeadless } from '../../testing/run-headless.ts';

let world: ServerWorld;
let key: SoftwareKey;
let login: string;
let home: string;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  const ssh = { listen: { host: '127.0.0.1', port: 0 } };
  world = await startServerWorld({
    ...{ secondFactor: 'optional', settings: { ssh } },
    // No call is held for long: commands come back while they wait.
    headlessMs: { holdMs: 200, lookMs: 30_000 },
  });
  await world.trustGateway();
  await world.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await world.add({ name: 'web-1' });
  await world.add({ name: 'web-2' });
  await world.gateway.sshDoor.listen({ host: '127.0.0.1', port: 0 });
  login = world.logins[0];
  const tokenId = await call(world.ann.send, passwordRoutes.createPrivilegeToken, { body: {} });
  key = await enrolKey(world.ann, tokenId);
  home = mkdtempSync(join(tmpdir(), 'gatehouse-headless-'));
  const { port } = world.gateway.app.server.address() as AddressInfo;
  env = {
    ...{ ...cleanEnvironment(), HOME: home, TMPDIR: home },
    ...{ GATEHOUSE_ADDRESS: `http://localhost:${port}`, GATEHOUSE_USER: 'ann' },
  };
});
afterAll(async () => {
  await world?.close();
  rmSync(home, { recursive: true, force: true });
});

const run = (program: string, args: readonly string[], how: HowAnswered = {}) =>
  runHeadless(program, args, { env, by: { browser: world.ann, key }, ...how });
const headless = (...args: string[]) => run(`${ROOT}/gatehouse`, ['--headless', ...args]);

test('ssh runs a command once it was approved, with its output, its errors, its status and its input', async () => {
  const { code, stdout, stderr } = await run(
    `${ROOT}/gatehouse`,
    ['--headless', 'ssh', `${login}@web-1`, 'id -un; cat; exit 7'],
    { input: 'typed', lateMs: 700 },
  );

  expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: `${login}\ntyped` });
  expect(stderr).toMatch(
    /^Open http:\/\/localhost:\d+\/web\/headless\/\S+\nas ann, and accept .* the code \S{4}-\S{4}\n/,
  );
  const [approved] = (await world.gateway.events()).filter((event) => event.code === 'GH105I');
  expect(approved).toMatchObject({ user: 'ann', data: { command: `ssh ${login}@web-1 id -un; cat; exit 7` } });
  // Of the key, and of anything else, nothing is left.
  expect(readdirSync(home)).toEqual([]);
});

test('scp and rsync copy by it', async () => {
  const files = mkdtempSync(join(tmpdir(), 'gatehouse-files-'));
  writeFileSync(join(files, 'a.txt'), 'copied by scp');
  const target = `/tmp/${login}-headless.txt`;
  const copied = await headless('scp', join(files, 'a.txt'), `${login}@web-1:${target}`);
  expect(copied.code, copied.stderr).toBe(0);
  const fetched = await run('rsync', [
    ...['-e', `${ROOT}/gatehouse --headless ssh`, `${login}@web-1:${target}`, join(files, 'b.txt')],
  ]);
  expect(fetched.code, fetched.stderr).toBe(0);
  expect(readFileSync(join(files, 'b.txt'), 'utf8')).toBe('copied by scp');
  rmSync(files, { recursive: true });
});

test('what was refused runs nothing, and what is no request asks nobody', async () => {
  const denied = await run(`${ROOT}/gatehouse`, ['--headless', 'ssh', `${login}@web-1`, 'id'], { action: 'denied' });
  expect(denied).toMatchObject({ code: 5, stdout: '' });
  expect(denied.stderr).toContain('the request was denied');
  expect(await headless('ssh')).toMatchObject({ code: 2, stderr: expect.stringContaining('which server') });
});

test('an approval is for one session on that server: neither another one nor a way on', async () => {
  const more = ['-o', 'LogLevel=ERROR', '-o', 'ExitOnForwardFailure=yes'];
  const forwarded = await headless('ssh', ...more, '-W', '127.0.0.1:22', `${login}@web-1`);
  expect(forwarded.code).toBe(255);
});
