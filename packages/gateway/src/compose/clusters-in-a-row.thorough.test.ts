/** Three clusters in a row, and two that are each other's leaf: nobody's word is passed on, and what is one's own stays apart. */
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { join, startCluster, type TestCluster } from '../../testing/federation/two-clusters.ts';
import { visitor } from '../../testing/federation/visitor.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

let first: TestCluster;
let middle: TestCluster;
let last: TestCluster;
/** Everybody may do everything in each of them: what is not reached is not for want of a role. */
const ADMIN = [{ remote: '*', local: ['access', 'editor'] }];

beforeAll(async () => {
  [first, middle, last] = [await startCluster('first'), await startCluster('middle'), await startCluster('last')];
  middle.clock.now = last.clock.now = first.clock.now;
  await join(first, middle, { name: 'first', role_map: ADMIN });
  await join(middle, last, { name: 'middle', role_map: ADMIN });
  await isUp(first, 'middle');
  await isUp(middle, 'last');
});
afterAll(async () => {
  for (const gateway of [last, middle, first]) await gateway?.close();
});

const sites = async ({ send }: Pick<TestBrowser, 'send'>) =>
  (await call(send, clusterRoutes.sites, {})).map(({ name, status }) => `${name} ${status}`);
const servers = ({ send }: Pick<TestBrowser, 'send'>, clusterId: string) =>
  call(send, nodeRoutes.list, { params: { clusterId }, query: {} as never });
const isUp = (root: TestCluster, leaf: string) =>
  vi.waitFor(async () => expect(await sites(root.admin)).toContain(`${leaf} online`), { timeout: SOON_MS });

test('each sees and reaches its own leaves alone, whoever they are there', async () => {
  expect(await sites(first.admin)).toEqual(['first online', 'middle online']);
  expect(await sites(middle.admin)).toEqual(['middle online', 'last online']);
  await servers(first.admin, 'middle');
  await servers(middle.admin, 'last');

  await expect(servers(first.admin, 'last')).rejects.toThrow("cluster 'last' not found");
  await expect(servers(last.admin, 'first')).rejects.toThrow("cluster 'first' not found");
});

test('whom one cluster vouches for is vouched for nowhere else, and a root that asks all the same hears of no leaf', async () => {
  const { clusterId } = last.storage.cluster;
  const leaf = middle.identity.federation.leaves.byId(clusterId)!;
  const guest = await visitor(first, middle, 'admin');
  const actor = await middle.identity.callerOf(await guest.admit('first')).now();

  expect(actor.username).toBe('first/admin');
  expect(middle.identity.federation.leaves.seenBy(actor)).toEqual([]);
  expect(middle.identity.federation.leaves.find('last', actor)).toBeUndefined();
  await expect(middle.identity.federation.passportFor(actor, leaf, last.identity.federation.gatewayId)).rejects.toThrow(
    'vouched for nowhere else',
  );
  // An honest root asks for what is the leaf's own alone.
  const asked = (name: string) => servers({ send: guest.sendTo('first') }, name);
  await expect(asked('last')).rejects.toThrow("cluster 'last' not found");
  await expect(asked('nowhere')).rejects.toThrow("cluster 'nowhere' not found");
  await asked('-current-');
  const people = await last.storage.db.selectFrom('remote_user').select('name').execute();
  expect(people).toEqual([{ name: 'admin' }]);
});

test('two may be leaves of each other: two trusts, and the names of people do not meet', async () => {
  await join(middle, first, { name: 'middle', role_map: ADMIN });
  await isUp(middle, 'first');
  await servers(middle.admin, 'first');
  await servers(first.admin, 'middle');

  const here = await first.storage.db.selectFrom('remote_user').select(['trust', 'name']).execute();
  const there = await middle.storage.db.selectFrom('remote_user').select(['trust', 'name']).execute();
  expect(here).toEqual([{ trust: 'middle', name: 'admin' }]);
  expect(there).toEqual([{ trust: 'first', name: 'admin' }]);
});
