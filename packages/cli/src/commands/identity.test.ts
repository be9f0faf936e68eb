import { readFileSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { INVITE_HOURS } from '@gatehouse/contract/identity/users/users';
import { call } from '@gatehouse/contract/wire/client';
import { type IdentityGateway, PASSWORD, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CommandLine, type Run, startCommandLine } from '../../testing/command-line.ts';

let line: CommandLine<IdentityGateway>;
let gateway: IdentityGateway;
let address: string;

beforeEach(async () => {
  line = await startCommandLine(() => startIdentityGateway());
  gateway = line.world;
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  address = `http://localhost:${(gateway.app.server.address() as AddressInfo).port}`;
});
afterEach(() => line.close());

const run: CommandLine<IdentityGateway>['run'] = (...args) => line.run(...args);

const local = (...args: string[]) => line.local('users', ...args);

/** Runs `login` and answers it in the browser when it shows its address. */
async function login(action: 'accept' | 'deny'): Promise<Run> {
  await gateway.addUser('ann', { roles: ['editor'] });
  const browser = await gateway.signedIn('ann');
  const answered = Promise.withResolvers<unknown>();
  const result = await run(['login', address, '--format', 'json'], {
    onStderr: (text) => {
      const requestId = /\/web\/cli\/([0-9a-f]+)/.exec(text)?.[1];
      if (!requestId) return;
      answered.resolve(call(browser.send, cliLoginRoutes.answer, { params: { requestId }, body: { action } }));
    },
  });
  await answered.promise;
  return result;
}

test('users add prints name, link and end as JSON, and the link is good', async () => {
  const { code, stdout, stderr } = await local(
    'add',
    'ann',
    '--roles=access,auditor',
    '--logins=ann,deploy',
    '--kube-groups',
    'dev',
    '--format',
    'json',
  );

  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual({
    name: 'ann',
    inviteUrl: expect.stringMatching(/\/web\/invite\/[0-9a-f]{64}$/),
    expires: new Date(gateway.clock.now + INVITE_HOURS * 3_600_000).toISOString(),
  });
  const row = await gateway.storage.db.selectFrom('user').selectAll().executeTakeFirstOrThrow();
  expect(JSON.parse(row.roles)).toEqual(['access', 'auditor']);
  expect(JSON.parse(row.traits)).toEqual({ logins: ['ann', 'deploy'], kubeGroups: ['dev'] });
  expect((await gateway.events()).map(({ code }) => code)).toEqual(['T1002I', 'GH120I']);
});

test('users add says when a role would use logins and none are given, and when nobody else could open the link', async () => {
  const { stdout } = await local('add', 'ann', '--roles=access,auditor');
  const made = JSON.parse((await local('add', 'bo', '--roles=access', '--format', 'json')).stdout) as {
    notes: string[];
  };
  const reset = await local('reset', 'ann');
  const quiet = await local('add', 'cy', '--roles=access', '--logins=cy');

  const note = (name: string) => `'${name}' has no logins, and role 'access' would use them`;
  expect(stdout).toContain(`note: ${note('ann')}`);
  expect(made.notes).toEqual([expect.stringContaining(note('bo'))]);
  for (const text of [stdout, reset.stdout]) expect(text).toContain("works on the gateway's own machine only");
  expect(quiet.stdout).not.toContain('has no logins');
});

test.each([
  [['add', 'ann'], 2, 'required option'],
  [['add', 'ann', '--roles=nonsense'], 2, "role 'nonsense' does not exist"],
  [['add', '-x y', '--roles=access'], 2, ''],
  [['reset', 'nobody'], 4, "user 'nobody' not found"],
  [['unlock', 'nobody'], 4, "lock 'nobody' not found"],
])('users %j ends with %i', async (args, exit, message) => {
  const { code, stderr } = await local(...args);

  expect(code).toBe(exit);
  expect(stderr).toContain(message);
});

test('users ls, reset and unlock work through the local socket', async () => {
  await gateway.addUser('ann', { roles: ['editor', 'access'] });
  const stranger = gateway.browser();
  for (let times = 0; times < 5; times++) await stranger.signIn('ann', 'wrong-password').catch(() => undefined);

  expect((await local('ls')).stdout).toBe('NAME  ROLES           TYPE\nann   access, editor  local\n');
  expect((await local('unlock', 'ann')).stdout).toBe("'ann' may sign in again\n");
  expect(await stranger.signIn('ann', PASSWORD)).toMatchObject({ type: 'Bearer' });
  const { stdout } = await local('reset', 'ann', '--format', 'json');
  expect(JSON.parse(stdout)).toMatchObject({
    name: 'ann',
    resetUrl: expect.stringMatching(/\/web\/reset\/[0-9a-f]{64}$/),
  });
});

test('login keeps its own credential for the user alone; status and logout use it', async () => {
  const { code, stdout, stderr } = await login('accept');

  expect(code).toBe(0);
  expect(stderr).toMatch(/accept if it shows the code [A-Z]{4}-\d{4}\nnote: /);
  expect(JSON.parse(stdout)).toMatchObject({ origin: address, user: 'ann' });
  const file = join(line.folder, '.config', 'gatehouse', 'credentials.json');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  expect((await run(['status'])).stdout).toContain(`signed in to ${address} as ann`);

  expect((await run(['logout'])).stdout).toBe(`signed out of ${address}\n`);

  expect(readFileSync(file, 'utf8')).not.toContain('token');
  expect((await run(['status'])).code).toBe(5);
});

test('a denied login says so and keeps nothing', async () => {
  const { code, stderr } = await login('deny');

  expect(code).toBe(5);
  expect(stderr).toContain('denied in the browser');
  expect((await run(['status'])).code).toBe(5);
});

test('tokens for scripts are made, used from the environment, listed and removed', async () => {
  await login('accept');

  const { stdout: token } = await run([
    'api-tokens',
    'add',
    'ci',
    '--scope',
    'users:list,nodes:list+read',
    '--ttl',
    '1d',
  ]);
  const env = { GATEHOUSE_TOKEN: token.trim(), GATEHOUSE_ADDRESS: address, HOME: '/nonexistent' };
  expect(JSON.parse((await run(['status', '--format', 'json'], { env })).stdout)).toMatchObject({ user: 'ann' });
  expect((await run(['api-tokens', 'ls'])).stdout).toMatch(/^ci +users:list,nodes:list\+read /m);
  expect((await run(['api-tokens', 'rm', 'ci'])).code).toBe(0);

  expect((await run(['status'], { env })).code).toBe(5);
  expect((await run(['api-tokens', 'rm', 'ci'])).code).toBe(4);
  expect((await run(['api-tokens', 'add', 'x', '--scope', 'nonsense:list'])).code).toBe(2);
});

test.each([
  ['http://gate.example.com', 'is not encrypted'],
  ['ftp://gate.example.com', 'is not the address of a gateway'],
  ['https://ann:secret@gate.example.com', 'is not the address of a gateway'],
])('login to %s is refused', async (typed, message) => {
  const { code, stderr } = await run(['login', typed]);

  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('a gateway that does not answer is named', async () => {
  const { code, stderr } = await run(['login', 'http://localhost:9']);

  expect(code).toBe(6);
  expect(stderr).toContain('no gateway answers at http://localhost:9');
});
