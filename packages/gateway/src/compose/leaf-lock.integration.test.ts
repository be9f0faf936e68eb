/** A lock at the root under many terminals at its leaf: all of them are over there, and nobody at the root sees one. */
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LEAF, type LeafWorld, startLeafWorld } from '../../testing/relay/leaf-world.ts';
import { connectTerminal, opening, tabOf } from '../../testing/sessions/terminal-client.ts';

const TERMINALS = 200;
const AT_ONCE = 10;
/** Only that all are over: how long it takes depends on what else the machine does, and stands in docs/trusted-clusters.md. */
const OVER_MS = 30_000;

let world: LeafWorld;
beforeAll(async () => {
  world = await startLeafWorld();
});
afterAll(() => world?.close());

test('a lock at the root ends two hundred terminals at the leaf', { timeout: 180_000 }, async () => {
  const tab = tabOf(world.root.app, world.ann);
  const open = () => connectTerminal({ ...tab, url: tab.url.replace('-current-', LEAF) }, opening('edge', 'ubuntu'));
  const clients: ReturnType<typeof open>[] = [];
  while (clients.length < TERMINALS) {
    const more = Array.from({ length: AT_ONCE }, open);
    await Promise.all(more.map(({ state }) => state));
    clients.push(...more);
  }
  const { db } = world.leaf.gateway.storage;
  const live = async () =>
    (await db.selectFrom('session').select('id').where('user', '=', 'root/ann').where('ended', 'is', null).execute())
      .length;
  expect(await live()).toBe(TERMINALS);

  await call(world.admin.send, lockRoutes.create, {
    params: { clusterId: '-current-' },
    body: { targets: { user: 'ann' }, message: 'laptop stolen', force: false },
  });
  await expect.poll(live, { timeout: OVER_MS, interval: 20 }).toBe(0);
  await Promise.all(clients.map(({ closed }) => closed));
});
