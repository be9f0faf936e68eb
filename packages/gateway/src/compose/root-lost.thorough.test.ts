/** A root that stays away: what its people have open at the leaf ends, says why, and is written down; nobody else's does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LEAF, startLeafWorld } from '../../testing/relay/leaf-world.ts';
import { connectTerminal, opening, tabOf } from '../../testing/sessions/terminal-client.ts';

test('sessions of a root that is lost end with that cause, and those of the leaf go on', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-lost-'));
  const world = await startLeafWorld({ dataDir, rootLostMs: 1_000 });
  onTestFinished(async () => {
    await world.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const { gateway } = world.leaf;
  const tab = tabOf(world.root.app, world.ann);
  const far = connectTerminal({ ...tab, url: tab.url.replace('-current-', LEAF) }, opening('edge', 'ubuntu'));
  const { sid } = await far.state;
  const near = connectTerminal(tabOf(gateway.app, world.leaf.ann), opening('edge', 'ubuntu'));
  const { sid: own } = await near.state;
  const row = (id: string) =>
    gateway.storage.db.selectFrom('session').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

  await world.root.app.close();
  await far.closed;
  // Its clock stands still by itself, and by that one the root was heard of just now.
  gateway.clock.advance(5_000);
  await vi.waitFor(async () => expect((await row(sid)).ended).not.toBeNull(), { timeout: SOON_MS });

  expect(await row(own)).toMatchObject({ ended: null });
  const told = async () => (await gateway.events()).filter(({ data }) => data.sid === sid);
  await vi.waitFor(async () => expect((await told()).map(({ code }) => code)).toContain('T2004I'), {
    timeout: SOON_MS,
  });
  const words = JSON.stringify(await told());
  expect(words).toContain('your own cluster is not connected any more');
  for (const { user } of await told()) expect(user).toBe('root/ann');
  near.cut();
});
