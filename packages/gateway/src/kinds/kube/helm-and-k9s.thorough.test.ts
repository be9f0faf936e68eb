/**
 * What Helm and k9s ask of a cluster, call by call, through the door: neither can be had here as a program, so their requests are sent
 * as they send them. Held at a cluster of today and at one of Helm's beginnings.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KubeReply, type KubeSend, type KubeWorld, startKubeWorld } from '../../../testing/kube/kube-world.ts';

const JSON_TYPE = 'application/json';
const SHOP = '/api/v1/namespaces/shop';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments';
const DISCOVERY =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';
const OPENAPI = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const TABLE =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
const AGENTS = { helm: 'Helm/3.16.4', k9s: 'k9s/v0.32.7 (linux/amd64) kubernetes/$Format' };

const deployment = (image: string) => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
  metadata: {
    name: 'web',
    labels: { 'app.kubernetes.io/managed-by': 'Helm', app: 'web' },
    annotations: { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop' },
  },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } },
  },
});
const release = (version: number, status: string) => ({
  ...{ apiVersion: 'v1', kind: 'Secret', type: 'helm.sh/release.v1' },
  metadata: {
    name: `sh.helm.release.v1.web.v${version}`,
    labels: { name: 'web', owner: 'helm', status, version: String(version) },
  },
  data: { release: Buffer.from(`H4sIAAAA ${version} ${status}`).toString('base64') },
});
const OWN = "{kind: '*', api_group: '*', namespace: shop, name: '*', verbs: ['*']}";

describe.each([20, 32])('at a cluster 1.%i', (minor) => {
  let world: KubeWorld;
  let pass: string;
  beforeAll(async () => {
    world = await startKubeWorld({ cluster: { version: `1.${minor}` } });
    for (const name of ['shop', 'bank']) world.cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    world.cluster.put({
      ...release(1, 'deployed'),
      metadata: { ...release(1, 'deployed').metadata, namespace: 'bank' },
    });
    pass = await world.pass(world.ann);
  });
  afterAll(() => world?.close());

  const by = (agent: keyof typeof AGENTS, shown: () => string) => {
    const send = (method: string, target: string, body?: object, headers: Record<string, string> = {}) => {
      const text = body && JSON.stringify(body);
      // Node says no length of what it sends with DELETE.
      const type: Record<string, string> = text
        ? { 'content-type': JSON_TYPE, 'content-length': String(Buffer.byteLength(text)) }
        : {};
      const options: KubeSend = {
        method,
        headers: { accept: JSON_TYPE, 'user-agent': AGENTS[agent], ...type, ...headers },
        ...(text ? { body: text } : {}),
      };
      return world.send(shown(), target, options);
    };
    return send;
  };
  const helm = by('helm', () => pass);
  const k9s = by('k9s', () => pass);
  const read = ({ text }: KubeReply) => JSON.parse(text) as { items?: { metadata: { name: string } }[]; kind: string };
  const namesIn = (reply: KubeReply) => (read(reply).items ?? []).map(({ metadata }) => metadata.name);
  const releases = (of: string, more: string) => `${of}/secrets?labelSelector=${encodeURIComponent(more)}`;

  test('helm finds out what the cluster has, and the schemas it checks charts by', async () => {
    expect((await helm('GET', '/version')).status).toBe(200);
    const found = await Promise.all(
      ['/api', '/apis'].map((path) => helm('GET', path, undefined, { accept: DISCOVERY })),
    );
    expect(found.map(({ status }) => status)).toEqual([200, 200]);
    expect(read(found[1] as KubeReply).kind).toBe(minor >= 26 ? 'APIGroupDiscoveryList' : 'APIGroupList');
    expect(read(await helm('GET', '/apis/apps/v1')).kind).toBe('APIResourceList');
    const schema = await helm('GET', '/openapi/v2', undefined, { accept: OPENAPI });
    expect([schema.status, schema.text.length > 1_000]).toEqual([200, true]);
    expect((await helm('GET', '/openapi/v3')).status).toBe(minor >= 26 ? 200 : 404);
  });

  test('helm installs, upgrades, lists and uninstalls a release', async () => {
    expect(namesIn(await helm('GET', releases(SHOP, 'name=web,owner=helm')))).toEqual([]);
    expect((await helm('GET', `${DEPLOYMENTS}/web`)).status).toBe(404);
    expect((await helm('POST', `${SHOP}/secrets`, release(1, 'pending-install'))).status).toBe(201);
    expect((await helm('POST', `${DEPLOYMENTS}?fieldManager=helm`, deployment('web:1'))).status).toBe(201);
    expect((await helm('PUT', `${SHOP}/secrets/sh.helm.release.v1.web.v1`, release(1, 'deployed'))).status).toBe(200);

    expect((await helm('POST', `${SHOP}/secrets`, release(2, 'pending-upgrade'))).status).toBe(201);
    const patched = await helm(
      'PATCH',
      `${DEPLOYMENTS}/web?fieldManager=helm`,
      { spec: { template: { spec: { containers: [{ name: 'main', image: 'web:2' }] } } } },
      { 'content-type': 'application/strategic-merge-patch+json' },
    );
    expect(patched.status).toBe(200);
    expect(patched.text).toContain('"web:2"');
    // Helm 4 applies at the server's side.
    const applied = await helm('PATCH', `${DEPLOYMENTS}/web?fieldManager=helm&force=true`, deployment('web:3'), {
      'content-type': 'application/apply-patch+yaml',
    });
    expect(applied.status).toBe(200);
    await helm('PUT', `${SHOP}/secrets/sh.helm.release.v1.web.v1`, release(1, 'superseded'));
    await helm('PUT', `${SHOP}/secrets/sh.helm.release.v1.web.v2`, release(2, 'deployed'));
    expect(namesIn(await helm('GET', releases(SHOP, 'owner=helm,status=deployed')))).toEqual([
      'sh.helm.release.v1.web.v2',
    ]);
    expect(namesIn(await helm('GET', releases('/api/v1', 'owner=helm')))).toHaveLength(3);

    const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    for (const gone of [`${DEPLOYMENTS}/web`, ...[1, 2].map((at) => `${SHOP}/secrets/sh.helm.release.v1.web.v${at}`)])
      expect((await helm('DELETE', gone, options)).status).toBe(200);
    expect(namesIn(await helm('GET', releases(SHOP, 'owner=helm')))).toEqual([]);
  });

  test('who has one namespace sees the releases of that one, and installs in no other', async () => {
    const kubernetes = `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], kubernetes_resources: [${OWN}]`;
    const name = `hal-${minor}`;
    const own = await world.pass(await world.person(name, kubernetes));
    const as = by('helm', () => own);

    expect((await as('POST', `${SHOP}/secrets`, release(7, 'deployed'))).status).toBe(201);
    expect(namesIn(await as('GET', releases('/api/v1', 'owner=helm')))).toEqual(['sh.helm.release.v1.web.v7']);
    const refused = await as('POST', '/api/v1/namespaces/bank/secrets', release(8, 'deployed'));
    expect(refused.status).toBe(403);
    expect(refused.text).toContain(`role-${name}`);
  });

  test('a role may give the secrets of releases and no others', async () => {
    const rule = "{kind: secrets, api_group: '', namespace: shop, name: 'sh.helm.release.v1.*', verbs: ['*']}";
    const allow = `kubernetes_labels: {env: dev}, kubernetes_groups: [edit], kubernetes_resources: [${rule}]`;
    const own = await world.pass(await world.person(`hugo-${minor}`, allow));
    const as = by('helm', () => own);
    const other = { ...release(9, 'deployed'), metadata: { name: 'password' } };

    expect((await as('POST', `${SHOP}/secrets`, release(9, 'deployed'))).status).toBe(201);
    expect((await as('POST', `${SHOP}/secrets`, other)).status).toBe(403);
    expect((await as('GET', `${SHOP}/secrets/sh.helm.release.v1.web.v9`)).status).toBe(200);
  });

  test('k9s asks what it may, lists as tables, and hears what changes', async () => {
    const review = (verb: string, resource: string) => ({
      ...{ apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' },
      spec: { resourceAttributes: { namespace: 'shop', verb, resource } },
    });
    const asked = await Promise.all(
      ['get', 'list', 'watch', 'patch', 'delete'].map((verb) =>
        k9s('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review(verb, 'pods')),
      ),
    );
    expect(asked.map(({ text }) => (JSON.parse(text) as { status: { allowed: boolean } }).status.allowed)).toEqual(
      Array(5).fill(true),
    );
    expect((await k9s('GET', '/api/v1/namespaces?limit=250')).status).toBe(200);
    const table = await k9s('GET', `${SHOP}/pods?includeObject=Object&limit=500`, undefined, { accept: TABLE });
    expect(read(table).kind).toBe('Table');
    // k9s takes these to be absent where no metrics are.
    expect([200, 404]).toContain((await k9s('GET', '/apis/metrics.k8s.io/v1beta1/nodes')).status);
    const listed = await k9s('GET', `${SHOP}/configmaps?limit=500&resourceVersion=0`);
    const { resourceVersion } = (JSON.parse(listed.text) as { metadata: { resourceVersion: string } }).metadata;
    const { response } = await world.open(
      pass,
      `${SHOP}/configmaps?allowWatchBookmarks=true&resourceVersion=${resourceVersion}&timeoutSeconds=381&watch=true`,
      { headers: { accept: JSON_TYPE, 'user-agent': AGENTS.k9s } },
    );
    expect(response.statusCode).toBe(200);
    world.cluster.put({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'heard', namespace: 'shop' },
      data: {},
    });
    for await (const piece of response) if (String(piece).includes('"heard"')) break;
    response.destroy();
  });
});
