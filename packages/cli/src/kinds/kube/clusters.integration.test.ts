/** Clusters added from kubeconfigs: what is made in the cluster, what is sent, and what is refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type IdentityGateway, startIdentityGateway } from '@gatehouse/gateway/testing/identity-gateway';
import { type KubeCluster, startKubeCluster } from '@gatehouse/testkit/kube/kube-cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { type CommandLine, startCommandLine } from '../../../testing/command-line.ts';

let line: CommandLine<IdentityGateway>;
let cluster: KubeCluster;

beforeAll(async () => {
  [line, cluster] = await Promise.all([startCommandLine(() => startIdentityGateway()), startKubeCluster()]);
  line.world.clock.now = Date.now();
  write('admin.yaml', cluster.kubeconfig({ token: cluster.adminToken }));
});
afterAll(async () => {
  await line?.close();
  await cluster?.stop();
});

const write = (name: string, text: string) => writeFileSync(join(line.folder, name), text);
const add = (name: string, ...args: string[]) => line.local('kube', 'add', name, ...args);
/** The kubeconfig of the administrator, with something changed in it. */
const changed = (name: string, change: (parts: { cluster: object; user: object }) => object) => {
  const config = parse(cluster.kubeconfig({ token: cluster.adminToken }));
  change({ cluster: config.clusters[0].cluster, user: config.users[0].user });
  write(name, stringify(config));
};
const bearers = () => cluster.seen.flatMap(({ headers }) => headers.authorization ?? []);

test('an account that may act as people and nothing else is made, and only its token is sent', async () => {
  const added = await add('prod', '--kubeconfig', 'admin.yaml', '--groups', 'view,dev', '--labels', 'env=prod');

  expect(added).toMatchObject({ code: 0, stderr: '' });
  expect(added.stdout.split('\n').slice(0, 5)).toEqual([
    '✓ made Namespace gatehouse',
    '✓ made ServiceAccount gatehouse/gatehouse',
    '✓ made ClusterRole gatehouse',
    '✓ made ClusterRoleBinding gatehouse',
    '✓ made Secret gatehouse/gatehouse-token',
  ]);
  expect(added.stdout).toMatch(/✓ version +it is Kubernetes v1\.32/);
  expect(added.stdout).toContain("it lets the gateway act as users, the group 'view', the group 'dev'");
  const role = cluster.get('rbac.authorization.k8s.io/v1', 'ClusterRole', '', 'gatehouse');
  expect(role?.rules).toEqual([
    { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] },
    { apiGroups: [''], resources: ['groups'], verbs: ['impersonate'], resourceNames: ['view', 'dev'] },
  ]);
  // The gateway asked with the token that was made, and the administrator's stayed here.
  const asked = bearers();
  const fromGateway = asked.slice(asked.lastIndexOf(`Bearer ${cluster.adminToken}`) + 1);
  expect(fromGateway.length).toBeGreaterThan(0);
  expect(new Set(fromGateway).size).toBe(1);
  const [listed] = await line.json('kube', 'ls');
  expect(listed).toMatchObject({ name: 'prod', gatehouse: { server: cluster.url, lacks: [] } });
  expect((await line.local('kube', 'show', 'prod')).stdout).toMatch(/credential +stored/);
  expect((await line.local('kube', 'check', 'prod', '--groups', 'view')).code).toBe(0);
});

test('a group that was not named is one the gateway may not take, and more can be named later', async () => {
  const refused = await line.local('kube', 'check', 'prod', '--groups', 'system:masters');
  expect(refused.code).toBe(1);
  expect(refused.stdout).toContain("does not let the gateway act as the group 'system:masters'");

  const again = await add('prod', '--kubeconfig', 'admin.yaml', '--groups', 'view,ops', '--replace');
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(again.stdout).toContain('✓ changed ClusterRole gatehouse');
  expect((await line.local('kube', 'check', 'prod', '--groups', 'ops')).code).toBe(0);
  expect((await line.local('kube', 'check', 'prod', '--groups', 'dev')).code).toBe(1);
});

test('a second name for a cluster takes no group from the first, and what is refused changes nothing', async () => {
  const made = () => cluster.seen.filter(({ method }) => method !== 'GET').length;
  const before = made();
  const taken = await add('prod', '--kubeconfig', 'admin.yaml', '--groups', 'dev');
  expect(taken.stderr).toContain("there is a Kubernetes cluster 'prod' already");
  expect((await add('X y!', '--kubeconfig', 'admin.yaml', '--groups', 'dev')).stderr).toContain(
    "the name 'X y!' must be",
  );
  // The gateway says no to those labels.
  const hidden = ['--labels', 'teleport.internal/x=y'];
  expect((await add('hid', '--kubeconfig', 'admin.yaml', '--groups', 'dev', ...hidden)).code).not.toBe(0);
  expect((await add('nobody', '--kubeconfig', 'admin.yaml', '--groups', 'dev', '--replace')).code).toBe(4);
  expect(made()).toBe(before);

  expect(await add('twin', '--kubeconfig', 'admin.yaml', '--groups', 'dev')).toMatchObject({ code: 0 });
  expect((await line.local('kube', 'check', 'prod', '--groups', 'ops,dev')).code).toBe(0);
});

test('somebody is tried as themselves', async () => {
  const tried = await line.local('kube', 'test', 'prod', '--namespace', 'default');
  // The owner of the gateway's machine has a name there, and the cluster's own roles know nothing of it.
  expect(tried.code).toBe(1);
  expect(tried.stdout).toMatch(/✓ impersonate +it lets the gateway act as '-local-'/);
  expect(tried.stdout).toMatch(/✗ pods +the cluster answers '-local-' with 403: pods is forbidden: User "-local-"/);
});

test('any group is what it says', async () => {
  const added = await add('wide', '--kubeconfig', 'admin.yaml', '--groups', '*', '--namespace', 'gate2');
  expect(added).toMatchObject({ code: 0 });
  expect(added.stderr).toContain("'*' includes system:masters");
  expect((await line.local('kube', 'check', 'wide', '--groups', 'system:masters')).code).toBe(0);
  // What the first one has is another's.
  expect((await line.local('kube', 'check', 'prod', '--groups', 'system:masters')).code).toBe(1);
});

test('as it is, what the context has is stored: a token or a certificate', async () => {
  const certificate = await cluster.certificate('admin', ['system:masters']);
  write('cert.yaml', cluster.kubeconfig({ certificate }));
  const added = await add('by-cert', '--kubeconfig', 'cert.yaml', '--as-is', '--format', 'json');
  expect([added.code, added.stderr]).toEqual([0, '']);
  const { steps, gatehouse } = JSON.parse(added.stdout);
  expect(steps.map(({ status }: { status: string }) => status)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok']);
  expect(gatehouse.credentialEnds).toMatch(/^20\d\d-/);
  expect(added.stdout).not.toContain('PRIVATE');
});

test('KUBECONFIG may name several files, and the first that knows something is right', async () => {
  write('none.yaml', 'apiVersion: v1\nkind: Config\ncurrent-context: test\n');
  const env = { KUBECONFIG: 'none.yaml:absent.yaml:admin.yaml' };
  const added = await line.run(['kube', 'add', 'merged', '--as-is', '--data-dir', line.folder], { env });
  expect(added).toMatchObject({ code: 0, stderr: '' });
});

test.each([
  [
    'a program',
    { user: { exec: { command: 'aws', args: ['eks', 'get-token'] } } },
    "is signed in to by the program 'aws', which the gateway does not have: use an agent",
  ],
  ['a provider', { user: { 'auth-provider': { name: 'oidc' } } }, "by the provider 'oidc'"],
  ['a proxy', { cluster: { 'proxy-url': 'http://proxy:3128' } }, 'is reached by a proxy (proxy-url)'],
  ['no check', { cluster: { 'insecure-skip-tls-verify': true } }, 'does not check the certificate'],
  ['no TLS', { cluster: { server: 'http://127.0.0.1:8080' } }, 'must be an address of https'],
])('%s in the context is refused before anything is asked', async (_, parts, words) => {
  changed('changed.yaml', (before) => {
    Object.assign(before.cluster, 'cluster' in parts ? parts.cluster : {});
    return Object.assign(before.user, 'user' in parts ? parts.user : {});
  });
  const before = cluster.seen.length;
  const refused = await add('refused', '--kubeconfig', 'changed.yaml', '--groups', 'view');
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(words)]);
  expect(cluster.seen.length).toBe(before);
});

test('a context that is not checked is added when somebody says so, and marked', async () => {
  changed('insecure.yaml', ({ cluster: at }) => {
    Reflect.deleteProperty(at, 'certificate-authority-data');
    return Object.assign(at, { 'insecure-skip-tls-verify': true });
  });
  const added = await add('unsafe', '--kubeconfig', 'insecure.yaml', '--groups', 'view', '--insecure');
  expect(added.code).toBe(0);
  expect((await line.local('kube', 'ls', 'unsafe')).stdout).toContain('its certificate is not checked');
});

test.each([
  [['--kubeconfig', 'absent.yaml', '--as-is'], "the file 'absent.yaml' is not there"],
  [['--kubeconfig', 'admin.yaml', '--context', 'x', '--as-is'], "has no context 'x': it has 'test'"],
  [['--kubeconfig', 'admin.yaml'], 'name the groups of the cluster that people may be in: --groups'],
])('%j is refused in words', async (args, words) => {
  const refused = await add('refused', ...args);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(words)]);
});

test('who may make no roles in the cluster is told what to do, and nothing is stored', async () => {
  write('weak.yaml', cluster.kubeconfig({ token: cluster.token({ user: 'weak', groups: [] }) }));
  const refused = await add('weak', '--kubeconfig', 'weak.yaml', '--groups', 'view');
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('the cluster does not let you make Namespace gatehouse (403');
  expect((await line.local('kube', 'show', 'weak')).code).toBe(4);
});

test('one that is removed says what stays in the cluster', async () => {
  const removed = await line.local('kube', 'rm', 'by-cert');
  expect(removed.stdout).toContain('kubectl delete namespace,clusterrole,clusterrolebinding gatehouse');
  expect((await line.local('kube', 'show', 'by-cert')).code).toBe(4);
});

test('another address voids what is stored, which is told, and what is left in the cluster may be shared', async () => {
  expect((await add('moving', '--kubeconfig', 'admin.yaml', '--groups', 'view')).code).toBe(0);
  const document = (await line.local('get', 'kube/moving')).stdout.replace(cluster.url, 'https://127.0.0.1:1');
  write('moving.yaml', document);
  expect((await line.local('apply', '-f', 'moving.yaml')).code).toBe(0);

  expect((await line.local('kube', 'show', 'moving')).stdout).toMatch(/credential +none\n/);
  expect((await line.local('kube', 'rm', 'moving')).stdout).toContain(
    'Where no other name for that cluster lives by it',
  );
});

test('a file that is no kubeconfig is told so', async () => {
  write('words.txt', 'root:x:0:0:root:/root:/bin/bash\n');
  write('other.yaml', 'kind: Pod\n');

  for (const file of ['words.txt', 'other.yaml'])
    expect(await add('none', '--kubeconfig', file, '--groups', 'view')).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: expect.stringContaining(`'${file}' is no kubeconfig, or an empty one: it names no context`),
    });
});
