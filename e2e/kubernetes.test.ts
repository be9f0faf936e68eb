/** Kubernetes clusters in a real browser: added, looked into, changed, at a small cluster that kubectl takes for one. */
import { drawWithElements, launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { type KubeCluster, startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { applyDocuments, editorText } from './access.ts';
import { KUBE_ROLES } from './kube-roles.ts';
import { lookAt } from './look.ts';
import { prompt, run, shows } from './shell-world.ts';

const RBAC = 'rbac.authorization.k8s.io';
const HOSTILE = '<img src=x onerror=alert(1)>';

let gateway: GatewayProcess;
let browser: Browser;
let cluster: KubeCluster;

const pod = (namespace: string, name: string, script: string) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace, labels: { app: 'api' } } },
  spec: { containers: [{ name: 'main', image: 'shop/api:1', command: ['sh', '-c', script] }] },
});

beforeAll(async () => {
  [gateway, browser, cluster] = await Promise.all([
    startGateway({ GATEHOUSE_SECOND_FACTOR: 'off' }),
    launchChromium({ shortPages: true }),
    startKubeCluster(),
  ]);
  const bind = (name: string, roleName: string, subject: { kind: string; name: string }) =>
    cluster.put({
      ...{ apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name } },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: roleName },
      subjects: [{ apiGroup: RBAC, ...subject }],
    });
  cluster.put({
    ...{ apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: 'gatehouse' } },
    rules: [{ apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] }],
  });
  bind('gatehouse', 'gatehouse', { kind: 'User', name: 'gateway' });
  bind('edit', 'edit', { kind: 'Group', name: 'edit' });
  // The usual roles of clusters do not give it.
  cluster.put({
    ...{ apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: 'debug' } },
    rules: [{ apiGroups: [''], resources: ['pods/ephemeralcontainers'], verbs: ['patch'] }],
  });
  bind('debug', 'debug', { kind: 'Group', name: 'edit' });
  for (const name of ['shop', 'bank']) cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  cluster.put(pod('shop', 'talker', `echo 'first ${HOSTILE} line'; echo 'ERROR it broke'; sleep 600`));
  cluster.put({
    ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace: 'shop' } },
    data: { colour: 'green', text: HOSTILE },
  });
  cluster.put({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace: 'shop' } },
    data: { password: btoa('hunter2') },
  });
  cluster.put({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bare', namespace: 'shop' } },
    spec: { containers: [{ name: 'main', image: 'shop/distroless:1', command: ['sleep', '600'] }] },
  });
  cluster.put({
    ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'api', namespace: 'shop' } },
    spec: { selector: { app: 'api' }, ports: [{ name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' }] },
  });
  cluster.put(pod('shop', 'wordy', 'i=0; while [ $i -lt 5200 ]; do echo "line-$i."; i=$((i+1)); done; sleep 600'));
  await cluster.running('shop', 'talker');
  await cluster.running('shop', 'bare');
  await applyDocuments(gateway, KUBE_ROLES);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([gateway?.stop(), cluster?.stop()]);
});

async function openAs(roles: string, viewport: { width: number; height: number } = WIDTHS.desktop) {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  onTestFinished(() => context.close());
  await signedInContext(context, gateway, 'person', roles);
  const watched = await watchedPage(context, gateway.origin);
  const at = (path = '') => watched.page.goto(`${gateway.url}/cluster/localhost/kubernetes${path}`);
  return { ...watched, context, at };
}

test('a kubeconfig that is pasted becomes a cluster, which is opened from the list', async () => {
  const { page, complaints, at } = await openAs('editor,kube-edit');
  const { look, found } = lookAt(page);
  await at();
  await page.getByRole('heading', { name: 'Add your first Kubernetes cluster' }).waitFor();
  await page.getByRole('button', { name: 'Add Kubernetes cluster' }).click();
  const dialog = page.getByRole('main');
  await dialog.getByRole('radio', { name: /By a kubeconfig/ }).check();
  await dialog.getByRole('button', { name: 'Go on' }).click();
  const config = dialog.getByRole('textbox', { name: /paste a kubeconfig/ });
  await config.fill('users: [');
  await dialog.getByText('This is not the text of a kubeconfig.').waitFor();
  await config.fill(cluster.kubeconfig({ token: cluster.token({ user: 'gateway', groups: [] }) }));
  await dialog.getByRole('textbox', { name: /^Name/ }).fill('prod');
  await dialog.getByLabel('Labels').fill('env=prod,');
  await look('add');
  await dialog.getByRole('button', { name: 'Add Kubernetes cluster' }).click();
  await dialog.getByRole('heading', { name: 'Groups on prod' }).waitFor();
  await at('?open=prod');
  await page.getByRole('complementary', { name: 'Kubernetes cluster prod' }).waitFor();
  await look('panel');
  await page.getByRole('button', { name: 'Close' }).first().click();
  await look('list');
  await page.getByRole('button', { name: 'Commands for prod' }).click();
  await page.getByRole('dialog', { name: 'Commands for prod' }).getByText('gatehouse kube login prod').waitFor();
  await look('commands');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Connect to prod' }).click();
  await page.getByRole('navigation', { name: 'prod' }).getByRole('link', { name: 'Pods' }).click();
  await page.getByRole('row', { name: /talker/ }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();

  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a log says from where it is read, and what was not read is found once it is', async () => {
  const { page, complaints, at } = await openAs('kube-edit');
  await at('/prod/pods/shop/wordy?tab=logs');
  await page.getByRole('log').getByText('line-5199.').waitFor();
  await page.getByText('Of each container the last 5,000 were read').waitFor();
  await page.getByRole('searchbox', { name: 'Find in these lines' }).fill('line-17.');
  await page.getByText('none', { exact: true }).waitFor();

  await page.getByLabel('From which line', { exact: true }).selectOption('whole');

  await page.getByText('0 of 1', { exact: true }).waitFor();
  await page.getByText(/^5,200 lines/).waitFor();
  expect(await page.getByText('Of each container the last').count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('the whole log is searched without being read by the page, and a hit leads to what stands around it', async () => {
  const { page, complaints, at } = await openAs('kube-edit');
  const { look, found } = lookAt(page);
  await at('/prod/pods/shop/wordy?tab=logs');
  const log = page.getByRole('log');
  await log.getByText('line-5199.').waitFor();
  const search = page.getByRole('button', { name: 'Search the whole log' });
  expect(await search.isDisabled()).toBe(true);
  await page.getByRole('searchbox', { name: 'Find in these lines' }).fill('LINE-17');

  await search.click();

  await page.getByText(/^111 hits in 5,200 lines/).waitFor();
  expect(await log.getAttribute('aria-label')).toBe('Hits in the whole log of wordy');
  await log.getByText('line-17.').waitFor();
  expect(await log.locator('mark').first().textContent()).toBe('line-17');
  await look('whole-search');
  await page.getByRole('button', { name: 'Show what stands around: line-17.' }).click();
  await log.getByText('line-18.', { exact: true }).waitFor();
  expect(await page.getByText('line-5199.').count()).toBe(0);
  await page.getByRole('button', { name: 'Next hit' }).click();
  await log.getByText('line-171.', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Back to the hits' }).click();
  await page.getByRole('button', { name: 'Back to the log' }).click();
  await log.getByText('line-5199.').waitFor();
  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

test('pods come and go while somebody looks, and the address can be shared', async () => {
  const { page, complaints, at } = await openAs('kube-edit');
  const { look, found } = lookAt(page);
  await at('/prod/pods?ns=shop');
  await page.getByRole('row', { name: /talker/ }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
  cluster.put(pod('shop', 'newcomer', 'sleep 600'));
  await page.getByRole('row', { name: /newcomer/ }).waitFor();
  cluster.remove('v1', 'Pod', 'shop', 'newcomer');
  await page.getByRole('row', { name: /newcomer.*gone/ }).waitFor();
  await page.getByRole('row', { name: /talker/ }).click();
  const panel = page.getByRole('complementary', { name: 'Pod talker' });
  await panel.getByText('shop/api:1').waitFor();
  await look('pods');
  const address = page.url();
  await page.goto('about:blank');
  await page.goto(address);
  await panel.getByText('shop/api:1').waitFor();
  await panel.getByRole('link', { name: 'Logs' }).click();
  const log = page.getByRole('log');
  await log.getByText(`first ${HOSTILE} line`).waitFor();
  await page.getByRole('searchbox', { name: 'Find in these lines' }).fill('broke');
  await page.getByText('0 of 1').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('1 of 1').waitFor();
  expect(await log.locator('mark').allTextContents()).toEqual(['broke']);
  await look('logs');

  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a shell is opened in a pod, from its page and by an address that can be shared', async () => {
  const { page, complaints, context, at } = await openAs('kube-edit');
  const { look, found } = lookAt(page);
  await drawWithElements(context);
  await at('/prod/pods/shop/talker');
  await page.getByRole('link', { name: 'Open a shell in main' }).waitFor();
  await look('pod');
  await page.getByRole('link', { name: 'Open a shell', exact: true }).click();
  await prompt(page);
  await run(page, 'echo $((6 * 7))-is-the-answer');
  await shows(page, /^42-is-the-answer/m);
  await expect.poll(() => page.title()).toBe('localhost • talker');
  await page.waitForURL(/\/console\/session\//);
  expect(await page.getByRole('button', { name: 'Files' }).count()).toBe(0);

  await page.goto(`${gateway.url}/cluster/localhost/console/kube/prod/shop/talker?container=main`);
  await expect.poll(() => page.title()).toBe('localhost • talker/main');
  await prompt(page);
  await run(page, 'echo $((6 * 8))-is-another');
  await shows(page, /^48-is-another/m);
  await run(page, 'exit');
  await page.getByRole('button', { name: 'Open again' }).click();
  await prompt(page);
  await run(page, 'echo $((6 * 9))-again');
  await shows(page, /^54-again/m);
  await page.getByRole('button', { name: 'Split right' }).click();
  const beside = page.locator('.xterm-rows').nth(1);
  await expect.poll(() => beside.textContent()).toMatch(/[#$]/);
  const second = page.locator('.xterm').nth(1);
  await expect.poll(() => second.evaluate((pane) => pane.contains(document.activeElement))).toBe(true);
  await run(page, 'echo $((6 * 10))-beside');
  await expect.poll(() => beside.textContent()).toContain('60-beside');

  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a pod without a shell is looked into by a container that is added to it', async () => {
  const { page, complaints, context, at } = await openAs('kube-edit');
  const { look, found } = lookAt(page);
  await drawWithElements(context);
  await at('/prod/pods/shop/bare');
  await page.getByRole('button', { name: 'More to do' }).click();
  await page.getByRole('menuitem', { name: 'Debug container' }).click();
  const dialog = page.getByRole('dialog', { name: 'Debug container in bare' });
  await dialog.getByLabel('Image').fill('tools:1');
  await look('debug');
  await dialog.getByRole('button', { name: 'Add and open a shell' }).click();
  await prompt(page);
  await run(page, 'echo $((6 * 7))-looked-into');
  await shows(page, /^42-looked-into/m);
  expect(cluster.get('v1', 'Pod', 'shop', 'bare')).toMatchObject({
    spec: { ephemeralContainers: [{ name: 'debugger-1', image: 'tools:1', targetContainerName: 'main' }] },
  });
  await at('/prod/pods/shop/bare');
  await page.getByRole('link', { name: 'Open a shell in debugger-1' }).waitFor();

  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a port of a service becomes an application, for who may add one', async () => {
  const { page, complaints, at } = await openAs('kube-edit,editor');
  const { look, found } = lookAt(page);
  await at('/prod/services/shop/api');
  await page.getByRole('button', { name: 'More to do' }).click();
  await page.getByRole('menuitem', { name: 'Open a port' }).click();
  const dialog = page.getByRole('dialog', { name: 'Open a port of api' });
  const name = dialog.getByLabel('Name of the application');
  await name.fill('no name');
  await dialog.getByRole('button', { name: 'Add application' }).click();
  await dialog.getByText('Lower-case letters, digits and dashes').waitFor();
  await name.fill('shop-api');
  await look('port');
  await dialog.getByRole('button', { name: 'Add application' }).click();
  await dialog.getByText('shop-api was added.').waitFor();
  await dialog.getByRole('link', { name: 'Show shop-api among applications' }).click();
  await page.getByText('kube://prod/shop/svc/api:80').first().waitFor();

  const { page: other, at: there } = await openAs('kube-edit');
  await there('/prod/services/shop/api');
  await other.getByRole('button', { name: 'More to do' }).click();
  await other.getByRole('menuitem', { name: 'Delete' }).waitFor();
  expect(await other.getByRole('menuitem', { name: 'Open a port' }).count()).toBe(0);

  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

test('a text is changed: tried first, compared, and applied; one who was later hears of the conflict', async () => {
  const { page, complaints, at } = await openAs('kube-edit');
  const { look, found } = lookAt(page);
  await at('/prod/configmaps/shop/settings?tab=yaml');
  await page.getByRole('button', { name: 'Edit' }).click();
  const content = page.locator('[data-editor] .cm-content').first();
  await content.click();
  const colour = (to: string) => async () => {
    const line = page.locator('[data-editor] .cm-line', { hasText: 'colour:' }).first();
    await line.click();
    await page.keyboard.press('End');
    await page.keyboard.press('Shift+Home');
    await page.keyboard.type(`colour: ${to}`);
  };
  await colour('blue')();
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByRole('region', { name: 'What would be stored' }).getByText('colour: blue').waitFor();
  expect(cluster.get('v1', 'ConfigMap', 'shop', 'settings')).toMatchObject({ data: { colour: 'green' } });
  await look('dry run');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('settings was changed.').waitFor();
  expect(cluster.get('v1', 'ConfigMap', 'shop', 'settings')).toMatchObject({ data: { colour: 'blue' } });
  await expect.poll(() => editorText(page)).toContain('colour: blue');

  await page.getByRole('button', { name: 'Edit' }).click();
  await content.click();
  await colour('red')();
  const now = cluster.get('v1', 'ConfigMap', 'shop', 'settings');
  if (now) cluster.put({ ...now, data: { colour: 'white' } });
  await page.getByText('It has changed at the cluster since you began').waitFor();
  await page.getByRole('button', { name: 'Dry run' }).click();
  await page.getByText('Somebody else changed it meanwhile.').waitFor();
  await look('conflict');
  await page.getByRole('button', { name: 'Begin anew from what it is now' }).click();
  await expect.poll(() => editorText(page)).toContain('colour: white');

  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

test('an object is made from a text: tried first, then made, and looked at', async () => {
  const { page, complaints, at } = await openAs('kube-edit');
  const { look, found } = lookAt(page);
  await at('/prod/configmaps?ns=shop');
  await page.getByRole('button', { name: 'Create' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create an object' });
  await dialog.locator('.cm-content').click();
  await page.keyboard.insertText('apiVersion: v1\nkind: Nothing\nmetadata: {name: made}\n');
  await dialog.getByText('This cluster has no such kind of object in that apiVersion.').waitFor();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made}\ndata: {a: b}\n');
  await dialog.getByRole('button', { name: 'Dry run' }).click();
  await dialog.getByText('Accepted. Nothing is stored yet.').waitFor();
  expect(cluster.get('v1', 'ConfigMap', 'shop', 'made')).toBeUndefined();
  await look('create');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.waitForURL(/configmaps\/shop\/made/);
  await page.getByText('made was created.').waitFor();
  expect(cluster.get('v1', 'ConfigMap', 'shop', 'made')).toMatchObject({ data: { a: 'b' } });

  await page.goto(`${gateway.url}/cluster/localhost/console/kube/prod/shop/Bad_pod`);
  await page.getByText("'Bad_pod' is no name of a pod.").waitFor();

  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});

test('the values of a secret are not on the page until somebody asks for them', async () => {
  const { page, complaints, at } = await openAs('kube-edit');
  await at('/prod/secrets/shop/db?tab=yaml');
  await page.getByText('The values of this secret are hidden.').waitFor();
  await expect.poll(() => editorText(page)).toContain('password: ""');
  expect(await page.content()).not.toContain(btoa('hunter2'));
  await page.getByRole('button', { name: 'Show values' }).click();
  await expect.poll(() => editorText(page)).toContain(btoa('hunter2'));

  expect(complaints).toEqual([]);
});

test('from a cluster that is not there, one link leads back to those that are', async () => {
  const { page, complaints, at } = await openAs('kube-edit');
  await at('/absent');
  await page.getByText('absent could not be opened').waitFor();
  await page.getByRole('link', { name: 'All Kubernetes clusters' }).click();
  await page.waitForURL(/\/kubernetes$/);
  await page.getByRole('heading', { name: 'Kubernetes', exact: true }).waitFor();

  expect(complaints).toEqual([]);
});

test('who may see one namespace is shown that one, by a phone too', async () => {
  const { page, complaints, at } = await openAs('kube-shop', WIDTHS.phone);
  const { look, found } = lookAt(page);
  await at('/prod/pods');
  await page.getByRole('row', { name: /talker/ }).waitFor();
  await page.getByRole('button', { name: /^Namespace/ }).click();
  await page.getByRole('checkbox', { name: 'shop' }).waitFor();
  expect(await page.getByRole('checkbox', { name: 'bank' }).count()).toBe(0);
  await look('namespaces');
  await page.keyboard.press('Escape');
  await look('pods');
  await page.getByRole('row', { name: /talker/ }).click();
  await page.getByRole('complementary', { name: 'Pod talker' }).getByText('shop/api:1').waitFor();
  await look('pod');

  expect(found).toEqual([]);
  expect(complaints).toEqual([]);
});
