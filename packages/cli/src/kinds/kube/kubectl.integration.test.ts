/** Plain kubectl after `gatehouse kube login`: at a gateway of this machine, and behind a balancer that ends TLS. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { kubeRoutes } from '@gatehouse/contract/kinds/kube/kubernetes';
import { call } from '@gatehouse/contract/wire/client';
import { makeTestAuthority } from '@gatehouse/gateway/testing/db/test-authority';
import { KUBE_CLUSTER, type KubeWorld, startKubeWorld } from '@gatehouse/gateway/testing/kube/kube-world';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { loadClientNode } from '@gatehouse/testkit/kube/client-node';
import { podObject } from '@gatehouse/testkit/kube/kube-seed';
import { KUBECTLS, kubectlProgram } from '@gatehouse/testkit/kube/kubeconfig';
import { type Nginx, startNginxWith } from '@gatehouse/testkit/nginx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

let world: KubeWorld;
let balancer: Nginx;
let home: string;
let token: string;
let authority: string;

beforeAll(async () => {
  const { ca, server } = await makeTestAuthority();
  world = await startKubeWorld({ cluster: { objects: [podObject('default', 'idle')] } });
  await world.cluster.running('default', 'idle');
  ({ token } = await call(world.ann.send, apiTokenRoutes.create, { body: { name: 'ci', scope: 'all' } }));
  home = mkdtempSync(join(tmpdir(), 'gatehouse-kubectl-'));
  authority = join(home, 'ca.pem');
  writeFileSync(authority, ca);
  balancer = await startNginxWith((folder, port) => {
    writeFileSync(join(folder, 'cert.pem'), server.cert);
    writeFileSync(join(folder, 'key.pem'), server.key, { mode: 0o600 });
    return `server { listen 127.0.0.1:${port} ssl; server_name localhost;
ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
location / { proxy_pass ${world.origin}; proxy_http_version 1.1; proxy_buffering off; proxy_set_header Host $http_host;
proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $http_connection; } }`;
  });
});
afterAll(async () => {
  await balancer?.stop();
  await world?.close();
  rmSync(home, { recursive: true, force: true });
});

/** Of somebody with a home of their own, at one address of the gateway. */
function seat(origin: string) {
  const own = mkdtempSync(join(home, 'seat-'));
  const env = {
    ...{ ...cleanEnvironment(), HOME: own, NODE_EXTRA_CA_CERTS: authority },
    ...{ GATEHOUSE_ADDRESS: origin, GATEHOUSE_TOKEN: token },
  };
  const run = (file: string, args: readonly string[]) =>
    new Promise<Ended>((resolve) => {
      execFile(file, args, { env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
      );
    });
  return {
    env,
    file: join(own, '.kube', 'config'),
    kept: join(own, '.config', 'gatehouse', 'kube'),
    gatehouse: (...args: string[]) => run(`${ROOT}/gatehouse`, ['kube', ...args]),
    kubectl: (version: (typeof KUBECTLS)[number], ...args: string[]) => run(kubectlProgram(version), args),
  };
}

const passes = async () => (await world.gateway.storage.db.selectFrom('kube_pass').selectAll().execute()).length;
const ORIGINS = { 'a gateway of this machine': () => world.origin, 'a balancer that ends TLS': balanced } as const;
function balanced(): string {
  return `https://localhost:${balancer.port}`;
}

describe.each(Object.entries(ORIGINS))('at %s', (_, originOf) => {
  test.each(KUBECTLS)('kubectl %s lists, applies and deletes in the name of whoever is signed in', async (version) => {
    const { gatehouse, kubectl } = seat(originOf());
    expect(await gatehouse('login', 'prod', '--namespace', 'default')).toMatchObject({ code: 0, stderr: '' });

    const listed = await kubectl(version, 'get', 'pods');
    expect(listed, listed.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/idle +1\/1 +Running/) });
    const name = `made-${version.replace('.', '-')}`;
    const file = join(home, `${name}.json`);
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { a: 'b' } }));
    const made = await kubectl(version, 'apply', '-f', file);
    expect(made, made.stderr).toMatchObject({ code: 0 });
    expect(await kubectl(version, 'get', 'configmap', name, '-o', 'jsonpath={.data.a}')).toMatchObject({ stdout: 'b' });
    expect(await kubectl(version, 'delete', 'configmap', name)).toMatchObject({ code: 0 });
    // What the cluster says of somebody is said of ann, who may not do this.
    expect(await kubectl(version, 'get', 'nodes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('User "ann" cannot list resource "nodes"'),
    });
  });
});

test('the JavaScript client reads the same file and runs the same plugin', async () => {
  const { gatehouse, env, file } = seat(world.origin);
  // It waits for the plugin with everything else standing still, the gateway of this test too: the pass is there already.
  await gatehouse('login', 'prod');
  const client = await loadClientNode();
  const config = new client.KubeConfig();
  config.loadFromString(readFileSync(file, 'utf8'));
  const before = { ...process.env };
  Object.assign(process.env, env);
  try {
    const { items } = await config.makeApiClient(client.CoreV1Api).listNamespacedPod({ namespace: 'default' });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['idle']);
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
    Object.assign(process.env, before);
  }
});

test.each(KUBECTLS)(
  'kubectl %s asks for a raw path by the whole of it, since it leaves out what stands before',
  async (version) => {
    const { gatehouse, kubectl } = seat(world.origin);
    await gatehouse('login', 'prod');

    const told = await kubectl(version, 'get', '--raw', '/v1/kube/prod/api/v1/namespaces/default/pods/idle');
    expect(told, told.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('"name":"idle"') });
  },
);

test('forty kubectl at once work by one pass', async () => {
  const { gatehouse, kubectl, kept } = seat(world.origin);
  await gatehouse('login', 'prod');
  for (const file of readdirSync(kept)) rmSync(join(kept, file));
  const before = await passes();

  const all = await Promise.all(Array.from({ length: 40 }, () => kubectl('1.32', 'get', 'pods', '-n', 'default')));

  expect(all.filter(({ code }) => code !== 0).map(({ stderr }) => stderr)).toEqual([]);
  expect(await passes()).toBe(before + 1);
});

test('a pass that the gateway has voided fails one kubectl, which gets the next one', async () => {
  const { gatehouse, kubectl, kept } = seat(world.origin);
  await gatehouse('login', 'prod');
  expect(await kubectl('1.32', 'get', 'pods', '-n', 'default')).toMatchObject({ code: 0 });
  // With the record of the cluster its passes are gone, and nobody tells this command line.
  const params = { ...KUBE_CLUSTER, name: 'prod' };
  const { item: _, agents: __, ...record } = await call(world.admin.send, kubeRoutes.get, { params });
  await call(world.admin.send, kubeRoutes.remove, { params });
  const credential = { token: world.cluster.token({ user: 'gateway', groups: [] }) };
  const { server, ca, labels } = record;
  await call(world.admin.send, kubeRoutes.add, {
    params: KUBE_CLUSTER,
    body: { name: 'prod', server, ca, labels, credential },
  });
  for (const name of readdirSync(kept).filter((each) => each.endsWith('.json'))) {
    const file = join(kept, name);
    const pass = JSON.parse(readFileSync(file, 'utf8')) as { given: number };
    writeFileSync(file, JSON.stringify({ ...pass, given: pass.given - 60_000 }));
  }

  expect(await kubectl('1.32', 'get', 'pods', '-n', 'default')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('You must be logged in to the server'),
  });
  expect(await kubectl('1.32', 'get', 'pods', '-n', 'default')).toMatchObject({ code: 0 });
});
