/** A second factor for real kubectls without a terminal: they show a link, and go on once it was accepted in the browser. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { makeRole } from '@gatehouse/gateway/testing/apps/app-world';
import { codeOf, enrolApp } from '@gatehouse/gateway/testing/identity-gateway';
import { type KubeWorld, startKubeWorld } from '@gatehouse/gateway/testing/kube/kube-world';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { podObject } from '@gatehouse/testkit/kube/kube-seed';
import { KUBECTLS, type KubectlVersion, kubectlProgram } from '@gatehouse/testkit/kube/kubeconfig';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';

const run = promisify(execFile);
const LINK = /Open (http:\S+\/web\/cli\/([0-9a-f]{32}))\nand accept with a device if it shows the code (\S{4}-\d{4})\./;
const [latest] = KUBECTLS.slice(-1) as [KubectlVersion];

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

let world: KubeWorld;
let home: string;
let env: NodeJS.ProcessEnv;
let secret: string;
let token: string;
beforeAll(async () => {
  world = await startKubeWorld({ secondFactor: 'optional', cluster: { objects: [podObject('default', 'idle')] } });
  await world.cluster.running('default', 'idle');
  await makeRole(world.admin, 'careful', '{options: {require_session_mfa: true}}');
  ({ token } = await call(world.ann.send, apiTokenRoutes.create, { body: { name: 'ci', scope: 'all' } }));
  secret = await enrolApp(world.gateway, world.ann);
});
afterAll(() => world?.close());
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'gatehouse-link-'));
  env = { ...cleanEnvironment(), HOME: home, GATEHOUSE_ADDRESS: world.origin, GATEHOUSE_TOKEN: token };
  await world.gateway.setRoles('ann', ['role-ann']);
  await world.gateway.settled();
  await run(`${ROOT}/gatehouse`, ['kube', 'login', 'prod'], { env });
  rmSync(join(home, '.config', 'gatehouse', 'kube'), { recursive: true });
  await world.gateway.setRoles('ann', ['role-ann', 'careful']);
  await world.gateway.settled();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function kubectl(version: KubectlVersion, ...args: string[]) {
  const child: ChildProcess = spawn(kubectlProgram(version), args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const heard = { stdout: '', stderr: '' };
  const asked = Promise.withResolvers<{ requestId: string; code: string }>();
  child.stdout?.on('data', (bytes) => {
    heard.stdout += bytes;
  });
  child.stderr?.on('data', (bytes) => {
    heard.stderr += bytes;
    const [, , requestId, code] = LINK.exec(heard.stderr) ?? [];
    if (requestId && code) asked.resolve({ requestId, code });
  });
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code) => {
      resolve({ code: code ?? -1, ...heard });
      asked.reject(new Error(`it asked nothing: ${JSON.stringify(heard)}`));
    }),
  );
  asked.promise.catch(() => undefined);
  return { asked: asked.promise, ended };
}

const answer = (requestId: string, body: { action: 'accept' | 'deny'; tokenId?: string }) =>
  call(world.ann.send, cliLoginRoutes.answer, { params: { requestId }, body });
async function accept(requestId: string): Promise<void> {
  world.gateway.clock.advance(30_000);
  const body = { secondFactorToken: codeOf(secret, world.gateway.clock.now) };
  const tokenId = await call(world.ann.send, passwordRoutes.createPrivilegeToken, { body });
  await answer(requestId, { action: 'accept', tokenId });
}

test.each(KUBECTLS)(
  'kubectl %s shows a link, goes on once it was accepted, and asks no more for an hour',
  async (version) => {
    const { asked, ended } = kubectl(version, 'get', 'pods');
    const { requestId, code } = await asked;
    const details = await call(world.ann.send, cliLoginRoutes.details, { params: { requestId } });
    expect(details).toMatchObject({ code, kube: { name: 'prod' } });
    await accept(requestId);

    const first = await ended;
    expect(first, first.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/idle +1\/1 +Running/) });
    expect(await kubectl(version, 'get', 'pod', 'idle', '-o', 'name').ended).toEqual({
      ...{ code: 0, stdout: 'pod/idle\n', stderr: '' },
    });
  },
);

test('what is denied in the browser ends it with words, and nothing reaches the cluster', async () => {
  const seen = world.cluster.seen.length;
  const { asked, ended } = kubectl(latest, 'get', 'pods');
  await answer((await asked).requestId, { action: 'deny' });

  const { code, stdout, stderr } = await ended;
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('gatehouse: it was denied in the browser, or is over');
  // It asks for credentials again and again, and nobody is asked again for that.
  expect(stderr.match(/\/web\/cli\//g)).toHaveLength(1);
  expect(world.cluster.seen).toHaveLength(seen);
});

test('of several at once all show the one link, and one yes lets all of them go on', async () => {
  const all = [1, 2, 3].map(() => kubectl(latest, 'get', 'pod', 'idle', '-o', 'name'));
  const links = await Promise.all(all.map(({ asked }) => asked));
  expect(new Set(links.map(({ requestId }) => requestId)).size).toBe(1);
  await accept(links[0]!.requestId);

  for (const { ended } of all) expect(await ended).toMatchObject({ code: 0, stdout: 'pod/idle\n' });
});
