import { kubeRoutes, type NewKubeCluster } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRole } from '../../../testing/apps/app-world.ts';
import { makeTestAuthority } from '../../../testing/db/test-authority.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { findSealed } from '../../inventory/resource-store.ts';
import { createKubeCredentials } from './kube-credentials.ts';
import { createKubeSecrets } from './kube-secrets.ts';
import { kubeTarget, readKube } from './listed-kube.ts';

const CLUSTER = { clusterId: 'localhost' };
const SERVER = 'https://10.0.0.1:6443';
const TOKEN = 'not.a.jwt~just+text/for=tests';

let gateway: IdentityGateway;
let admin: TestBrowser;
let ann: TestBrowser;
let ca: string;

beforeAll(async () => {
  gateway = await startIdentityGateway();
  ca = (await makeTestAuthority()).ca;
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  admin = await gateway.signedIn('admin');
  const dev = `kubernetes_labels: {env: dev}, kubernetes_users: [ann, shared], kubernetes_groups: [view]`;
  const rule = `{resources: [kube_server], verbs: ['*'], where: 'equals(resource.metadata.labels["env"], "dev")'}`;
  await makeRole(admin, 'dev', `{allow: {${dev}, rules: [${rule}]}}`);
  await gateway.addUser('ann', { roles: ['dev'] });
  ann = await gateway.signedIn('ann');
});
afterAll(() => gateway?.close());

const add = (by: TestBrowser, body: NewKubeCluster) => call(by.send, kubeRoutes.add, { params: CLUSTER, body });
const update = (by: TestBrowser, name: string, body: object) =>
  call(by.send, kubeRoutes.update, { params: { ...CLUSTER, name }, body });
const list = (by: TestBrowser) => call(by.send, kubeRoutes.list, { params: CLUSTER, query: {} as never });
const stored = async (name: string) => (await readKube(gateway.storage.db, { cluster: 'localhost', name }))!;
const credentialOf = async (name: string) => {
  const nobody = { reach: { toAgent: () => Promise.reject() }, agents: { isConnected: () => false }, now: Date.now };
  const credentials = createKubeCredentials({ ...nobody, secrets: createKubeSecrets(gateway.secrets) });
  return await credentials.of(await stored(name), AbortSignal.timeout(1_000));
};

test('a cluster is listed with what whoever asks may be there, and its credential is in no answer and in no event', async () => {
  const body = {
    name: 'shop',
    server: SERVER,
    labels: { env: 'dev' },
    namespaces: ['web'],
    credential: { token: TOKEN },
  };
  const added = await add(admin, body);
  const { items, totalCount } = await list(ann);
  expect([items, totalCount]).toEqual([
    [
      {
        name: 'shop',
        labels: [{ name: 'env', value: 'dev' }],
        kubernetes_users: ['ann', 'shared'],
        kubernetes_groups: ['view'],
        gatehouse: {
          ...{ source: 'entered', server: SERVER, insecure: false, credential: 'stored', lacks: [] },
          ...{ namespaces: ['web'], ways: 0, connected: 0 },
        },
      },
    ],
    1,
  ]);
  const details = await call(admin.send, kubeRoutes.get, { params: { ...CLUSTER, name: 'shop' } });
  expect(details).toMatchObject({ server: SERVER, ca: '', namespaces: ['web'], labels: { env: 'dev' }, through: [] });

  expect(await credentialOf('shop')).toEqual({ token: TOKEN });
  const sealed = await findSealed(gateway.storage.db, { cluster: 'localhost', kind: 'kube', id: 'shop' });
  const told = JSON.stringify([added, items, details, (await stored('shop')).spec, sealed, await gateway.events()]);
  expect(told).not.toContain(TOKEN);
  expect((await gateway.events()).filter(({ code }) => code === 'T3010I')).toHaveLength(1);
});

test.each([
  ['server', { server: 'https://10.0.0.2:6443' }],
  ['serverName', { serverName: 'kubernetes' }],
  ['insecureSkipVerify', { insecureSkipVerify: true }],
])('another %s voids the credential, also where somebody writes it into the store', async (field, change) => {
  const name = `void-${field.toLowerCase()}`;
  await add(admin, { name, server: SERVER, credential: { token: TOKEN } });
  const before = (await stored(name)).sealed;
  const after = await update(admin, name, change);

  expect(after.gatehouse?.lacks).toEqual(['credential']);
  await expect(credentialOf(name)).rejects.toThrow(`nothing to show to the Kubernetes cluster '${name}'`);
  // Put back by hand, it is still the other one's.
  const cluster = { ...(await stored(name)), sealed: before };
  expect(createKubeSecrets(gateway.secrets).credentialOf(name, cluster)).toBeUndefined();
});

test('the same address with another authority is another cluster, and labels or namespaces are not', async () => {
  await add(admin, { name: 'kept', server: `${SERVER}/`, labels: { env: 'dev' }, credential: { token: TOKEN } });
  await update(admin, 'kept', { namespaces: ['a', 'b'], labels: { env: 'dev', team: 'x' }, server: SERVER });
  expect(await credentialOf('kept')).toEqual({ token: TOKEN });

  await update(admin, 'kept', { ca });
  await expect(credentialOf('kept')).rejects.toMatchObject({ code: 'conflict' });
  // With one that comes along it is at once of use again, and what was opened before hears of it.
  const { version } = await stored('kept');
  await update(admin, 'kept', { server: 'https://kube.inside/k8s/c-1', credential: { token: 'other' } });
  expect(await credentialOf('kept')).toEqual({ token: 'other' });
  const found = await stored('kept');
  expect(found.version).not.toBe(version);
  expect([found.address, kubeTarget(found)]).toEqual([
    { host: 'kube.inside', port: 443, path: '/k8s/c-1' },
    {
      ...{ addr: 'kube.inside:443', through: 'gateway', mayBeThisMachine: true },
      tls: { name: 'kube.inside', ca, insecureSkipVerify: false, protocols: ['http/1.1'] },
    },
  ]);
});

test('a credential that says when it ends is listed with it, and one that has ended is refused', async () => {
  const token = (exp: number) => `e30.${Buffer.from(JSON.stringify({ exp })).toString('base64url')}.x`;
  const at = Math.floor(gateway.clock.now / 1_000) + 3_600;
  const added = await add(admin, { name: 'ends', server: SERVER, credential: { token: token(at) } });
  expect(added.gatehouse?.credentialEnds).toBe(new Date(at * 1_000).toISOString());
  await expect(update(admin, 'ends', { credential: { token: token(at - 7_200) } })).rejects.toThrow('ended at');
});

test.each([
  ['http://10.0.0.1', 'must look like https://HOST:PORT'],
  ['https://me:secret@10.0.0.1', 'must look like'],
  ['https://10.0.0.1/?x', 'must look like'],
  ['https://10.0.0.1/a/../b', 'must look like'],
  ['https://10.0.0.1:70000', 'must look like'],
])('the address %s is refused in words', async (server, words) => {
  await expect(add(admin, { name: 'bad', server })).rejects.toThrow(words);
});

test.each(['Prod', '-prod', 'prod.', '..', 'a/b', 'x'.repeat(64)])('the name %s is refused', async (name) => {
  await expect(add(admin, { name, server: SERVER })).rejects.toMatchObject({ status: 400 });
});

test('a name is taken once', async () => {
  await add(admin, { name: 'once', server: SERVER });
  await expect(add(admin, { name: 'once', server: SERVER })).rejects.toThrow("there is a Kubernetes cluster 'once'");
});

test('whoever may change clusters of some labels gives none to others by them', async () => {
  await makeRole(admin, 'root', '{allow: {kubernetes_labels: {env: [dev, root]}, kubernetes_groups: [admins]}}');
  await gateway.addUser('rob', { roles: ['root'] });
  const refused = "somebody could then use it in the group 'admins', which you cannot";
  await expect(add(ann, { name: 'gift', server: SERVER, labels: { env: 'dev' } })).rejects.toThrow(refused);
  await expect(add(ann, { name: 'other', server: SERVER, labels: { env: 'prod' } })).rejects.toMatchObject({
    status: 403,
  });
});

test('nor objects of clusters that they have not themselves', async () => {
  const narrow = "kubernetes_resources: [{kind: pods, api_group: '', namespace: web, name: '*'}]";
  const rules = 'rules: [{resources: [kube_server], verbs: ["*"]}]';
  const labels = (env: string) => `kubernetes_labels: {env: ${env}}, kubernetes_groups: [ops]`;
  await makeRole(admin, 'narrow', `{allow: {${labels('[ops, ours]')}, ${narrow}, ${rules}}}`, 'v8');
  await makeRole(admin, 'same', `{allow: {${labels('ours')}, ${narrow}}}`, 'v8');
  await makeRole(admin, 'wide', `{allow: {${labels('ops')}}}`, 'v8');
  await gateway.addUser('nan', { roles: ['narrow'] });
  await gateway.addUser('sam', { roles: ['same'] });
  await gateway.addUser('wil', { roles: ['wide'] });
  const nan = await gateway.signedIn('nan');

  await expect(add(nan, { name: 'ours', server: SERVER, labels: { env: 'ours' } })).resolves.toBeDefined();
  await expect(update(nan, 'ours', { labels: { env: 'ops' } })).rejects.toThrow(
    'use everything of it, which you cannot',
  );
});

test('one that is removed is gone with what was stored for it', async () => {
  await add(admin, { name: 'gone', server: SERVER, credential: { token: TOKEN } });
  await call(admin.send, kubeRoutes.remove, { params: { ...CLUSTER, name: 'gone' } });
  await add(admin, { name: 'gone', server: SERVER });
  await expect(credentialOf('gone')).rejects.toMatchObject({ code: 'conflict' });
  expect((await gateway.events()).filter(({ code }) => code === 'T3012I')).toHaveLength(1);
});

test('a record that cannot be read is listed with what is wrong, and is repaired', async () => {
  await add(admin, { name: 'broken', server: SERVER });
  await gateway.storage.db
    .updateTable('resource')
    .set({ spec: JSON.stringify({ server: 'http://old', namespaces: ['web'] }) })
    .where('kind', '=', 'kube')
    .where('id', '=', 'broken')
    .execute();
  const found = (await list(admin)).items.find(({ name }) => name === 'broken');
  expect(found?.gatehouse).toMatchObject({
    wrong: expect.stringContaining('server must look like'),
    namespaces: ['web'],
  });
  const broken = await stored('broken');
  expect(() => kubeTarget(broken)).toThrow(/lets nobody in until it is changed: server/);
  const repaired = await update(admin, 'broken', { server: SERVER });
  expect(repaired.gatehouse).toMatchObject({ server: SERVER, namespaces: ['web'] });
  expect(repaired.gatehouse?.wrong).toBeUndefined();
});
