/** Programs without a certificate: somebody says yes in the browser, with the very key that was proved; and a second factor at the door. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { sshCertificateRoutes } from '@gatehouse/contract/identity/ssh-certificates';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { params, type ServerWorld, startServerWorld } from '../../../testing/connection-tests/server-world.ts';
import { codeOf, enrolApp } from '../../../testing/identity-gateway.ts';
import { doorClient, openSshDoor, type Ran, runProgram } from '../../../testing/sessions/ssh-doors.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let world: ServerWorld;
let port: number;
let login: string;
let dir: string;
beforeAll(async () => {
  world = await startServerWorld({ secondFactor: 'optional' });
  await world.trustGateway();
  await world.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await world.add({ name: 'web-1' });
  port = await openSshDoor(world.gateway);
  login = world.logins[0];
});
afterAll(() => world?.close());
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gatehouse-approval-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Whoever is asked something writes it down, and answers once there is an answer. */
function asked(): { question(): string; answer(text: string): void; env: Record<string, string> } {
  const [question, reply, program] = ['question', 'answer', 'askpass'].map((name) => join(dir, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s' "$1" > ${question}\nn=0; while [ ! -s ${reply} ] && [ $n -lt 600 ]; do sleep 0.05; n=$((n+1)); done\ncat ${reply}\nrm ${reply}\n`,
  );
  chmodSync(program, 0o755);
  return {
    question() {
      try {
        return readFileSync(question, 'utf8');
      } catch {
        return '';
      }
    },
    answer: (text) => writeFileSync(reply, `${text}\n`),
    env: { SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' },
  };
}

function connect(args: readonly string[], env: Record<string, string>): Promise<Ran> {
  const options = [
    'StrictHostKeyChecking=no',
    `UserKnownHostsFile=${dir}/known`,
    'IdentityAgent=none',
    'IdentitiesOnly=yes',
    'LogLevel=ERROR',
  ];
  const common = ['-F', '/dev/null', '-p', String(port), ...options.flatMap((option) => ['-o', option])];
  return runProgram('ssh', [...common, ...args], { env });
}

async function requestIn(text: () => string): Promise<{ id: string; code: string }> {
  return await vi.waitFor(
    () => {
      const [, id = ''] = /\/web\/cli\/([\w-]+)/.exec(text()) ?? [];
      const [, code = ''] = /shows ([\w-]+),/.exec(text()) ?? [];
      expect(id).not.toBe('');
      return { id, code };
    },
    { timeout: SOON_MS },
  );
}

const answer = (browser: TestBrowser, requestId: string, action: 'accept' | 'deny', keepKey?: boolean) =>
  call(browser.send, cliLoginRoutes.answer, {
    params: { requestId },
    body: { action, ...(keepKey ? { keepKey } : {}) },
  });

test('a yes in the browser lets a program in, as whoever said it, and its key again until they sign out', async () => {
  const key = join(dir, 'id');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const prompt = asked();
  const browser = await world.gateway.signedIn('ann');
  const running = connect(['-i', key, `${login}@web-1@127.0.0.1`, 'id -un'], prompt.env);
  const { id, code } = await requestIn(prompt.question);
  const details = await call(browser.send, cliLoginRoutes.details, { params: { requestId: id } });
  await answer(browser, id, 'accept', true);
  prompt.answer('');

  expect(await running).toEqual({ code: 0, stdout: `${login}\n`, stderr: '' });
  expect(details).toMatchObject({
    code,
    client: `ssh ${login}@web-1`,
    ssh: { server: 'web-1', login, key: expect.stringMatching(/^SHA256:/) },
  });

  const again = await connect(['-i', key, '-o', 'BatchMode=yes', `${login}@web-1@127.0.0.1`, 'echo again'], {});
  expect(again).toEqual({ code: 0, stdout: 'again\n', stderr: '' });

  const [bound] = await call(browser.send, sshCertificateRoutes.keys, {});
  expect(bound).toMatchObject({ fingerprint: details.ssh?.key, address: '127.0.0.1' });
  await call(browser.send, signInRoutes.signOut, {});
  const after = await connect(['-i', key, '-o', 'BatchMode=yes', `${login}@web-1@127.0.0.1`, 'echo again'], {});
  expect(after).toMatchObject({ code: 255, stdout: '' });
});

test('a key that is revoked ends what it let in, and lets nothing more in', async () => {
  const key = join(dir, 'id');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const prompt = asked();
  const browser = await world.gateway.signedIn('ann');
  const first = connect(['-i', key, `${login}@web-1@127.0.0.1`, 'true'], prompt.env);
  const { id: requestId } = await requestIn(prompt.question);
  const { ssh } = await call(browser.send, cliLoginRoutes.details, { params: { requestId } });
  await answer(browser, requestId, 'accept', true);
  prompt.answer('');
  await first;
  const running = connect(['-i', key, '-o', 'BatchMode=yes', `${login}@web-1@127.0.0.1`, 'sleep 60'], {});
  const open = () => call(browser.send, sessionRoutes.list, { params: { clusterId: 'localhost' } });
  await vi.waitFor(async () => expect((await open()).sessions).toHaveLength(1), { timeout: SOON_MS });

  const keys = await call(browser.send, sshCertificateRoutes.keys, {});
  const keyId = keys.find(({ fingerprint }) => fingerprint === ssh?.key)?.id ?? '';
  await call(browser.send, sshCertificateRoutes.unbind, { params: { keyId } });

  expect(await running).toMatchObject({
    code: 255,
    stderr: expect.stringContaining('gatehouse: your key was revoked'),
  });
  const after = await connect(['-i', key, '-o', 'BatchMode=yes', `${login}@web-1@127.0.0.1`, 'echo again'], {});
  expect(after).toMatchObject({ code: 255, stdout: '' });
});

test('a key lets nobody in while its user is locked, nor once they are removed, whoever has their name later', async () => {
  const key = join(dir, 'id');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  await world.gateway.addUser('cara', { roles: ['dev'] });
  const browser = await world.gateway.signedIn('cara');
  const prompt = asked();
  const first = connect(['-i', key, `${login}@web-1@127.0.0.1`, 'echo first'], prompt.env);
  const { id } = await requestIn(prompt.question);
  await answer(browser, id, 'accept', true);
  prompt.answer('');
  expect(await first).toMatchObject({ code: 0, stdout: 'first\n' });
  const again = () => connect(['-i', key, '-o', 'BatchMode=yes', `${login}@web-1@127.0.0.1`, 'echo again'], {});
  const refused = { code: 255, stdout: '' };

  const lock = await call(world.admin.send, lockRoutes.create, { params, body: { targets: { user: 'cara' } } });
  expect(await again()).toMatchObject(refused);
  await call(world.admin.send, lockRoutes.remove, { params: { ...params, name: lock.name } });
  await call(world.admin.send, userRecordRoutes.remove, { params: { username: 'cara' } });
  expect(await again()).toMatchObject(refused);
  await world.gateway.addUser('cara', { roles: ['dev'] });
  expect(await again()).toMatchObject(refused);
});

test('a jump without a certificate asks once, for whichever server it leads to', async () => {
  const prompt = asked();
  const browser = await world.gateway.signedIn('ann');
  const common = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'IdentityAgent=none', 'LogLevel=ERROR'];
  const config = join(dir, 'config');
  writeFileSync(
    config,
    `Host *\n${common.map((option) => `  ${option.replace('=', ' ')}\n`).join('')}  PubkeyAuthentication no\n`,
  );
  const running = runProgram('ssh', ['-F', config, '-J', `127.0.0.1:${port}`, `${login}@web-1`, 'id -un'], {
    env: prompt.env,
  });
  const { id } = await requestIn(prompt.question);
  const details = await call(browser.send, cliLoginRoutes.details, { params: { requestId: id } });
  await answer(browser, id, 'accept');
  prompt.answer('');

  expect(await running).toEqual({ code: 0, stdout: `${login}\n`, stderr: '' });
  expect(details).toMatchObject({ client: 'ssh, a jump', ssh: {} });
});

test('a no lets nobody in, nor does somebody else who presses Enter first', async () => {
  const prompt = asked();
  const browser = await world.gateway.signedIn('ann');
  const running = connect(['-o', 'PubkeyAuthentication=no', `${login}@web-1@127.0.0.1`, 'id'], prompt.env);
  const { id } = await requestIn(prompt.question);
  prompt.answer('');
  await vi.waitFor(() => expect(prompt.question()).toContain('Nobody has accepted it yet'), { timeout: SOON_MS });
  await answer(browser, id, 'deny');
  prompt.answer('');
  const { code, stdout } = await running;

  expect({ code, stdout }).toEqual({ code: 255, stdout: '' });
});

test('a role that wants a second factor at every connection is asked for its code, and a wrong one opens nothing', async () => {
  await world.makeRole('with-factor', '{options: {require_session_mfa: true}}').catch(() => {});
  const browser = await world.gateway.signedIn('ann');
  const secret = await enrolApp(world.gateway, browser);
  const client = await doorClient(port, browser);
  await world.gateway.setRoles('ann', ['dev', 'with-factor']);
  onTestFinished(() => world.gateway.setRoles('ann', ['dev']));
  const prompt = asked();
  const ssh = () =>
    runProgram(
      'ssh',
      ['-F', client.config, '-o', 'BatchMode=no', '-o', 'NumberOfPasswordPrompts=1', `${login}@web-1@gate`, 'echo in'],
      { env: prompt.env },
    );

  await vi.waitFor(async () => {
    const batch = await client.ssh(`${login}@web-1@gate`, 'true');
    expect(batch).toMatchObject({ code: 255, stderr: expect.stringContaining('keyboard-interactive') });
  });
  const told = await client.ssh('-o', 'LogLevel=INFO', `${login}@web-1@gate`, 'true');
  expect(told.stderr).toContain('run this first, and share its connection: ssh -fN gatehouse-localhost');
  const wrong = ssh();
  await vi.waitFor(() => expect(prompt.question()).toContain('Code of your authenticator app'), { timeout: SOON_MS });
  prompt.answer('000000');
  expect(await wrong).toMatchObject({ code: 255, stdout: '' });
  const right = ssh();
  prompt.answer(codeOf(secret, world.gateway.clock.now));
  expect(await right).toMatchObject({ code: 0, stdout: 'in\n' });
});
