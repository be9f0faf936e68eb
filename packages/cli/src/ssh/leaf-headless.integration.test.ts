/** `gatehouse --headless --cluster`: one session on a server of a leaf, approved at its root with a security key. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { type ServerWorld, startServerWorld } from '@gatehouse/gateway/testing/connection-tests/server-world';
import { startCluster, type TestCluster } from '@gatehouse/gateway/testing/federation/two-clusters';
import { enrolKey } from '@gatehouse/gateway/testing/identity-gateway';
import { LEAF, makeLeaf } from '@gatehouse/gateway/testing/relay/leaf-world';
import { cleanEnvironment, ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type HowAnswered, runHeadless } from '../../testing/run-headless.ts';

let root: TestCluster;
let leaf: ServerWorld;
let login: string;
let home: string;
let headless: (args: readonly string[], how?: HowAnswered) => ReturnType<typeof runHeadless>;
beforeAll(async () => {
  root = await startCluster('home', undefined, {
    ...{ secondFactor: 'optional', settings: { ssh: { listen: { host: '127.0.0.1', port: 0 } } } },
    headlessMs: { holdMs: 200, lookMs: 30_000 },
  });
  // sshd looks at its own clock; whoever signed in before is long gone then.
  root.clock.now = Date.now();
  root.admin = await root.signedIn('admin');
  leaf = await startServerWorld({ secondFactor: 'optional' });
  await leaf.trustGateway();
  await leaf.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  for (const name of ['web-1', 'web-2']) await leaf.add({ name });
  login = leaf.logins[0];
  const options = '{require_session_mfa: true, forward_agent: true, port_forwarding: true}';
  await leaf.makeRole('careful', `{allow: {logins: [${login}], node_labels: {env: dev}}, options: ${options}}`);
  await makeLeaf(root, leaf.gateway, [{ remote: 'access', local: ['careful'] }]);
  await root.sshDoor.listen({ host: '127.0.0.1', port: 0 });
  const ann = await root.signedIn('ann');
  const key = await enrolKey(ann, await call(ann.send, passwordRoutes.createPrivilegeToken, { body: {} }));
  home = mkdtempSync(join(tmpdir(), 'gatehouse-headless-'));
  const env = {
    ...{ ...cleanEnvironment(), HOME: home, TMPDIR: home },
    ...{ GATEHOUSE_ADDRESS: root.origin.replace('127.0.0.1', 'localhost'), GATEHOUSE_USER: 'ann' },
  };
  headless = (args, how) =>
    runHeadless(`${ROOT}/gatehouse`, ['--headless', ...args], { env, by: { browser: ann, key }, ...how });
});
afterAll(async () => {
  await leaf?.close();
  await root?.close();
  rmSync(home, { recursive: true, force: true });
});

test('a command runs on a server of the leaf, whose role wants a second factor: the key that approved it counts there', async () => {
  const ran = await headless(['ssh', '--cluster', LEAF, `${login}@web-1`, 'id -un; cat; exit 7'], { input: 'typed' });

  expect(ran, ran.stderr).toMatchObject({ code: 7, stdout: `${login}\ntyped` });
  const [approved] = (await root.events()).filter(({ code }) => code === 'GH105I');
  expect(approved?.data.command).toBe(`ssh ${login}@web-1+${LEAF} id -un; cat; exit 7`);
  await vi.waitFor(async () =>
    expect(await leaf.gateway.events()).toContainEqual(expect.objectContaining({ code: 'T3002E', user: 'root/ann' })),
  );
});

test('it is for that server of that leaf and for one session, which leads nowhere', async () => {
  const onwards = await headless(['ssh', '--cluster', LEAF, '-A', `${login}@web-1`, 'echo "[$SSH_AUTH_SOCK]"']);
  expect(onwards).toMatchObject({ code: 0, stdout: '[]\n' });
  expect(onwards.stderr).toContain('it forwards nothing');
  const forwarded = await headless(['ssh', '--cluster', LEAF, '-W', '127.0.0.1:22', `${login}@web-1`]);
  expect(forwarded.code).toBe(255);
});

test('a leaf that is not there is told once somebody has approved it', async () => {
  const ran = await headless(['ssh', '--cluster', 'nowhere', `${login}@web-1`, 'id']);

  expect(ran).toMatchObject({ code: 255, stdout: '' });
  expect(ran.stderr).toContain("no server 'web-1+nowhere' that you see");
});
