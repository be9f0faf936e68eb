import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { call } from '@gatehouse/contract/wire/client';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import { storeDatabase } from '../../../../testing/storage/postgres-database.ts';
import { sharedStores } from '../../../../testing/storage/shared-stores.ts';
import {
  type JoinedAgent,
  join,
  newJoinToken,
  startAgent,
  type TestAgent,
  tunnelUrl,
} from '../../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let postgres: TestPostgres;
let here: IdentityGateway;
let there: IdentityGateway;
let admin: TestBrowser;
let agent: JoinedAgent;
const agents: TestAgent[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  const share = sharedStores(await storeDatabase(postgres));
  const open = async () => {
    const gateway = await startIdentityGateway({ shared: await share() });
    await gateway.app.listen({ host: '127.0.0.1', port: 0 });
    return gateway;
  };
  here = await open();
  there = await open();
  await here.addUser('admin', { roles: ['editor'] });
  admin = await here.signedIn('admin');
  agent = await join(here.send, { token: await newJoinToken(admin.send), name: 'web-1' });
});
afterEach(async () => {
  await Promise.all(agents.splice(0).map((each) => each.close({ drainMs: 0 })));
  await here.close();
  await there.close();
});

async function connectedTo(gateway: IdentityGateway, instanceId = 'one'): Promise<TestAgent> {
  // A busy machine may miss the time of a handshake: that is tried again at once. What is let go of later stays away.
  const backOff = { baseMs: 50, capMs: 50 };
  const started = startAgent(agent, { url: tunnelUrl(gateway.app), instanceId, backOff, random: () => 1 });
  agents.push(started);
  await expect.poll(() => started.taken.length, { timeout: SOON_MS }).toBe(1);
  Object.assign(backOff, { baseMs: 60_000, capMs: 60_000 });
  return started;
}

const nodes = () => here.storage.db.selectFrom('resource').select('name').execute();
const connectedAt = () => [here, there].map(({ connections }) => connections.isConnected(agent.id));

test('an agent that moves to another gateway is let go by the first, and its server stays', async () => {
  const first = await connectedTo(here);

  await connectedTo(there);

  await expect.poll(connectedAt, { timeout: SOON_MS }).toEqual([false, true]);
  await expect
    .poll(() => first.states.at(-1), { timeout: SOON_MS })
    .toMatchObject({ state: 'waiting', reason: expect.stringContaining('another gateway') });
  here.clock.advance(10_000);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(await nodes()).toEqual([{ name: 'web-1' }]);
  expect(await call(admin.send, agentRoutes.list, {})).toMatchObject([{ connected: true, resources: 1 }]);
  await expect(here.connections.open(agent.id, 'echo')).rejects.toMatchObject({
    code: 'target_unreachable',
    message: expect.stringContaining('another gateway'),
  });
});

test('removing an agent here ends its tunnel there soon', async () => {
  const started = await connectedTo(there);
  const began = performance.now();

  await call(admin.send, agentRoutes.remove, { params: { id: agent.id } });

  expect(await started.closed).toMatchObject({ retry: false, reason: expect.stringContaining('removed') });
  expect(performance.now() - began).toBeLessThan(SOON_MS);
  expect(await nodes()).toEqual([]);
});

test('locking an agent here ends its tunnel there soon', async () => {
  const started = await connectedTo(there);

  await call(admin.send, lockRoutes.create, {
    params: { clusterId: '-current-' },
    body: { targets: { agent: 'web-1' } },
  });

  await expect.poll(() => started.states.at(-1)?.state, { timeout: SOON_MS }).toBe('waiting');
  await expect.poll(connectedAt, { timeout: SOON_MS }).toEqual([false, false]);
});

test('a gateway that died leaves an agent connected on paper for a minute and a half, no longer', async () => {
  await connectedTo(there);
  // What a killed gateway leaves: its name in the row, and nobody who renews it.
  await here.storage.db.updateTable('agent').set({ connection: 'dead/1' }).execute();

  const list = async () => (await call(admin.send, agentRoutes.list, {}))[0]?.connected;
  expect(await list()).toBe(true);
  here.clock.advance(90_001);
  expect(await list()).toBe(false);
});
