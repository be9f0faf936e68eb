/** What is no database, enrolled to its first connection in the browser against the real thing, one after the other by the same person. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSecureRedis } from '@gatehouse/gateway/testing/db/secure-redis';
import { drawWithElements } from '@gatehouse/testkit/chromium';
import { startSlapd } from '@gatehouse/testkit/desktop/slapd';
import { startXrdp, XRDP_TURN_MS } from '@gatehouse/testkit/desktop/xrdp';
import { startXvnc } from '@gatehouse/testkit/desktop/xvnc';
import { startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { createKubectl } from '@gatehouse/testkit/kube/kubectl';
import { startNginx } from '@gatehouse/testkit/nginx';
import { makeOsUsers } from '@gatehouse/testkit/os-users';
import { startSshd } from '@gatehouse/testkit/sshd';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type DiscoverWorld, type Person, startDiscoverWorld, started } from './discover-world.ts';

let world: DiscoverWorld;
let one: Person;
beforeAll(async () => {
  world = await startDiscoverWorld();
  one = await world.person();
  await drawWithElements(one.context);
});
afterAll(() => world?.close());

/** What opens in a tab of its own. */
async function opened(link: Locator): Promise<Page> {
  const [tab] = await Promise.all([one.context.waitForEvent('page'), link.click()]);
  onTestFinished(() => tab.close());
  return tab;
}

/** Where there are several to choose from. */
async function asLogin(login: string): Promise<void> {
  const field = one.page.getByLabel('Login', { exact: true });
  if ((await field.evaluate((element) => element.tagName)) === 'SELECT') await field.selectOption(login);
}

test('an application behind nginx', async () => {
  const nginx = await started(startNginx({ files: { 'index.html': 'it is this page' } }));
  await one.describe('app');
  await one.field('Address').fill(`http://127.0.0.1:${nginx.port}`);
  await one.field('Name').fill('hello');
  await one.press('Add application');

  await one.testToTheEnd('hello');
  const tab = await opened(one.main.getByRole('link', { name: 'Launch hello' }));
  await tab.getByText('it is this page').waitFor();
});

test('a TCP service, which takes no name: its command is shown', async () => {
  const redis = await started(startSecureRedis());
  await one.describe('tcp');
  await one.field('Address').fill(`127.0.0.1:${redis.port}`);
  await one.field('Name').fill('any-port');
  await one.press('Add application');

  await one.testToTheEnd('any-port');
  await one.main.getByRole('button', { name: 'Connect to any-port' }).click();
  await one.page
    .getByText(/gatehouse proxy app any-port/)
    .first()
    .waitFor();
});

test('a server with OpenSSH by its address: what it must trust is said, and then a login works', async () => {
  const [sshd, users] = await Promise.all([started(startSshd()), makeOsUsers(1)]);
  onTestFinished(() => users.remove());
  const [login = ''] = users.names;
  await one.at('?flow=openssh');
  await one.main.getByRole('radio', { name: /By its address/ }).check();
  await one.press('Go on');
  await one.field('Address').fill(sshd.addr);
  await one.field('Name').fill('plain-1');
  await one.press('Test it');
  await one.press('It is this one');
  await one.press('Add server');
  const trust = one.page.getByRole('region', { name: /gatehouse_user_ca/ }).first();
  sshd.trust([(await trust.textContent()) ?? '']);
  await one.press('Go on');

  await one.heading('Logins on plain-1');
  await one.addName('Add a login', login);
  await one.press('Go on');
  await one.testToTheEnd('plain-1', () => one.page.getByLabel('Login', { exact: true }).fill(login));
  const tab = await opened(one.page.getByRole('link', { name: `Connect to plain-1 as ${login}` }));
  await expect.poll(() => tab.locator('.xterm-rows').textContent()).toMatch(/[$#]/);
});

test('a Kubernetes cluster by its kubeconfig', async () => {
  const cluster = await started(startKubeCluster());
  cluster.put({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'talker', namespace: 'default' } },
    spec: { containers: [{ name: 'main', image: 'shell', command: ['sleep', '600'] }] },
  });
  await one.describe('kubernetes');
  const config = cluster.kubeconfig({ token: cluster.adminToken });
  await one.main.getByRole('textbox', { name: /paste a kubeconfig/ }).fill(config);
  await one.field('Name').fill('lab');
  await one.press('Add Kubernetes cluster');

  await one.addName('Add a Kubernetes group', 'system:masters');
  await one.press('Go on');
  await one.testToTheEnd('lab');
  await one.press('Connect to lab');
  await one.page.getByRole('navigation', { name: 'lab' }).getByRole('link', { name: 'Pods' }).click();
  await one.page.getByRole('row', { name: /talker/ }).waitFor();
});

test('a Kubernetes cluster by agents in it: one command puts them there, and the page hears that it was fetched', async () => {
  const cluster = await started(startKubeCluster());
  const kubectl = createKubectl('1.32', cluster.kubeconfig({ token: cluster.adminToken }));
  onTestFinished(() => kubectl.remove());
  await one.at('?flow=kubernetes');
  await one.page.getByRole('radio', { name: /By agents in it/ }).check();
  await one.press('Go on');
  await one.field('Name').fill('prod');
  await one.press('Make the command');
  await one.page.getByText('Name at least one group').waitFor();
  await one.field(/^Groups/).fill("view, team'a");
  await one.press('Make the command');

  const command = await one.page.getByRole('region', { name: 'Command for the new cluster' }).textContent();
  const [fetched, applied] = command?.split(' | ') ?? [];
  expect(applied).toBe('kubectl apply -f -');
  const { stdout } = await promisify(execFile)('sh', ['-c', fetched ?? '']);
  expect(stdout).toContain("team'a");
  expect(await kubectl.must(['apply', '-f', '-'], stdout)).toContain('statefulset.apps/gatehouse-agent created');
  await one.page.getByText(/^A machine at .* fetched the script$/).waitFor();
});

interface DesktopHost {
  addr: string;
  password: string;
  user?: string;
  stop(): Promise<unknown>;
}
const DESKTOPS: readonly [flow: string, called: string, start: () => Promise<DesktopHost>][] = [
  ['vnc', 'screen', () => startXvnc('X509Vnc')],
  ['desktop', 'desk', () => startXrdp()],
];

test.each(DESKTOPS)('a desktop: %s', { timeout: XRDP_TURN_MS }, async (flow, called, start) => {
  const host = await started(start());
  const login = host.user ?? 'vnc';
  await one.describe(flow);
  // The card has said it.
  expect(await one.page.getByLabel('Protocol', { exact: true }).count()).toBe(0);
  await one.field('Address').fill(host.addr);
  await one.field('Name').fill(called);
  await one.press('Test it');
  await one.press('It is this one');
  await one.press('Add desktop');
  await one.heading(`Logins on ${called}`);
  await one.addName('Add a Windows login', login);
  await one.press('Go on');
  await one.testToTheEnd(called, () => asLogin(login));

  const chooser = one.main.getByRole('button', { name: `Choose a login for ${called}` });
  const link = one.page.getByRole('link', { name: new RegExp(`\\b${login}`) }).first();
  await chooser.or(link).first().waitFor();
  if (await chooser.isVisible()) await chooser.click();
  const tab = await opened(link);
  await tab.getByLabel('Password', { exact: true }).fill(host.password);
  await tab.getByRole('button', { name: 'Connect' }).click();
  await expect
    .poll(() => tab.evaluate("(document.querySelector('canvas')?.width ?? 0) > 300"), { timeout: 30_000 })
    .toBe(true);
});

test('desktops as a directory knows them: an agent finds them, and one is accepted, tested and ready', {
  timeout: XRDP_TURN_MS,
}, async () => {
  const xrdp = await started(startXrdp());
  const slapd = await started(startSlapd([['CN=desk-2,OU=Servers', { dNSHostName: 'localhost' }]]));
  const file = (name: string, text: string) => {
    const path = join(world.gateway.dataDir, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  await one.describe('active-directory');
  await one.press('Make the command');
  const reader = one.page.getByRole('region', { name: 'Command for the domain controller' });
  const token = await one.tokenIn('Command for the new agent');
  expect(await reader.textContent()).toContain(`/configure/${token}/configure-ad.ps1'`);
  const { tlsUrl: url, bindDn, baseDn, ca, password } = slapd;
  const [passwordFile, caFile] = [file('reader.txt', password), file('directory.pem', ca)];
  const ldap = { url, bindDn, baseDn, passwordFile, ca: caFile, port: xrdp.port };
  world.startAgent(token, 'dir-1', JSON.stringify({ shell: false, desktops: { ldap } }));

  await one.heading('Logins on localhost');
  await one.addName('Add a Windows login', xrdp.user);
  await one.press('Go on');
  await one.heading('Test localhost');
  expect(await world.gateway.command('desktops', 'trust-certificate', 'localhost', '--yes')).toMatchObject({ code: 0 });
  expect(await one.testToTheEnd('localhost', () => asLogin(xrdp.user))).toContain('dir-1');
});
