/** `gatehouse ssh` of somebody whose role wants a second factor at every connection: nothing is reached without a code. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { codeOf } from '@gatehouse/gateway/testing/identity-gateway';
import { type ProcessWorld, SERVER, startProcessWorld } from '@gatehouse/gateway/testing/sessions/process-world';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startOnTerminal } from '../../testing/on-terminal.ts';
import { annSend, annToken } from '../../testing/process-token.ts';

const GATEHOUSE = `${ROOT}/gatehouse`;
const STEP_MS = 30_000;
let world: ProcessWorld;
let env: NodeJS.ProcessEnv;
let folder: string;
let secret: string;
let server: string;
/** Each code serves once, and none that came before it does afterwards. */
let usedAt: number;
/** The first that was not used and is good now, however long ago the last one was. */
function nextCode(): string {
  usedAt = Math.max(usedAt + STEP_MS, Date.now());
  return codeOf(secret, usedAt);
}
beforeAll(async () => {
  world = await startProcessWorld({ GATEHOUSE_SECOND_FACTOR: 'optional' });
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-ssh-'));
  const send = annSend(world);
  const token = await annToken(world);
  const tokenId = await call(send, passwordRoutes.createPrivilegeToken, { body: {} });
  const begun = await call(send, mfaRoutes.registerChallenge, { params: { tokenId }, body: { deviceType: 'totp' } });
  secret = begun.totpSecret ?? '';
  // A code of the step before is good for as long as this one lasts: at its end it would come too late.
  await vi.waitFor(() => expect(Date.now() % STEP_MS).toBeLessThan(STEP_MS / 2), { timeout: STEP_MS });
  usedAt = Date.now() - STEP_MS;
  const secondFactorToken = codeOf(secret, usedAt);
  await call(send, mfaRoutes.addDevice, { body: { tokenId, deviceName: 'phone', secondFactorToken } });
  const spec = `{allow: {logins: [${world.login}], node_labels: {'*': '*'}}, options: {require_session_mfa: true}}`;
  await call(world.owner, roleRoutes.update, {
    params: { name: 'dev' },
    body: { content: `kind: role\nversion: v6\nmetadata: {name: dev}\nspec: ${spec}\n` },
  });
  env = { ...cleanEnvironment(), HOME: folder, GATEHOUSE_ADDRESS: world.gateway.origin, GATEHOUSE_TOKEN: token };
  server = `${world.login}@${SERVER}`;
});
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: string[]) {
  const started = startOnTerminal([GATEHOUSE, 'ssh', ...args], { env, folder, showsAll: true });
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}

test('nobody who can be asked: a command is not run', async () => {
  const ran = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    const child = execFile('setsid', ['-w', GATEHOUSE, 'ssh', server, 'echo in'], { env }, (error, stdout) =>
      resolve({ code: error?.code, stdout }),
    );
    child.stdin?.end();
  });

  expect(ran).toEqual({ code: 255, stdout: '' });
});

test('a program that cannot ask hears what to run first', async () => {
  const options = ['BatchMode=yes', 'StrictHostKeyChecking=no', `UserKnownHostsFile=${folder}/known`];
  const args = [...options, `ProxyCommand=${GATEHOUSE} proxy ssh %h`].flatMap((option) => ['-o', option]);
  const stderr = await new Promise<string>((resolve) => {
    execFile('ssh', ['-F', 'none', ...args, server, 'echo in'], { env }, (_error, _stdout, said) => resolve(said));
  });

  expect(stderr).toContain('gatehouse: a second factor is asked for. Where nobody can be asked (BatchMode), run this');
});

test('a terminal asks for a code, again after a wrong one, and a command asks likewise', async () => {
  const terminal = start(server);
  await terminal.until(/Code of your authenticator app, for .*: /);
  terminal.type('000000\r');
  await terminal.until(/the code is not right[\s\S]*Code of your authenticator app/);
  terminal.type(`${nextCode()}\r`);
  await terminal.until(/[$#] /);
  terminal.type('exit 5\r');
  expect((await terminal.ended()).code).toBe(5);

  const command = start(server, 'echo i""n; exit 6');
  await command.until(/Code of your authenticator app/);
  command.type(`${nextCode()}\r`);
  expect((await command.ended()).code).toBe(6);
  expect(command.shown()).toMatch(/^in\r$/m);
});
