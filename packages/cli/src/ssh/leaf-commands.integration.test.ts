/** Commands that reach into a leaf, as people run them at its root: ssh by the sign-in, ssh over the port of browsers, a web application at a port. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { type ServerWorld, startServerWorld } from '@gatehouse/gateway/testing/connection-tests/server-world';
import { LEAF, makeLeaf } from '@gatehouse/gateway/testing/relay/leaf-world';
import { type SecureRoot, startSecureRoot } from '@gatehouse/gateway/testing/relay/secure-root';
import { ROOT } from '@gatehouse/testkit/gateway-process';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
let leaf: ServerWorld;
let home: SecureRoot;
let env: Record<string, string>;
let login: string;
beforeAll(async () => {
  leaf = await startServerWorld();
  await leaf.trustGateway();
  await leaf.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await leaf.add({ name: 'web-1' });
  await leaf.makeRole('apps', '{allow: {app_labels: {env: dev}}}');
  login = leaf.logins[0];
  home = await startSecureRoot();
  await makeLeaf(home.root, leaf.gateway, [{ remote: 'access', local: ['dev', 'apps'] }]);
  env = await home.environmentOf(await home.root.signedIn('ann'));
  env.PATH = `${ROOT}:${env.PATH}`;
});
afterAll(async () => {
  await leaf?.close();
  await home?.close();
});

test('gatehouse ssh --cluster runs a command there', async () => {
  const { stdout } = await run('gatehouse', ['ssh', '--cluster', LEAF, `${login}@web-1`, 'id -un'], { env });

  expect(stdout).toBe(`${login}\n`);
});

test('ssh comes to a server of the leaf over the port of browsers', async () => {
  await home.root.sshDoor.listen({ host: '127.0.0.1', port: 0 });
  await run('gatehouse', ['config', 'ssh', '--write', '--over-https'], { env });
  const strict = ['-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=yes', '-o', 'GlobalKnownHostsFile=/dev/null'];
  const config = join(env.HOME!, '.ssh', 'config');

  const { stdout } = await run('ssh', ['-F', config, ...strict, `${login}@web-1.${LEAF}`, 'id -un'], { env });

  expect(stdout).toBe(`${login}\n`);
});

test('gatehouse proxy app --cluster has a web application of the leaf at a port', async () => {
  const web = createServer((incoming, response) => response.end(`${incoming.method} ${incoming.url}`));
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  onTestFinished(() => void web.close());
  const uri = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  const body = { name: 'pages', uri, labels: { env: 'dev' } };
  await call(leaf.admin.send, appRoutes.add, { params: { clusterId: LEAF }, body });
  const child = spawn('gatehouse', ['proxy', 'app', 'pages', '--cluster', LEAF], { env });
  onTestFinished(async () => {
    child.kill('SIGINT');
    if (child.exitCode === null) await once(child, 'close');
  });
  const [told] = (await once(child.stdout, 'data')) as [Buffer];
  const address = /http:\/\/[0-9.:]+/.exec(String(told))?.[0] ?? '';

  expect(await (await fetch(`${address}/some?page=1`)).text()).toBe('GET /some?page=1');
  expect(await (await fetch(`${address}/other`, { method: 'POST', body: 'x' })).text()).toBe('POST /other');
  const events = await leaf.gateway.events();
  expect(events).toContainEqual(expect.objectContaining({ code: 'T2007I', user: 'root/ann' }));
});
