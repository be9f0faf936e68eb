import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { pageConfig } from '@gatehouse/contract/console/page-config';
import { pingRoutes } from '@gatehouse/contract/console/ping';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { hostKeyLine, newHostKey } from '../../../testing/test-host.ts';

let gateway: IdentityGateway;
afterEach(() => gateway.close());

async function pageSettings() {
  const { body } = await gateway.app.inject({ url: '/web/config.js', headers: { host: 'localhost:3080' } });
  return pageConfig.parse(JSON.parse(body.replace(/^var GRV_CONFIG = |;\s*$/g, '')));
}

test('a gateway without settings says the usual things to its page', async () => {
  gateway = await startIdentityGateway();

  expect(await pageSettings()).toMatchObject({
    canJoinSessions: true,
    isDashboard: false,
    ui: { scrollbackLines: 1000 },
    auth: { localConnectorName: '', privateKeyPolicy: 'none' },
  });
  expect((await call(gateway.send, pingRoutes.ping, {})).auth).toMatchObject({ local: { name: 'local' } });
});

test('what the configuration says reaches the page, and passwordless the ping too', async () => {
  gateway = await startIdentityGateway({
    secondFactor: 'optional',
    settings: {
      connectorName: 'passwordless',
      canJoinSessions: false,
      ui: { scrollbackLines: 5000, isDashboard: true },
    },
  });

  expect(await pageSettings()).toMatchObject({
    canJoinSessions: false,
    isDashboard: true,
    ui: { scrollbackLines: 5000 },
    auth: { localConnectorName: 'passwordless', allowPasswordless: true },
  });
  expect((await call(gateway.send, pingRoutes.ping, {})).auth).toMatchObject({ local: { name: 'passwordless' } });
});

test('ping tells programs that speak SSH where to come, once the gateway takes them', async () => {
  gateway = await startIdentityGateway();
  const shut = await call(gateway.send, pingRoutes.ping, {});
  expect(shut.proxy.ssh).not.toHaveProperty('listen_addr');
  expect(shut.gatehouse).not.toHaveProperty('sshFingerprint');
  await gateway.close();
  const publicAddr = { host: 'gate.example.com', port: 2222 };
  gateway = await startIdentityGateway({
    settings: { ssh: { listen: { host: '127.0.0.1', port: 3022 }, publicAddr } },
  });
  const told = { listen_addr: '127.0.0.1:3022', ssh_public_addr: 'gate.example.com:2222' };
  const pong = await call(gateway.send, pingRoutes.ping, {});
  expect(pong.proxy.ssh).toMatchObject(told);
  expect(pong.gatehouse?.sshFingerprint).toMatch(/^SHA256:[\w+/]{43}$/);
  expect((await call(gateway.send, pingRoutes.find, {})).proxy.ssh).toMatchObject(told);
});

test('the context counts the servers that whoever asks can see', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  await gateway.addUser('nobody', { roles: [] });
  const admin = await gateway.signedIn('admin');
  for (const name of ['web-01', 'web-02'])
    await call(admin.send, nodeRoutes.add, {
      params: { clusterId: 'localhost' },
      body: { name, addr: `${name}.example.com:22`, hostKeys: [hostKeyLine(newHostKey())] },
    });
  const count = async (who: typeof admin) =>
    (await call(who.send, clusterRoutes.context, { params: { clusterId: '-current-' } })).cluster.nodeCount;

  expect(await count(admin)).toBe(2);
  expect(await count(await gateway.signedIn('nobody'))).toBe(0);
});

test('the page says that nobody can sign in for as long as nobody could, and never again', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('invited', { password: null });
  expect((await pageSettings()).gatehouse.isUnclaimed).toBe(true);

  await gateway.addUser('ann');
  expect((await pageSettings()).gatehouse).not.toHaveProperty('isUnclaimed');
  await gateway.storage.db.deleteFrom('user').execute();

  expect((await pageSettings()).gatehouse).not.toHaveProperty('isUnclaimed');
});
