/** Rules on objects as somebody with kubectl meets them: what is listed, what is followed, and how a refusal reads. */
import { KUBECTLS } from '@gatehouse/testkit/kube/kubeconfig';
import type { Kubectl } from '@gatehouse/testkit/kube/kubectl';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KubectlWorld, startKubectlWorld } from '../../../testing/kube/kubectl-world.ts';

const configMap = (namespace: string, name: string) => ({
  ...{ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace } },
  data: { metadata: '{"namespace":"shop","name":"web-1"}' },
});
const MAPS = "kind: configmaps, namespace: shop, name: 'web-*'";

let world: KubectlWorld;
beforeAll(async () => {
  world = await startKubectlWorld({ objects: [] });
  for (const [namespace, name] of [
    ['shop', 'web-1'],
    ['shop', 'web-2'],
    ['shop', 'web-secret'],
    ['shop', 'db-1'],
    ['default', 'web-3'],
  ] as const)
    world.cluster.put(configMap(namespace, name));
});
afterAll(async () => await world?.close());

describe.each(KUBECTLS)('kubectl %s', (version) => {
  const role = `role-pat-${version.replace('.', '-')}`;
  let kubectl: Kubectl;
  beforeAll(async () => {
    const pat = await world.person(
      role.slice('role-'.length),
      `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], kubernetes_resources: [{${MAPS}}, {kind: namespaces, name: shop, verbs: [get, list]}]`,
      "{}, deny: {kubernetes_resources: [{kind: configmaps, namespace: '*', name: web-secret}]}",
    );
    kubectl = await world.kubectl(version, pat);
  });
  afterAll(() => kubectl?.remove());
  const names = async (...args: string[]) =>
    (await kubectl.must(['get', ...args, '-o', 'name']))
      .trim()
      .split('\n')
      .map((line) => line.split('/')[1]);

  test('lists what may be seen, as a table, by names and over all namespaces', async () => {
    const table = await kubectl.must(['get', 'configmaps', '-n', 'shop']);

    expect(table).toMatch(/^NAME +DATA +AGE\nweb-1 +1 .*\nweb-2 +1 .*\n$/);
    expect(await names('configmaps', '-n', 'shop')).toEqual(['web-1', 'web-2']);
    expect(await names('configmaps', '-A')).toEqual(['web-1', 'web-2']);
    expect(await names('namespaces')).toEqual(['shop']);
    expect(
      await kubectl.must(['get', 'configmap', 'web-1', '-n', 'shop', '-o', 'jsonpath={.data.metadata}']),
    ).toContain('shop');
  });

  test('pages of a list are filtered each, and lead on', async () => {
    expect(await names('configmaps', '-n', 'shop', '--chunk-size=1')).toEqual(['web-1', 'web-2']);
  });

  test('a name that may not be used reads the same whether it is there or not, and names rule, role and request', async () => {
    const refused = async (name: string) =>
      (await kubectl.run(['get', 'configmap', name, '-n', 'shop'])).stderr.replaceAll(name, 'NAME');
    const [there, absent, denied] = [await refused('db-1'), await refused('db-none'), await refused('web-secret')];
    const plain = (text: string) => text.replace(/request [0-9a-f-]+/, 'request ID');

    expect(plain(there)).toBe(plain(absent));
    expect(there).toMatch(
      /^Error from server \(Forbidden\): configmaps "NAME" is forbidden: .*kubernetes_resources.* \(request [0-9a-f-]{36}\)\n$/,
    );
    expect(there).toContain(`'${role}'`);
    expect(denied).toContain(`role '${role}' denies it by spec.deny.kubernetes_resources[0]`);
  });

  test('follows what may be seen, with the heads of its columns, though what came first is hidden', async () => {
    const put = (name: string) => world.cluster.put(configMap('shop', name));
    const watch = kubectl.start(['get', 'configmaps', '-n', 'shop', '--watch-only']);
    // Whatever comes first carries the columns: until the watch is open nothing does.
    await expect
      .poll(() =>
        world.cluster.seen.some(({ url, user }) => /configmaps\?.*watch=true/.test(url) && user === role.slice(5)),
      )
      .toBe(true);
    put(`db-${version}`);
    put(`web-new-${version}`);
    const printed = await watch.prints(`web-new-${version}`);
    await watch.stop();

    expect(printed).toMatch(/^NAME +DATA +AGE\n/);
    expect(printed).not.toContain(`db-${version}`);
    await kubectl.must(['delete', 'configmap', `web-new-${version}`, '-n', 'shop']);
  });

  test('one name is followed where it may be seen, and refused where not', async () => {
    const watch = kubectl.start(['get', 'configmap', 'web-1', '-n', 'shop', '-w']);
    expect(await watch.prints('web-1')).toContain('NAME');
    await watch.stop();
    expect((await kubectl.run(['get', 'configmap', 'db-1', '-n', 'shop', '-w'])).stderr).toContain('Forbidden');
  });

  test('makes what has a name that is allowed, and removes no collection of which it may not all', async () => {
    const make = async (name: string) =>
      await kubectl.run(['create', '-f', '-'], JSON.stringify(configMap('shop', name)));

    expect((await make(`web-made-${version}`)).stdout).toBe(`configmap/web-made-${version} created\n`);
    expect((await make(`db-made-${version}`)).stderr).toContain('is forbidden');
    // Newer ones send this as protobuf.
    expect((await kubectl.run(['create', 'configmap', `db-made-${version}`, '-n', 'shop'])).stderr).toContain(
      `configmaps "db-made-${version}" is forbidden`,
    );
    expect(world.cluster.get('v1', 'ConfigMap', 'shop', `db-made-${version}`)).toBeUndefined();
    expect(
      (await kubectl.run(['delete', '--raw', '/v1/kube/prod/api/v1/namespaces/shop/configmaps'])).stderr,
    ).toContain('whole collection');
    expect((await kubectl.run(['delete', 'configmap', `web-made-${version}`, '-n', 'shop'])).code).toBe(0);
    expect(world.cluster.get('v1', 'ConfigMap', 'shop', 'db-1')).toBeDefined();
  });

  test('asks what it may, whatever else it may not', async () => {
    expect((await kubectl.run(['auth', 'can-i', 'get', 'configmaps', '-n', 'shop'])).stdout).toBe('yes\n');
    expect((await kubectl.run(['get', 'pods', '-n', 'shop'])).stderr).toContain('pods is forbidden: list');
    expect((await kubectl.run(['get', 'configmaps', '-n', 'shop', '--as', 'root'])).stderr).toContain(
      "the Kubernetes user 'root'",
    );
  });
});
