/** Pages that look into a Kubernetes cluster, over the socket of a real gateway, at a small cluster that kubectl takes for one. */
import { BROWSE_FRAME_BYTES, KUBE_BROWSE_SOCKET, MAX_BROWSE_REQUESTS } from '@gatehouse/contract/kinds/kube/browse';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { BrowsePage } from '../../../../testing/kube/browse-page.ts';
import { type KubeWorld, startKubeWorld } from '../../../../testing/kube/kube-world.ts';
import { makeTakeawayRoles, TAKEAWAY_NAMES, TAKEAWAYS } from '../../../../testing/takeaways.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const CONFIGMAPS = { apiGroup: '', apiVersion: 'v1', resource: 'configmaps', namespace: 'default' };
const SECRETS = { ...CONFIGMAPS, resource: 'secrets' };
const EVERYTHING = "kubernetes_resources: [{kind: '*', api_group: '*', namespace: '*', name: '*', verbs: ['*']}]";

let world: KubeWorld;
const pages: BrowsePage[] = [];
beforeAll(async () => {
  world = await startKubeWorld();
  await makeTakeawayRoles(world.admin);
});
afterAll(() => world.close());
afterEach(() => {
  for (const page of pages.splice(0)) page.close();
});

async function open(who: TestBrowser = world.ann): Promise<BrowsePage> {
  const page = new BrowsePage(world.origin, who);
  pages.push(page);
  await page.until('ready');
  return page;
}

const configMap = (name: string, data: Record<string, string> = {}) => ({
  ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data },
});

test('a page hears who it is there, lists as the cluster prints, and hears what changes', async () => {
  world.cluster.put(configMap('first', { a: '1' }));
  const page = await open();
  expect(await page.until('ready')).toMatchObject({
    user: 'ann',
    groups: ['edit'],
    version: expect.stringMatching(/^v1/),
  });
  page.ask({ type: 'list', ...CONFIGMAPS });
  expect(await page.until('listed')).toMatchObject({ isLive: true, isCut: false });
  expect(page.heard.some((reply) => reply.type === 'rows' && reply.rows.some(({ name }) => name === 'first'))).toBe(
    true,
  );
  world.cluster.put(configMap('second'));
  await page.until('rows', ({ rows }) => rows.some(({ name }) => name === 'second'));
  world.cluster.remove('v1', 'ConfigMap', 'default', 'second');
  await page.until('rows', ({ gone }) => gone.length === 1);

  const columns = await page.until('columns');
  expect(columns.columns.map(({ name }) => name)).toContain('Name');
  expect(world.cluster.seen.at(-1)).toMatchObject({ by: 'gateway', user: 'ann' });
});

test('a watch from before the cluster forgot is listed anew, and goes on', async () => {
  const page = await open();
  page.ask({ type: 'list', ...CONFIGMAPS });
  await page.until('listed');
  world.cluster.compact();
  world.cluster.cut();
  await page.until('anew');
  await page.until('listed', () => page.heard.filter(({ type }) => type === 'listed').length === 2);
  world.cluster.put(configMap('after'));
  await page.until('rows', ({ rows }) => rows.some(({ name }) => name === 'after'));
});

test('a change is tried without being stored, then made; one that came in between is a conflict', async () => {
  const made = world.cluster.put(configMap('edited', { key: 'old' }));
  const page = await open();
  const ref = { ...CONFIGMAPS, name: 'edited' };
  const { resourceVersion } = made.metadata;
  const body = JSON.stringify({ data: { key: 'new' }, metadata: { resourceVersion } });
  const tried = page.ask({ type: 'patch', ...ref, subresource: '', body, dryRun: true });
  const answer = await page.until('written', ({ id }) => id === tried);
  expect(JSON.parse(answer.json)).toMatchObject({ data: { key: 'new' } });
  expect(world.cluster.get('v1', 'ConfigMap', 'default', 'edited')).toMatchObject({ data: { key: 'old' } });

  const applied = page.ask({ type: 'patch', ...ref, subresource: '', body, dryRun: false });
  await page.until('written', ({ id }) => id === applied);
  expect(world.cluster.get('v1', 'ConfigMap', 'default', 'edited')).toMatchObject({ data: { key: 'new' } });

  const late = page.ask({ type: 'patch', ...ref, subresource: '', body, dryRun: false });
  expect(await page.until('failed', ({ id }) => id === late)).toMatchObject({ status: 409, reason: 'Conflict' });
});

test('the values of a secret are shown to who asks for them, and that is in the log', async () => {
  const value = Buffer.from('hunter2').toString('base64');
  world.cluster.put({
    ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'db', namespace: 'default' }, data: { password: value } },
  });
  const page = await open();
  const ref = { ...SECRETS, name: 'db' };
  const hidden = page.ask({ type: 'object', ...ref, reveal: false });
  const first = await page.until('object', ({ id }) => id === hidden);
  expect([first.isHidden, first.json.includes(value)]).toEqual([true, false]);
  const told = async () => (await world.gateway.events()).filter(({ code }) => code === 'GH389I');
  expect(await told()).toEqual([]);

  const shown = page.ask({ type: 'object', ...ref, reveal: true });
  const second = await page.until('object', ({ id }) => id === shown);
  expect(second.json).toContain(value);
  await expect
    .poll(told, { timeout: SOON_MS })
    .toMatchObject([
      { user: 'ann', data: { kubernetes_cluster: 'prod', resource_namespace: 'default', resource_name: 'db' } },
    ]);
});

test('who may not list namespaces is told those their rules name', async () => {
  const rules = "kubernetes_resources: [{kind: pods, namespace: shop, name: '*', verbs: ['*']}]";
  const kim = await world.person('kim', `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], ${rules}`);
  const page = await open(kim);
  page.ask({ type: 'namespaces' });
  expect(await page.until('namespaces')).toMatchObject({ names: ['shop'], from: 'configured' });
  page.ask({ type: 'list', ...CONFIGMAPS });
  expect(await page.until('failed')).toMatchObject({ status: 403, reason: 'Forbidden' });
});

test('a cluster that is not there, or not theirs, is refused alike', async () => {
  const none = await world.person('nan', `kubernetes_labels: {env: other}, kubernetes_groups: [edit], ${EVERYTHING}`);
  const answers = await Promise.all(
    [new BrowsePage(world.origin, none), new BrowsePage(world.origin, none, { name: 'absent' })].map(async (page) => {
      pages.push(page);
      const { code, message } = await page.until('refused');
      return { code, message };
    }),
  );
  expect(answers).toEqual([
    { code: 'not_found', message: expect.stringContaining("'prod'") },
    { code: 'not_found', message: expect.stringContaining("'absent'") },
  ]);
});

test('of a cluster that does not answer a page hears once under which id that is told', async () => {
  await call(world.admin.send, kubeRoutes.add, {
    params: { clusterId: 'localhost' },
    body: {
      name: 'gone',
      server: `https://127.0.0.1:${await freePort()}`,
      labels: { env: 'dev' },
      credential: { token: 'x' },
    },
  });
  const page = new BrowsePage(world.origin, world.ann, { name: 'gone' });
  pages.push(page);
  const { message, requestId } = await page.until('refused');

  expect(message).toMatch(/nothing listens there$/);
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  ['bytes', Buffer.from('{"type":"namespaces","id":1}')],
  ['no JSON', '{"type":'],
  ['another type', '{"type":"exec","id":1}'],
  ['no number', '{"type":"namespaces","id":-1}'],
  ['a path for a name', JSON.stringify({ type: 'object', id: 1, ...CONFIGMAPS, name: '../secrets' })],
  ['a frame that is too long', JSON.stringify({ type: 'namespaces', id: 1, more: 'x'.repeat(BROWSE_FRAME_BYTES) })],
  ['a frame without end', 'x'.repeat(20 * 1024 * 1024)],
])('a page that sends %s is closed, and asks the cluster nothing by it', async (_, sent) => {
  const page = await open();
  const before = world.cluster.seen.length;
  page.socket.send(sent);
  await page.closing;

  expect(world.cluster.seen.length).toBe(before);
  (await open()).close();
});

test('a page that asks for more than it can show is told so, and what it asked before goes on', async () => {
  const page = await open();
  const wanted = { ...CONFIGMAPS, namespace: 'default' };
  const first = page.ask({ type: 'list', ...wanted });
  await page.until('listed', ({ id }) => id === first);
  for (let more = 0; more < 2 * MAX_BROWSE_REQUESTS; more += 1) page.ask({ type: 'list', ...wanted });
  expect(await page.until('failed')).toMatchObject({ status: 429, reason: 'TooManyRequests' });
  world.cluster.put(configMap('still'));

  await page.until('rows', ({ id, rows }) => id === first && rows.some(({ name }) => name === 'still'));
});

test('a page of another site, or without the token of its tab, is not let in', async () => {
  const path = KUBE_BROWSE_SOCKET.replace(':clusterId', 'localhost').replace(':name', 'prod');
  const cookie = [...world.ann.cookies].map(([key, value]) => `${key}=${value}`).join('; ');
  const heard: string[] = [];
  const tries = [
    ['http://evil.example', world.ann.bearer],
    ['http://localhost:3080', 'another'],
  ].map(async ([origin = '', token]) => {
    const headers = { host: 'localhost:3080', origin, cookie };
    const socket = new WebSocket(`${world.origin.replace('http', 'ws')}${path}`, { headers });
    socket.on('error', () => {});
    socket.on('open', () => {
      socket.send(JSON.stringify({ type: 'hello', token }));
      socket.send(JSON.stringify({ type: 'open' }));
    });
    socket.on('message', (data) => void heard.push(String(data)));
    await new Promise((resolve) => socket.once('close', resolve));
  });
  // The first thing that is asked for a page.
  const opened = () => world.cluster.seen.filter(({ url }) => url === '/version').length;
  const before = opened();
  await Promise.all(tries);

  expect(heard.filter((text) => text.includes('ready'))).toEqual([]);
  expect(opened()).toBe(before);
});

test.each(TAKEAWAY_NAMES.filter((name) => name !== 'a moderator is asked for'))(
  'it ends within two seconds, with the reason, when %s',
  async (what) => {
    const name = `away-${TAKEAWAY_NAMES.indexOf(what)}`;
    const who = await world.person(name, `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], ${EVERYTHING}`);
    const page = await open(who);
    page.ask({ type: 'list', ...CONFIGMAPS });
    await page.until('listed');
    await TAKEAWAYS[what](world.admin, name, [`role-${name}`]);
    const over = await page.until('ended');
    expect(over.message).not.toBe('');
    await page.closing;
  },
);
