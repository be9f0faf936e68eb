/** Kubernetes clusters tried step by step, and everything that can be wrong with them. */
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { type ConnectionDiagnostic, diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import { call } from '@gatehouse/contract/wire/client';
import { freePort } from '@gatehouse/testkit/free-port';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { startTinyApiServer, type TinyApiServer } from '../../../testing/kube/tiny-api-server.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const params = { clusterId: '-current-' };
const ALL_WELL = [
  'access SUCCESS RBAC_KUBE',
  'access SUCCESS RBAC_KUBE',
  'reach SUCCESS CONNECTIVITY',
  'tcp SUCCESS CONNECTIVITY',
  'tls SUCCESS CONNECTIVITY',
  'version SUCCESS CONNECTIVITY',
  'impersonate SUCCESS KUBE_PRINCIPAL',
  'pods SUCCESS KUBE_PRINCIPAL',
];

let gateway: IdentityGateway;
let admin: TestBrowser;
let ann: TestBrowser;
let api: TinyApiServer;

beforeAll(async () => {
  [gateway, api] = await Promise.all([startIdentityGateway(), startTinyApiServer()]);
  // Certificates look at their own clock.
  gateway.clock.now = Date.now();
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  admin = await gateway.signedIn('admin');
  const rules = 'rules: [{resources: [connection_diagnostic], verbs: [create, read]}]';
  await makeRole(admin, 'dev', `{allow: {kubernetes_labels: {env: dev}, kubernetes_groups: [view, ops], ${rules}}}`);
  await gateway.addUser('ann', { roles: ['dev'] });
  ann = await gateway.signedIn('ann');
  await add('good');
});
afterAll(async () => {
  await gateway?.close();
  await api?.close();
});
beforeEach(() => {
  api.mayImpersonate = new Set(['users', 'groups/view', 'groups/ops']);
  api.mayListPods = new Set(['view']);
  api.asked.length = 0;
  api.broken = undefined;
});

const add = (name: string, more: object = {}) =>
  call(admin.send, kubeRoutes.add, {
    params,
    body: {
      ...{ name, server: api.server, ca: api.authority.ca, labels: { env: 'dev' }, credential: { token: api.token } },
      ...more,
    },
  });
const tried = (name: string, more: object = {}, by = ann) =>
  call(by.send, diagnosticRoutes.connect, {
    params,
    body: { resource_kind: 'kube_cluster', resource_name: name, ...more },
  });
const summary = ({ traces = [] }: ConnectionDiagnostic) =>
  traces.map(({ gatehouse, status, traceType }) => `${gatehouse?.step} ${status} ${traceType}`);
const failure = ({ traces = [] }: ConnectionDiagnostic) => {
  const { gatehouse, error } = traces.find(({ status }) => status === 'FAILED') ?? {};
  return { step: gatehouse?.step, error, next: gatehouse?.next };
};

test('every step goes well, as the person and in all their groups, and it is audited', async () => {
  const result = await tried('good', { kubernetes_namespace: 'web' });

  expect(summary(result)).toEqual(ALL_WELL);
  expect(result.traces?.map(({ details }) => details)).toEqual([
    "you see the Kubernetes cluster 'good'",
    "your roles let you be 'ann' there, in ops, view",
    expect.stringContaining('is reached directly'),
    `127.0.0.1:${api.port} accepts connections`,
    'its certificate is good for 127.0.0.1',
    'it is Kubernetes v1.32.4',
    "it lets the gateway act as 'ann', the group 'ops', the group 'view'",
    "'ann' lists pods in the namespace 'web'",
  ]);
  expect(api.asked.at(-1)).toBe('GET /api/v1/namespaces/web/pods?limit=1 ann');
  expect((await gateway.events()).at(-1)).toMatchObject({ code: 'GH215I', user: 'ann', data: { name: 'good' } });
});

test('a certificate is shown where that is what is stored', async () => {
  await add('by-cert', { credential: api.authority.certificate });
  expect(summary(await tried('by-cert'))).toEqual(ALL_WELL);
});

test('a group that the gateway may not act in is named, with what to apply', async () => {
  api.mayImpersonate.delete('groups/ops');
  const { step, error, next } = failure(await tried('good'));

  expect([step, error]).toEqual(['impersonate', "the cluster does not let the gateway act as the group 'ops'"]);
  const yaml = String(next).slice(String(next).indexOf('\n'));
  expect(parse(yaml)).toMatchObject({
    kind: 'ClusterRole',
    rules: [
      { resources: ['users'], verbs: ['impersonate'] },
      { resources: ['groups'], verbs: ['impersonate'], resourceNames: ['ops', 'view'] },
    ],
  });
  // Nothing was done as anybody.
  expect(api.asked.every((line) => line.endsWith(' -'))).toBe(true);
});

test('a cluster whose own roles give nothing says so in its words', async () => {
  api.mayListPods.clear();
  const { step, error, next } = failure(await tried('good'));
  expect([step, error]).toEqual([
    'pods',
    `the cluster answers 'ann' with 403: pods is forbidden: User "ann" cannot list resource "pods"`,
  ]);
  expect(next).toContain(
    'kubectl create rolebinding gatehouse-view --clusterrole=view --group=ops --namespace=default',
  );
});

test.each([
  ['another user', { kubernetes_user: 'root' }, "your roles do not let you be the Kubernetes user 'root'"],
  ['another group', { kubernetes_groups: ['system:masters'] }, "the Kubernetes group 'system:masters'"],
])('%s than roles give is refused before anything is dialled', async (_, kubernetes_impersonation, words) => {
  const result = await tried('good', { kubernetes_impersonation });
  expect(summary(result)).toEqual(['access SUCCESS RBAC_KUBE', 'access FAILED RBAC_KUBE']);
  expect(failure(result).error).toContain(words);
  expect(api.asked).toEqual([]);
});

test('some of the groups may be chosen', async () => {
  api.mayImpersonate.delete('groups/ops');
  expect((await tried('good', { kubernetes_impersonation: { kubernetes_groups: ['view'] } })).success).toBe(true);
});

test('one that is not seen reads as one that is not there', async () => {
  await add('hidden', { labels: { env: 'prod' } });
  expect(failure(await tried('hidden')).error).toBe("Kubernetes cluster 'hidden' not found");
  expect(failure(await tried('absent')).error).toBe("Kubernetes cluster 'absent' not found");
});

test('a lock is told', async () => {
  const lock = await call(admin.send, lockRoutes.create, {
    params,
    body: { targets: { login: 'ann' }, message: 'secret reason', force: true } as never,
  });
  const { step, error } = failure(await tried('good'));
  expect([step, error]).toEqual(['access', "the login 'ann' is locked"]);
  await call(admin.send, lockRoutes.remove, { params: { ...params, name: lock.name } });
});

test('what is wrong with the way there is told at its hop', async () => {
  await add('dead', { server: `https://127.0.0.1:${await freePort()}` });
  await add('stranger', { ca: '' });
  await add('other-name', { serverName: 'kubernetes' });
  await add('bare', { credential: undefined });
  await add('old-token', { credential: { token: 'old' } });

  expect(failure(await tried('dead'))).toMatchObject({
    step: 'tcp',
    error: expect.stringContaining('nothing listens'),
  });
  expect(failure(await tried('stranger'))).toMatchObject({
    step: 'tls',
    error: expect.stringContaining('nobody knows'),
  });
  expect(failure(await tried('other-name'))).toMatchObject({
    step: 'tls',
    error: expect.stringContaining('another host'),
  });
  expect(failure(await tried('bare'))).toMatchObject({
    step: 'version',
    next: 'store a token for it: gatehouse kube add bare --kubeconfig FILE --replace',
  });
  expect(failure(await tried('old-token'))).toMatchObject({
    step: 'version',
    error: 'the cluster does not know what the gateway shows it (401: Unauthorized)',
  });
});

test.each([
  ['a page', { status: 200, body: '<html>' }, 'does not tell its version as an API server of Kubernetes does (200)'],
  ['too much', { status: 200, body: 'x'.repeat(2_000_000) }, 'answers with more than can be meant'],
])('%s instead of an answer is told', async (_, answer, words) => {
  api.broken = () => answer;
  expect(failure(await tried('good'))).toMatchObject({ step: 'version', error: expect.stringContaining(words) });
});

test('a cluster is checked before it is stored, and as it is stored', async () => {
  const fields = { server: api.server, ca: api.authority.ca, groups: ['view', 'admins'] };
  const check = async (body: object) => {
    const { steps } = await call(admin.send, kubeRoutes.check, { params, body: { ...fields, ...body } });
    return steps.map(({ step, status }) => `${step} ${status}`);
  };
  const way = ['reach ok', 'tcp ok', 'tls ok'];
  expect(await check({})).toEqual([...way, 'version skipped', 'impersonate skipped']);
  const credential = { token: api.token };
  expect(await check({ credential })).toEqual([...way, 'version ok', 'impersonate failed']);
  expect(await check({ credential, groups: ['view'], ca: '', insecureSkipVerify: true })).toEqual([
    ...['reach ok', 'tcp ok', 'tls warning', 'version ok', 'impersonate ok'],
  ]);
  const stored = call(admin.send, kubeRoutes.checkStored, {
    params: { ...params, name: 'good' },
    body: { groups: ['ops'] },
  });
  expect((await stored).steps.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  await expect(
    call(ann.send, kubeRoutes.checkStored, { params: { ...params, name: 'good' }, body: {} }),
  ).rejects.toMatchObject({ status: 403 });
});

test('with its name it is refused where adding it would be, and nothing is dialled', async () => {
  const rules = `rules: [{resources: [kube_server], verbs: ['*'], where: 'equals(resource.metadata.labels["env"], "dev")'}]`;
  await makeRole(admin, 'adder', `{allow: {${rules}}}`);
  await gateway.addUser('dee', { roles: ['adder'] });
  const dee = await gateway.signedIn('dee');
  const check = (by: TestBrowser, name: string, labels: Record<string, string>) =>
    call(by.send, kubeRoutes.check, { params, body: { name, labels, server: api.server, ca: api.authority.ca } });

  await expect(check(dee, 'new', { env: 'prod' })).rejects.toMatchObject({ status: 403 });
  // Others would reach it by that label, and what it leads to is dee's to say.
  await expect(check(dee, 'new', { env: 'dev' })).rejects.toMatchObject({ status: 403 });
  await expect(check(admin, 'good', { env: 'dev' })).rejects.toMatchObject({ status: 409 });
  await expect(check(admin, 'new', { 'teleport.internal/x': 'y' })).rejects.toMatchObject({ status: 400 });
  expect(api.asked).toEqual([]);
  expect((await check(admin, 'new', { env: 'dev' })).steps).toHaveLength(5);
});

test('whether a second factor is needed is told for clusters that are seen', async () => {
  const asks = (by: TestBrowser, cluster_name: string) =>
    call(by.send, diagnosticRoutes.mfaRequired, { params, body: { kube: { cluster_name } } });
  await makeRole(admin, 'careful', '{options: {require_session_mfa: true}, allow: {kubernetes_labels: {env: dev}}}');
  await gateway.addUser('cleo', { roles: ['careful'] });

  expect(await asks(ann, 'good')).toEqual({ required: false });
  expect(await asks(await gateway.signedIn('cleo'), 'good')).toEqual({ required: true });
  for (const name of ['hidden', 'absent']) await expect(asks(ann, name)).rejects.toMatchObject({ status: 404 });
});
