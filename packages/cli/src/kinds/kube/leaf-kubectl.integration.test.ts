/** `gatehouse kube login --cluster`, and real kubectls by what it writes: they come to the root and are led to a Kubernetes cluster of its leaf, which decides. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { call } from '@gatehouse/contract/wire/client';
import { type KubectlWorld, startKubectlWorld } from '@gatehouse/gateway/testing/kube/kubectl-world';
import { LEAF, makeLeaf } from '@gatehouse/gateway/testing/relay/leaf-world';
import { type SecureRoot, startSecureRoot } from '@gatehouse/gateway/testing/relay/secure-root';
import type { TestBrowser } from '@gatehouse/gateway/testing/test-browser';
import { ROOT } from '@gatehouse/testkit/gateway-process';
import { KUBECTLS } from '@gatehouse/testkit/kube/kubeconfig';
import { createKubectl, type Kubectl } from '@gatehouse/testkit/kube/kubectl';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

const run = promisify(execFile);
let leaf: KubectlWorld;
let home: SecureRoot;
let ann: TestBrowser;
let env: Record<string, string>;
let config: string;
beforeAll(async () => {
  leaf = await startKubectlWorld();
  home = await startSecureRoot();
  await makeLeaf(home.root, leaf.gateway, [{ remote: 'access', local: ['role-ann'] }]);
  ann = await home.root.signedIn('ann');
  env = await home.environmentOf(ann);
  config = (await gatehouse('config', 'prod')).stdout;
});
afterAll(async () => {
  await leaf?.close();
  await home?.close();
});

const gatehouse = (...args: string[]) => run(`${ROOT}/gatehouse`, ['kube', ...args, '--cluster', LEAF], { env });
const kubectlOf = (version: (typeof KUBECTLS)[number], text = config): Kubectl => {
  const kubectl = createKubectl(version, text, env);
  onTestFinished(() => kubectl.remove());
  return kubectl;
};
const [oldest, latest] = [KUBECTLS[0]!, KUBECTLS.at(-1)!];

test.each([oldest, latest])('kubectl %s lists, makes, and runs commands, in the log of the leaf', async (version) => {
  const kubectl = kubectlOf(version);
  const name = `made-${version.replaceAll('.', '-')}`;

  expect(await kubectl.must(['get', 'pods', '-A'])).toMatch(/default +idle +1\/1 +Running/);
  const made = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
  await kubectl.must(['create', '--validate=false', '-f', '-'], JSON.stringify(made));
  expect(leaf.cluster.get('v1', 'ConfigMap', 'default', name)).toBeDefined();
  expect(await kubectl.must(['exec', '-i', 'idle', '--', 'cat'], 'through two gateways')).toBe('through two gateways');
  expect(await kubectl.run(['get', 'pod', 'nope'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not found'),
  });
  const seen = leaf.cluster.seen.findLast(({ url }) => url.startsWith('/api/v1/pods'));
  expect(seen).toMatchObject({ user: 'root/ann', groups: ['edit', 'system:authenticated'] });
  await vi.waitFor(async () => {
    const events = await leaf.gateway.events();
    expect(events).toContainEqual(expect.objectContaining({ code: 'T3009I', user: 'root/ann' }));
  });
  expect((await home.root.events()).map(({ code }) => code)).not.toContain('T3009I');
});

test('login writes a context of its own, logout takes it out, and what the leaf does not have it says at once', async () => {
  const { stdout } = await gatehouse('login', 'prod');
  const { host } = new URL(home.root.origin);
  expect(stdout).toContain(`context 'prod+${LEAF}@${host}' written`);
  const file = join(env.HOME!, '.kube', 'config');
  expect(readFileSync(file, 'utf8')).toContain(`/v1/kube/prod+${LEAF}`);

  await gatehouse('logout', 'prod');

  expect(readFileSync(file, 'utf8')).not.toContain(`prod+${LEAF}`);
  await expect(gatehouse('login', 'nothing')).rejects.toMatchObject({
    stderr: expect.stringContaining("'nothing' not found"),
  });
});

test('one pass opens nothing without the other, nor with that of somebody else', async () => {
  const { root, ca } = home;
  const ask = (token: string, path = `prod+${LEAF}`) =>
    new Promise<number>((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}` };
      get(`${root.origin}/v1/kube/${path}/api/v1/pods`, { ca, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      }).on('error', reject);
    });
  const give = async (who: TestBrowser, clusterId: string, body = {}) =>
    (await call(who.send, kubePassRoutes.give, { params: { clusterId, name: 'prod' }, body })).token;
  await root.addUser('eve', { roles: ['access'] });
  const eve = await root.signedIn('eve');
  const [here, there] = [await give(ann, 'home', { leaf: LEAF }), await give(ann, LEAF)];
  const [evesHere, evesThere] = [await give(eve, 'home', { leaf: LEAF }), await give(eve, LEAF)];

  expect(await ask(`${here}.${there}`)).toBe(200);
  expect(await ask(here)).toBe(401);
  expect(await ask(there)).toBe(401);
  expect(await ask(`${evesHere}.${there}`)).toBe(401);
  expect(await ask(`${here}.${evesThere}`)).toBe(401);
  expect(await ask(`${here}.${there}`, 'prod+elsewhere')).toBe(401);
  expect(await ask(`${here}.${there}`, `other+${LEAF}`)).toBe(401);
  await expect(give(ann, 'home', { leaf: 'elsewhere' })).rejects.toThrow("cluster 'elsewhere' not found");
});

test('a lock at the root ends what is watched at the leaf within two seconds', async () => {
  const watching = kubectlOf(latest).start(['get', 'configmaps', '--watch', '-o', 'name']);
  leaf.cluster.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'watched', namespace: 'default' } });
  await watching.prints('configmap/watched');
  const from = performance.now();
  await call(home.root.admin.send, lockRoutes.create, {
    params: { clusterId: 'home' },
    body: { targets: { user: 'ann' }, message: 'gone' },
  });

  await watching.ended;
  expect(performance.now() - from).toBeLessThan(SOON_MS);
});
