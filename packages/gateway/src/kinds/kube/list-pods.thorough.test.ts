/** The call of the wire reference that lists pods, at a real gateway with a small cluster behind it. */
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KUBE_CLUSTER, type KubeWorld, startKubeWorld } from '../../../testing/kube/kube-world.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let world: KubeWorld;
beforeAll(async () => {
  world = await startKubeWorld();
  for (const [namespace, name, app] of [
    ['shop', 'web-1', 'web'],
    ['shop', 'web-2', 'web'],
    ['shop', 'db-1', 'db'],
    ['tools', 'web-1', 'mail'],
  ] as const)
    world.cluster.put({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name, labels: { app } } },
      spec: { containers: [{ name: 'main', image: 'nginx' }] },
    });
});
afterAll(() => world.close());

const pods = (who: TestBrowser, query: Record<string, string>) =>
  call(who.send, kubeRoutes.pods, { params: KUBE_CLUSTER, query: { kubeCluster: 'prod', ...query } });
const names = ({ items }: Awaited<ReturnType<typeof pods>>) =>
  items.map(({ namespace, name }) => `${namespace}/${name}`);

test('pods are listed as the wire has them, asked for in the name of whoever asks', async () => {
  const { items, totalCount, startKey } = await pods(world.ann, { kubeNamespace: 'tools' });
  expect({ items, totalCount, startKey }).toEqual({
    items: [
      { kind: 'pod', name: 'web-1', namespace: 'tools', cluster: 'prod', labels: [{ name: 'app', value: 'mail' }] },
    ],
    totalCount: 1,
    startKey: '',
  });
  expect(world.cluster.seen.at(-1)).toMatchObject({ by: 'gateway', user: 'ann' });
  await expect
    .poll(async () => (await world.gateway.events()).filter(({ code }) => code === 'T3009I'), { timeout: SOON_MS })
    .toContainEqual(expect.objectContaining({ user: 'ann' }));
});

test('words, predicates, orders and pages are those of every list', async () => {
  const all = { kubeNamespace: '', search: '', query: '', sort: '', limit: '', startKey: '' };
  expect(names(await pods(world.ann, all))).toEqual(['shop/db-1', 'shop/web-1', 'tools/web-1', 'shop/web-2']);
  expect(names(await pods(world.ann, { search: 'web shop' }))).toEqual(['shop/web-1', 'shop/web-2']);
  expect(names(await pods(world.ann, { query: 'labels["app"] == "mail"' }))).toEqual(['tools/web-1']);
  const first = await pods(world.ann, { sort: 'namespace:desc', limit: '2' });
  expect([names(first), first.totalCount]).toEqual([['tools/web-1', 'shop/web-2'], 4]);
  // The one that the next page was to begin with goes away meanwhile.
  const gone = world.cluster.get('v1', 'Pod', 'shop', 'web-1');
  world.cluster.remove('v1', 'Pod', 'shop', 'web-1');
  const second = await pods(world.ann, { sort: 'namespace:desc', limit: '2', startKey: first.startKey });
  expect([names(second), second.startKey]).toEqual([['shop/db-1'], '']);
  if (gone) world.cluster.put(gone);
  await expect(pods(world.ann, { startKey: first.startKey })).rejects.toThrow('another order');
  await expect(pods(world.ann, { startKey: '!' })).rejects.toThrow('not one that was given out');
  await expect(pods(world.ann, { sort: 'age' })).rejects.toThrow('this list can be sorted by name, namespace');
  await expect(pods(world.ann, { query: 'labels[' })).rejects.toThrow(/^query /);
  await expect(pods(world.ann, { kubeCluster: '' })).rejects.toThrow('must name a Kubernetes cluster');
  await expect(pods(world.ann, { kubeNamespace: '../secrets' })).rejects.toMatchObject({ code: 'bad_request' });
});

test('only those a rule lets somebody see are told; a cluster they do not see is not there', async () => {
  const few = await world.person(
    'few',
    "kubernetes_labels: {env: dev}, kubernetes_groups: [edit], kubernetes_resources: [{kind: pods, api_group: '', namespace: shop, name: 'web-*', verbs: ['*']}]",
  );
  const seen = await pods(few, {});
  expect([names(seen), seen.totalCount]).toEqual([['shop/web-1', 'shop/web-2'], 2]);
  await expect(pods(few, { kubeNamespace: 'tools' })).rejects.toMatchObject({ code: 'denied' });
  const nobody = await world.person('nobody', 'kubernetes_labels: {env: other}');
  const hidden = await pods(nobody, {}).catch((error: unknown) => error);
  const absent = await pods(nobody, { kubeCluster: 'none' }).catch((error: unknown) => error);
  expect([hidden, absent]).toMatchObject([
    { code: 'not_found', message: "Kubernetes cluster 'prod' not found" },
    { code: 'not_found', message: "Kubernetes cluster 'none' not found" },
  ]);
});

test('a role that asks for a second factor has it asked for here too', async () => {
  const strict = await world.person(
    'strict',
    "kubernetes_labels: {env: dev}, kubernetes_groups: [edit], kubernetes_resources: [{kind: '*', api_group: '*', namespace: '*', name: '*', verbs: ['*']}]",
    '{require_session_mfa: true}',
  );
  await expect(pods(strict, {})).rejects.toMatchObject({ code: 'mfa_required' });
});
