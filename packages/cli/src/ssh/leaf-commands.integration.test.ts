/** Commands that reach into a leaf, as people run them at its root: ssh by the sign-in, ssh over the port of browsers, a web application at a port. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { type ServerWorld, startServerWorld } from '@gatehouse/gateway/testing/connection-tests/server-world';
import { codeOf, enrolKey, PROMPT } from '@gatehouse/gateway/testing/identity-gateway';
import { LEAF, makeLeaf } from '@gatehouse/gateway/testing/relay/leaf-world';
import { type SecureRoot, startSecureRoot } from '@gatehouse/gateway/testing/relay/secure-root';
import { askedByLink, somebodyWithApp } from '@gatehouse/gateway/testing/sessions/factor-links';
import type { TestBrowser } from '@gatehouse/gateway/testing/test-browser';
import { ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startOnTerminal } from '../../testing/on-terminal.ts';

const run = promisify(execFile);
let leaf: ServerWorld;
let home: SecureRoot;
let env: Record<string, string>;
let login: string;
beforeAll(async () => {
  leaf = await startServerWorld({ secondFactor: 'optional' });
  await leaf.trustGateway();
  await leaf.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await leaf.add({ name: 'web-1' });
  await leaf.makeRole('apps', '{allow: {app_labels: {env: dev}}}');
  login = leaf.logins[0];
  const careful = `{allow: {logins: [${login}], node_labels: {env: dev}}, options: {require_session_mfa: true}}`;
  await leaf.makeRole('careful', careful);
  home = await startSecureRoot();
  await makeLeaf(home.root, leaf.gateway, [
    { remote: 'access', local: ['dev', 'apps'] },
    { remote: 'auditor', local: ['careful'] },
  ]);
  env = await home.environmentOf(await home.root.signedIn('ann'));
  env.PATH = `${ROOT}:${env.PATH}`;
});
afterAll(async () => {
  await leaf?.close();
  await home?.close();
});

test('gatehouse ssh --cluster runs a command there', async () => {
  const { stdout } = await run('gatehouse', ['ssh', '--cluster', LEAF, `${login}@web-1`, 'id -un'], { env });

  expect(stdout).toBe(`${login}\n`);
});

test('ssh comes to a server of the leaf over the port of browsers', async () => {
  await home.root.sshDoor.listen({ host: '127.0.0.1', port: 0 });
  await run('gatehouse', ['config', 'ssh', '--write', '--over-https'], { env });
  const strict = ['-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=yes', '-o', 'GlobalKnownHostsFile=/dev/null'];
  const config = join(env.HOME!, '.ssh', 'config');

  const { stdout } = await run('ssh', ['-F', config, ...strict, `${login}@web-1.${LEAF}`, 'id -un'], { env });

  expect(stdout).toBe(`${login}\n`);
});

const OVER_PROXY = ['-F', 'none', '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'];
const proxied = (...more: string[]) => [
  ...[...OVER_PROXY, '-o', `ProxyCommand=gatehouse proxy ssh --cluster ${LEAF} %h`, '-o', 'NumberOfPasswordPrompts=1'],
  ...[...more, `${login}@web-1`, 'echo in'],
];

const atHome = async (who: TestBrowser) => ({ ...(await home.environmentOf(who)), PATH: env.PATH ?? '' });

/** By a key alone, and signed in here. */
async function somebodyWithKey(name: string) {
  await home.root.addUser(name, { roles: ['auditor'] });
  const browser = await home.root.signedIn(name);
  const environment = await atHome(browser);
  const key = await enrolKey(browser, await call(browser.send, passwordRoutes.createPrivilegeToken, { body: {} }));
  const accept = async (requestId: string) => {
    const { webauthn_challenge } = await call(browser.send, mfaRoutes.challenge, {});
    const body = { webauthnAssertionResponse: key.assert(webauthn_challenge!, PROMPT) };
    const tokenId = await call(browser.send, passwordRoutes.createPrivilegeToken, { body });
    await call(browser.send, cliLoginRoutes.answer, { params: { requestId }, body: { action: 'accept', tokenId } });
  };
  return { environment, accept };
}

test('ssh through gatehouse proxy ssh --cluster takes a security key and a code for a role of the leaf', async () => {
  const eve = await somebodyWithKey('eve');
  const byKey = await askedByLink(proxied(), (id) => eve.accept(id), eve.environment);
  expect(byKey).toMatchObject({ code: 0, stdout: 'in\n' });

  const dan = await somebodyWithApp(home.root, 'dan', ['auditor']);
  const environment = await atHome(dan.browser);
  const [dir, code] = [mkdtempSync(join(tmpdir(), 'gatehouse-code-')), codeOf(dan.secret, home.root.clock.now)];
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const program = join(dir, 'askpass');
  writeFileSync(program, `#!/bin/sh\necho ${code}\n`, { mode: 0o755 });
  const asking = { SSH_ASKPASS: program, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' };
  const { stdout } = await run('ssh', proxied(), { env: { ...environment, ...asking } });
  expect(stdout).toBe('in\n');
});

test('a shell by gatehouse ssh --cluster is opened by a security key, with a link and Enter', async () => {
  const fay = await somebodyWithKey('fay');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-shell-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const args = [`${ROOT}/gatehouse`, 'ssh', '--cluster', LEAF, `${login}@web-1`];
  const terminal = startOnTerminal(args, { env: fay.environment, folder, showsAll: true });
  onTestFinished(() => void terminal.child.kill('SIGKILL'));

  await terminal.until(/or Enter alone for another device: /);
  terminal.type('\r');
  await terminal.until(/\/web\/cli\/[\w-]+, accept/);
  await fay.accept(/\/web\/cli\/([\w-]+)/.exec(terminal.shown())?.[1] ?? '');
  terminal.type('\r');
  await terminal.until(/[$#] /);
  terminal.type('exit 5\r');
  expect((await terminal.ended()).code).toBe(5);
});

test('gatehouse proxy app --cluster has a web application of the leaf at a port', async () => {
  const web = createServer((incoming, response) => response.end(`${incoming.method} ${incoming.url}`));
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  onTestFinished(() => void web.close());
  const uri = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const body = { name: 'pages', uri, labels: { env: 'dev' } };
  await call(leaf.admin.send, appRoutes.add, { params: { clusterId: LEAF }, body });
  const child = spawn('gatehouse', ['proxy', 'app', 'pages', '--cluster', LEAF], { env });
  onTestFinished(async () => {
    child.kill('SIGINT');
    if (child.exitCode === null) await once(child, 'close');
  });
  const [told] = (await once(child.stdout, 'data')) as [Buffer];
  const address = /http:\/\/[0-9.:]+/.exec(String(told))?.[0] ?? '';

  expect(await (await fetch(`${address}/some?page=1`)).text()).toBe('GET /some?page=1');
  expect(await (await fetch(`${address}/other`, { method: 'POST', body: 'x' })).text()).toBe('POST /other');
  const events = await leaf.gateway.events();
  expect(events).toContainEqual(expect.objectContaining({ code: 'T2007I', user: 'root/ann' }));
});
