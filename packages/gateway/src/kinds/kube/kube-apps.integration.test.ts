/** Applications at a port inside a cluster: opened by a browser, led there in the name of whoever opens it. */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { podObject } from '@gatehouse/testkit/kube/kube-seed';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ask, openApp } from '../../../testing/apps/app-world.ts';
import { KUBE_CLUSTER, type KubeWorld, startKubeWorld } from '../../../testing/kube/kube-world.ts';

const HOST = 'api.localhost';
const EVERYTHING = "kubernetes_resources: [{kind: '*', api_group: '*', namespace: '*', name: '*', verbs: ['*']}]";
const kube = (group: string) => `kubernetes_labels: {env: dev}, kubernetes_groups: [${group}], ${EVERYTHING}`;
const APPS = 'app_labels: {env: dev}';

let world: KubeWorld;
let upstream: Server;
let port: number;
const waiting: ServerResponse[] = [];

beforeAll(async () => {
  upstream = createServer((request, response) => {
    if (request.url === '/wait') {
      response.write('begun\n');
      waiting.push(response);
    } else response.end(`${request.headers.host} ${request.url}`);
  });
  upstream.listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const containerPort = (upstream.address() as AddressInfo).port;
  const ports = [{ name: 'http', containerPort }];
  const containers = [{ name: 'main', image: 'example.test/api:1', ports }];
  world = await startKubeWorld({
    cluster: { objects: [podObject('default', 'api-1', { labels: { app: 'api' }, containers })] },
  });
  await world.cluster.running('default', 'api-1');
  const service = (name: string, selector: Record<string, string>, targetPort: string | number) =>
    world.cluster.put({
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace: 'default' } },
      spec: { selector, ports: [{ port: 80, targetPort }] },
    });
  service('api', { app: 'api' }, 'http');
  service('empty', { app: 'nothing' }, 'http');
  port = Number(new URL(world.origin).port);
  await add('api', 'kube://prod/default/svc/api:80');
  await add('pod', `kube://prod/default/pod/api-1:${containerPort}`);
  await add('empty', 'kube://prod/default/svc/empty:80');
  await add('closed', 'kube://prod/default/pod/api-1:1');
  await world.person('bea', `${APPS}, ${kube('edit')}`);
});
afterAll(async () => {
  await world?.close();
  upstream?.closeAllConnections();
  upstream?.close();
});

const add = (name: string, uri: string, more: object = {}) => {
  const body = { name, uri, labels: { env: 'dev' }, ...more } as never;
  return call(world.admin.send, appRoutes.add, { params: KUBE_CLUSTER, body });
};
const openAs = async (name: string, host = HOST) => openApp({ port }, await world.gateway.signedIn(name), host, '/');

test('a service is opened by its name and port, a pod too, and each connection is told to the log', async () => {
  const cookie = await openAs('bea');

  expect(await ask(port, { host: HOST, path: '/x', headers: { cookie } })).toMatchObject({
    status: 200,
    body: 'api.default.svc:80 /x',
  });
  const pod = await openAs('bea', 'pod.localhost');
  expect(await ask(port, { host: 'pod.localhost', headers: { cookie: pod } })).toMatchObject({ status: 200 });
  const told = async (path: string) =>
    (await world.gateway.events()).filter(({ data }) => data.request_path === path && data.user === 'bea');
  await vi.waitFor(async () => {
    expect(await told('/api/v1/namespaces/default/services/api')).not.toHaveLength(0);
    expect(await told('/api/v1/namespaces/default/pods/api-1/portforward')).not.toHaveLength(0);
  }, SOON_MS);
});

test('who may open the application and not forward ports is refused in words, whoever says so', async () => {
  await world.person('cas', `${APPS}, ${kube('view')}`);
  const viewer = await openAs('cas');
  const refused = await ask(port, { host: HOST, headers: { cookie: viewer } });
  expect(refused.status).toBe(403);
  expect(refused.body).toContain('does not let the Kubernetes user');

  await world.person('dan', APPS);
  const stranger = await openAs('dan');
  const unseen = await ask(port, { host: HOST, headers: { cookie: stranger } });
  expect(unseen.status).toBeGreaterThanOrEqual(400);
  expect(unseen.body).not.toContain('/x');

  await world.person('eve', `${APPS}, ${kube('edit')}`, '{port_forwarding: false}');
  const closed = await ask(port, { host: HOST, headers: { cookie: await openAs('eve') } });
  expect(closed).toMatchObject({ status: 403, body: expect.stringContaining('forward') });
});

test('what is not there is told in words: a service without pods, a port nobody listens at', async () => {
  const [empty, closed] = [await openAs('bea', 'empty.localhost'), await openAs('bea', 'closed.localhost')];

  const none = await ask(port, { host: 'empty.localhost', headers: { cookie: empty } });
  expect(none).toMatchObject({ status: 504, body: expect.stringContaining('is ready') });
  expect((await ask(port, { host: 'closed.localhost', headers: { cookie: closed } })).status).toBeGreaterThanOrEqual(
    502,
  );
});

test('whoever loses the cluster loses what is open through it, though the application stays theirs', async () => {
  await world.person('fay', `${APPS}, ${kube('edit')}`);
  await world.person('gil', APPS);
  const cookie = await openAs('fay');
  const under = ask(port, { host: HOST, path: '/wait', headers: { cookie } }).catch((error: Error) => error.message);
  await vi.waitFor(() => expect(waiting).toHaveLength(1), SOON_MS);

  await world.gateway.setRoles('fay', ['role-gil']);

  // Nothing ends it but the gateway.
  expect(await under).not.toMatchObject({ status: 200, body: 'begun\nend' });
  expect((await ask(port, { host: HOST, headers: { cookie } })).status).toBeGreaterThanOrEqual(400);
});

test('agents are not named for it, and what its address lacks is said', async () => {
  await expect(add('bad', 'kube://prod/default/svc/api')).rejects.toThrow('kube://CLUSTER/NAMESPACE/svc/NAME:PORT');
  await expect(add('bad', 'kube://prod/default/svc/api:80', { through: ['x'] })).rejects.toMatchObject({
    code: expect.stringMatching(/bad_request|not_found/),
  });
});
