import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { loadClientNode } from '@gatehouse/testkit/kube/client-node';
import { podObject } from '@gatehouse/testkit/kube/kube-seed';
import { KUBECTLS } from '@gatehouse/testkit/kube/kubeconfig';
import { createKubectl, type Kubectl } from '@gatehouse/testkit/kube/kubectl';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KubectlWorld, startKubectlWorld } from '../../../testing/kube/kubectl-world.ts';

describe.each(KUBECTLS)('through the gateway to a cluster of %s', (version) => {
  let world: KubectlWorld;
  beforeAll(async () => {
    world = await startKubectlWorld({ version });
  });
  afterAll(async () => await world?.close());

  test('a watch begins at once, also where nothing happens: programs wait for its head', async () => {
    const headers = { authorization: `Bearer ${await world.passTo('prod', world.ann)}` };
    const query = 'watch=true&resourceVersion=999999';
    const asked = get(`${world.origin}/v1/kube/prod/api/v1/namespaces/shop/secrets?${query}`, {
      ca: world.ca,
      headers,
    });
    const [response] = (await once(asked, 'response', { signal: AbortSignal.timeout(SOON_MS) })) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    asked.on('error', () => {});
    asked.destroy();
  });

  test('the JavaScript client lists in parts, makes, watches and removes', async () => {
    const client = await loadClientNode();
    const config = new client.KubeConfig();
    config.loadFromString(world.kubeconfig(await world.passTo('prod', world.ann)));
    const api = config.makeApiClient(client.CoreV1Api);
    for (const name of ['a', 'b']) world.cluster.put(podObject('kube-public', name));
    const first = await api.listNamespacedPod({ namespace: 'kube-public', limit: 1 });
    const rest = { namespace: 'kube-public', limit: 1, _continue: first.metadata?._continue ?? '' };
    const { items } = await api.listNamespacedPod(rest);
    expect([...first.items, ...items].map(({ metadata }) => metadata?.name)).toEqual(['a', 'b']);
    const told = Promise.withResolvers<string>();
    const path = '/api/v1/namespaces/kube-public/configmaps';
    const onEvent = (happened: string, { metadata }: { metadata?: { name?: string } }) =>
      told.resolve(`${happened} ${metadata?.name}`);
    const watching = await new client.Watch(config).watch(path, {}, onEvent, () => {});
    const body = { metadata: { name: 'made' }, data: { a: '1' } };
    await api.createNamespacedConfigMap({ namespace: 'kube-public', body });
    expect(await told.promise).toBe('ADDED made');
    watching.abort();
    await api.deleteNamespacedConfigMap({ namespace: 'kube-public', name: 'made' });
    expect(world.cluster.get('v1', 'ConfigMap', 'kube-public', 'made')).toBeUndefined();
    await expect(api.readNamespacedPod({ namespace: 'kube-public', name: 'none' })).rejects.toThrow('not found');
  });

  describe.each(KUBECTLS)('kubectl %s', (client) => {
    let kubectl: Kubectl;
    beforeAll(async () => {
      kubectl = await world.kubectl(client, world.ann);
    });
    afterAll(() => kubectl?.remove());

    test('lists as the person, with what the gateway may show and nothing of the client', async () => {
      expect(await kubectl.must(['get', 'pods', '-A'])).toMatch(
        /NAMESPACE +NAME +READY +STATUS.*\ndefault +idle +1\/1 +Running/,
      );
      const seen = world.cluster.seen.findLast(({ url }) => url.startsWith('/api/v1/pods'));
      expect(seen).toMatchObject({ by: 'gateway', user: 'ann', groups: ['edit', 'system:authenticated'] });
      const { headers } = seen ?? {};
      expect(headers?.['impersonate-group']).toEqual(['edit']);
      expect(headers?.['audit-id']).toHaveLength(1);
      expect(Object.keys(headers ?? {}).filter((name) => /^(cookie|x-|forwarded|via)/.test(name))).toEqual([]);
      expect(await kubectl.run(['get', 'pod', 'nope'])).toMatchObject({
        code: 1,
        stderr: 'Error from server (NotFound): pods "nope" not found\n',
      });
    });

    test("refuses in the cluster's words what the person's groups may not there", async () => {
      expect((await kubectl.run(['get', 'clusterroles'])).stderr).toContain(
        'User "ann" cannot list resource "clusterroles" in API group "rbac.authorization.k8s.io" at the cluster scope',
      );
    });

    test('applies, finds nothing changed, rolls out what did, deletes', async () => {
      const manifest = (image: string) =>
        JSON.stringify({
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'web', namespace: 'shop' },
          spec: {
            replicas: 2,
            selector: { matchLabels: { app: 'web' } },
            template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
          },
        });
      const apply = ['apply', '-f', '-'];
      expect(await kubectl.must(apply, manifest('example.test/web:1'))).toBe('deployment.apps/web created\n');
      expect(await kubectl.must(apply, manifest('example.test/web:1'))).toBe('deployment.apps/web unchanged\n');
      expect(await kubectl.must(apply, manifest('example.test/web:2'))).toBe('deployment.apps/web configured\n');
      expect(await kubectl.must(['rollout', 'status', '-n', 'shop', 'deployment/web'])).toContain('rolled out');
      expect(await kubectl.must(['scale', '-n', 'shop', 'deployment/web', '--replicas', '1'])).toContain('scaled');
      expect(await kubectl.must(['delete', '-n', 'shop', 'deployment', 'web'])).toContain('deleted');
    });

    test('follows a watch and a log by events', async () => {
      const watch = kubectl.start(['get', 'configmaps', '-n', 'shop', '-w']);
      const put = (name: string) =>
        world.cluster.put({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace: 'shop' } });
      put(`first-${client}`);
      expect(await watch.prints(`first-${client}`)).toContain('DATA');
      put(`second-${client}`);
      await watch.prints(`second-${client}`);
      await watch.stop();
      const container = world.cluster.container('default', 'idle');
      container.print('one');
      const follow = kubectl.start(['logs', '-f', 'idle']);
      await follow.prints('one');
      container.print('two');
      await follow.prints('two');
      await follow.stop();
    });

    test('a pass that is none, or for another cluster, is told what to do', async () => {
      const stranger = createKubectl(client, world.kubeconfig('not-a-pass'));
      expect(await stranger.run(['get', 'pods'])).toMatchObject({ code: 1 });
      stranger.remove();
    });
  });
});
