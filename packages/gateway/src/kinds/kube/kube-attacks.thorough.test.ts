/** What a hostile client, colleague or cluster tries at the door of Kubernetes clusters. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { type KubeLiar, startKubeLiar } from '@gatehouse/testkit/kube/kube-liar';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { KUBE_CLUSTER, type KubeWorld, startKubeWorld } from '../../../testing/kube/kube-world.ts';

let world: KubeWorld;
let liar: KubeLiar;
const SECRETS = '/api/v1/namespaces/default/secrets';
const MAPS = '/api/v1/namespaces/default/configmaps';
const HERE = 'kubernetes_labels: {env: dev}';
const EVERYTHING = "kubernetes_resources: [{kind: '*', api_group: '*', namespace: '*', name: '*', verbs: ['*']}]";

beforeAll(async () => {
  [world, liar] = await Promise.all([startKubeWorld(), startKubeLiar()]);
  const body = {
    name: 'liar',
    server: liar.url,
    ca: liar.ca,
    labels: { env: 'dev' },
    credential: { token: 'for-the-liar' },
  };
  await call(world.admin.send, kubeRoutes.add, { params: KUBE_CLUSTER, body });
  for (const name of ['web-1', 'db-1']) {
    world.cluster.put({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' } });
    world.cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });
  }
});
afterAll(async () => {
  await world.close();
  await liar.stop();
});

/** Somebody with several roles, each given as what it allows. */
async function withRoles(name: string, ...allowed: string[]): Promise<string> {
  const roles = allowed.map((_, at) => `${name}-${at}`);
  for (const [at, allow] of allowed.entries())
    await makeRole(
      world.admin,
      roles[at]!,
      `{allow: {${HERE}, ${allow}, rules: [{resources: [kube_server], verbs: [list, read]}]}}`,
      'v8',
    );
  await world.gateway.addUser(name, { roles });
  return await world.pass(await world.gateway.signedIn(name));
}
const passFor = async (name: string) =>
  (await call(world.ann.send, kubePassRoutes.give, { params: { ...KUBE_CLUSTER, name }, body: {} })).token;
/** Byte by byte as given, and no more than that. */
async function sendRaw(pass: string, line: string, more = ''): Promise<{ request: Socket }> {
  const { hostname, port } = new URL(world.origin);
  const request = connect(Number(port), hostname);
  await once(request, 'connect');
  request.write(`${line} HTTP/1.1\r\nhost: gate\r\nauthorization: Bearer ${pass}\r\n${more || '\r\n'}`);
  return { request };
}
const rule = (kind: string, name: string, verbs: string) =>
  `{kind: ${kind}, namespace: default, name: '${name}', verbs: [${verbs}]}`;

test('a request is told to the log, and what it asks for, though whoever sent it leaves before its answer', async () => {
  const arrived = new Promise<void>((resolve) => liar.tell(() => resolve()));
  const body = JSON.stringify({ kind: 'Pod', metadata: { name: 'doomed' }, spec: { hostPID: true, containers: [] } });
  const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const line = 'POST /v1/kube/liar/api/v1/namespaces/default/pods';
  const { request } = await sendRaw(await passFor('liar'), line, head);
  await arrived;
  request.resetAndDestroy();

  await vi.waitFor(async () => {
    const events = await world.gateway.events();
    const told = events.filter(({ code, data }) => code === 'T3009I' && data.kubernetes_cluster === 'liar');
    expect(told.map(({ data }) => data)).toMatchObject([{ verb: 'create', response_code: 499 }]);
    expect(events.filter(({ code }) => code === 'GH361W')).toHaveLength(1);
  }, SOON_MS);
});

test('of a list nobody sees under the groups of one role what only another one allows', async () => {
  const pass = await withRoles(
    'mia',
    `kubernetes_groups: [edit], kubernetes_resources: [${rule('secrets', 'web-*', "'*'")}]`,
    `kubernetes_groups: [view], kubernetes_resources: [${rule('secrets', 'db-*', "'*'")}]`,
  );
  expect((await world.send(pass, `${SECRETS}/db-1`)).status).toBe(403);
  const list = await world.send(pass, SECRETS);
  expect(list.text).not.toContain('db-1');
});

test('a whole collection is not taken under the groups of a role that allows a part of it', async () => {
  const pass = await withRoles(
    'noa',
    `kubernetes_groups: [edit], kubernetes_resources: [${rule('secrets', 'web-*', "'*'")}]`,
    `kubernetes_groups: [view], ${EVERYTHING}`,
  );
  const list = await world.send(pass, SECRETS);
  expect([list.status, list.text]).toEqual([403, expect.not.stringContaining('db-1')]);
  const gone = await world.send(pass, SECRETS, { method: 'DELETE' });
  expect(gone.status).toBe(403);
  expect(world.cluster.get('v1', 'Secret', 'default', 'db-1')).toBeDefined();
});

test('a cluster sends nobody with their pass elsewhere, and to itself through the door', async () => {
  const token = await passFor('liar');
  const sent = async (location: string) => {
    liar.tell(
      (_, socket) => void socket.write(`HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`),
    );
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${world.origin}/v1/kube/liar${MAPS}`, { headers, redirect: 'manual' });
    return answer.headers.get('location');
  };

  for (const elsewhere of [
    'http://evil.example/',
    '//evil.example/x',
    '/\\evil.example',
    `${liar.url}0/`,
    'javascript:0',
  ])
    expect(await sent(elsewhere)).toBeNull();
  expect(await sent('/api/v1/nodes?limit=1')).toBe('/v1/kube/liar/api/v1/nodes?limit=1');
  expect(await sent(`${liar.url}/api/../v1`)).toBe('/v1/kube/liar/v1');
});

test('who may patch and not make, makes nothing by applying it', async () => {
  const pass = await withRoles(
    'ria',
    `kubernetes_groups: [edit], kubernetes_resources: [${rule('configmaps', '*', 'get, patch')}]`,
  );
  const answer = await world.send(pass, `${MAPS}/applied?fieldManager=x`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/apply-patch+yaml' },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied', namespace: 'default' } }),
  });
  expect(answer.status).toBe(403);
  expect(world.cluster.get('v1', 'ConfigMap', 'default', 'applied')).toBeUndefined();
});

test('who may replace and not make, makes nothing by replacing it', async () => {
  const all = `{kind: '*', api_group: '*', namespace: default, name: '*', verbs: [get, update]}`;
  const pass = await withRoles('rob', `kubernetes_groups: [edit], kubernetes_resources: [${all}]`);
  const put = async (apiVersion: string, kind: string, path: string) => {
    const body = JSON.stringify({ apiVersion, kind, metadata: { name: 'new', namespace: 'default' } });
    const headers = { 'content-type': 'application/json' };
    return await world.send(pass, `${path}/new`, { method: 'PUT', headers, body });
  };

  const rbac = 'rbac.authorization.k8s.io/v1';
  for (const [apiVersion, kind, path] of [
    ['v1', 'Service', '/api/v1/namespaces/default/services'],
    [rbac, 'RoleBinding', `/apis/${rbac}/namespaces/default/rolebindings`],
  ] as const) {
    const answer = await put(apiVersion, kind, path);
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('this makes it where it is not there')]);
  }
  // Of others servers make none by it: it is theirs to say that it is not there.
  expect((await put('v1', 'ConfigMap', MAPS)).status).toBe(404);
});

test('a name that came slowly is decided by the roles of then', async () => {
  const may = (verbs: string) =>
    `kubernetes_groups: [edit], kubernetes_resources: [${rule('configmaps', 'web-*', verbs)}]`;
  const pass = await withRoles('tom', may('create'), may('watch'));
  const made = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web-slow', namespace: 'default' } };
  const body = JSON.stringify(made);
  const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n{`;
  // A watch beside it tells when the gateway has heard of the change.
  const { response } = await world.open(pass, `${MAPS}?watch=1`);
  const { request } = await sendRaw(pass, `POST /v1/kube/prod${MAPS}`, head);
  // Sent later, answered now: the one before is being read.
  expect((await world.send(pass, `${MAPS}/db-1`)).status).toBe(403);

  await call(world.admin.send, userRecordRoutes.update, { body: { name: 'tom', roles: ['tom-1'], traits: {} } });
  response.resume();
  await once(response, 'close');
  request.write(body.slice(1));
  const [answer] = (await once(request, 'data')) as [Buffer];

  expect(answer.toString()).toContain(' 403 ');
  expect(world.cluster.get('v1', 'ConfigMap', 'default', 'web-slow')).toBeUndefined();
});

test('a port is not forwarded where roles were changed while the cluster was asked for it', async () => {
  const pods = rule('pods', 'web-*', 'portforward');
  const maps = rule('configmaps', 'web-*', 'watch');
  const prod = await withRoles(
    'vic',
    `kubernetes_resources: [${pods}]`,
    `kubernetes_groups: [edit], kubernetes_resources: [${maps}]`,
  );
  const vic = await world.gateway.signedIn('vic');
  const params = { ...KUBE_CLUSTER, name: 'liar' };
  const { token } = await call(vic.send, kubePassRoutes.give, { params, body: {} });
  const asked = Promise.withResolvers<() => void>();
  const json = '{"status":{"allowed":true}}';
  liar.tell((head, socket) => {
    if (head.includes('selfsubjectaccessreviews'))
      socket.write(
        `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`,
      );
    else
      asked.resolve(() =>
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: SPDY/3.1\r\nx-stream-protocol-version: portforward.k8s.io\r\n\r\n',
        ),
      );
  });
  const { response } = await world.open(prod, `${MAPS}?watch=1`);
  const upgrade = 'connection: upgrade\r\nupgrade: SPDY/3.1\r\nx-stream-protocol-version: portforward.k8s.io\r\n\r\n';
  const { request } = await sendRaw(
    token,
    'POST /v1/kube/liar/api/v1/namespaces/default/pods/web-1/portforward',
    upgrade,
  );
  const answer = await asked.promise;

  await call(world.admin.send, userRecordRoutes.update, { body: { name: 'vic', roles: ['vic-1'], traits: {} } });
  response.resume();
  await once(response, 'close');
  answer();
  const [told] = (await once(request, 'data')) as [Buffer];

  expect(told.toString()).toMatch(/^HTTP\/1.1 403 /);
});

test('who may not add clusters checks none', async () => {
  const browser = await world.person('una', `${HERE}, kubernetes_groups: [edit], ${EVERYTHING}`);
  const body = { server: liar.url, credential: { token: 'x' } };
  await expect(call(browser.send, kubeRoutes.check, { params: KUBE_CLUSTER, body })).rejects.toMatchObject({
    code: 'denied',
  });
});
