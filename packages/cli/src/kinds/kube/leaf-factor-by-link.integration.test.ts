/** A second factor that a leaf wants of a real kubectl without a terminal: the root, where the devices are, shows the link and says the word. */
import { execFile, spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { kubePassRoutes } from '@gatehouse/contract/kinds/kube/kube-pass';
import { call } from '@gatehouse/contract/wire/client';
import { makeRole } from '@gatehouse/gateway/testing/apps/app-world';
import { codeOf, enrolApp } from '@gatehouse/gateway/testing/identity-gateway';
import { type KubectlWorld, startKubectlWorld } from '@gatehouse/gateway/testing/kube/kubectl-world';
import { LEAF, makeLeaf } from '@gatehouse/gateway/testing/relay/leaf-world';
import { type SecureRoot, startSecureRoot } from '@gatehouse/gateway/testing/relay/secure-root';
import type { TestBrowser } from '@gatehouse/gateway/testing/test-browser';
import { ROOT } from '@gatehouse/testkit/gateway-process';
import { KUBECTLS, type KubectlVersion, kubectlProgram } from '@gatehouse/testkit/kube/kubeconfig';
import { afterAll, beforeAll, expect, test } from 'vitest';

const run = promisify(execFile);
const LINK = /Open https:\S+\/web\/cli\/([0-9a-f]{32})\nand accept with a device if it shows the code (\S{4}-\d{4})\./;
const [latest] = KUBECTLS.slice(-1) as [KubectlVersion];

let leaf: KubectlWorld;
let home: SecureRoot;
let ann: TestBrowser;
let secret: string;
let env: Record<string, string>;
beforeAll(async () => {
  leaf = await startKubectlWorld();
  home = await startSecureRoot();
  await makeRole(leaf.admin, 'careful', '{}');
  await makeLeaf(home.root, leaf.gateway, [{ remote: 'access', local: ['role-ann', 'careful'] }]);
  ann = await home.root.signedIn('ann');
  secret = await enrolApp(home.root, ann);
  env = await home.environmentOf(ann);
  const { stdout } = await run(`${ROOT}/gatehouse`, ['kube', 'config', 'prod', '--cluster', LEAF], { env });
  env.KUBECONFIG = join(env.HOME!, 'kubeconfig');
  env.PATH = `${ROOT}:${env.PATH}`;
  writeFileSync(env.KUBECONFIG, stdout, { mode: 0o600 });
  rmSync(join(env.XDG_CONFIG_HOME!, 'gatehouse', 'kube'), { recursive: true });
  const content = 'kind: role\nversion: v6\nmetadata: {name: careful}\nspec: {options: {require_session_mfa: true}}\n';
  // Whoever was signed in before the clocks were set is not any more.
  const admin = await leaf.gateway.signedIn('admin');
  await call(admin.send, roleRoutes.update, { params: { name: 'careful' }, body: { content } });
  await leaf.gateway.settled();
});
afterAll(async () => {
  await leaf?.close();
  await home?.close();
});

async function kubectl(onLink: (requestId: string, code: string) => Promise<void>, ...args: string[]) {
  const child = spawn(kubectlProgram(latest), args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const heard = { stdout: '', stderr: '' };
  let answered: Promise<void> | undefined;
  child.stdout.on('data', (bytes) => {
    heard.stdout += bytes;
  });
  child.stderr.on('data', (bytes) => {
    heard.stderr += bytes;
    const [, requestId, code] = LINK.exec(heard.stderr) ?? [];
    if (requestId && code) answered ??= onLink(requestId, code);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  await answered;
  return { code, ...heard };
}

const answer = async (requestId: string, body: { action: 'accept' | 'deny'; tokenId?: string }) =>
  void (await call(ann.send, cliLoginRoutes.answer, { params: { requestId }, body }));
async function accept(requestId: string): Promise<void> {
  // Both: a passport is for a minute of the same time.
  for (const { clock } of [home.root, leaf.gateway]) clock.advance(30_000);
  const body = { secondFactorToken: codeOf(secret, home.root.clock.now) };
  const tokenId = await call(ann.send, passwordRoutes.createPrivilegeToken, { body });
  await answer(requestId, { action: 'accept', tokenId });
}

test('what is denied at the root ends kubectl, and nothing reaches the cluster of the leaf', async () => {
  const seen = leaf.cluster.seen.length;
  const { code, stdout, stderr } = await kubectl((requestId) => answer(requestId, { action: 'deny' }), 'get', 'pods');

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('gatehouse: it was denied in the browser, or is over');
  expect(leaf.cluster.seen).toHaveLength(seen);
});

test('kubectl shows a link of the root, which names the leaf, and goes on once it was accepted there', async () => {
  let shown: unknown;
  const ended = await kubectl(
    async (requestId, code) => {
      const details = await call(ann.send, cliLoginRoutes.details, { params: { requestId } });
      shown = { kube: details.kube, isThatCode: details.code === code };
      await accept(requestId);
    },
    ...['get', 'pods', '-A', '-o', 'name'],
  );

  expect(ended, ended.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining('pod/idle') });
  expect(shown).toEqual({ kube: { name: `prod+${LEAF}` }, isThatCode: true });
});

test('a yes for one leaf and cluster gives a word for no other, and only once', async () => {
  const params = { clusterId: 'home', name: 'prod' };
  const ask = async () => (await call(ann.send, kubePassRoutes.ask, { params, query: { leaf: LEAF } })).approval;
  const give = (approval: string, name = 'prod') =>
    call(ann.send, kubePassRoutes.give, { params: { ...params, name }, body: { leaf: LEAF, approval } });
  const approval = await ask();
  await expect(give(approval)).rejects.toMatchObject({ code: 'mfa_required', fields: { state: 'pending' } });
  await accept(approval);

  await expect(give(approval, 'other')).rejects.toThrow('it was denied in the browser, or is over');
  expect(await give(approval)).toMatchObject({ factor: expect.stringMatching(/^[\w-]{16}$/) });
  await expect(give(approval)).rejects.toThrow('it was denied in the browser, or is over');
  expect(await call(ann.send, kubePassRoutes.give, { params, body: { leaf: LEAF } })).not.toHaveProperty('factor');
  await expect(call(ann.send, kubePassRoutes.ask, { params, query: { leaf: 'elsewhere' } })).rejects.toThrow(
    "cluster 'elsewhere' not found",
  );
});
