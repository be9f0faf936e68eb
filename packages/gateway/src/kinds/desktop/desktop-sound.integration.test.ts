/** What a real desktop plays: who is sent it, and that no recording has it. */
import { join } from 'node:path';
import { playSound } from '@gatehouse/testkit/desktop/xrdp-sound';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DesktopWorld, startDesktopWorld } from '../../../testing/desktop/desktop-world.ts';
import { recordedItems, recordedOutput } from '../../../testing/recordings/recorded-output.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let world: DesktopWorld;
let ann: TestBrowser;
beforeAll(async () => {
  world = await startDesktopWorld();
  await world.gateway.addUser('ann', { roles: ['dev'] });
  ann = await world.gateway.signedIn('ann');
});
afterAll(() => world?.close());

/** Three samples in stereo. */
const STRAIN = Buffer.from([0x11, 0x47, 5, 0, 0x11, 0x47, 6, 0, 0x11, 0x47, 7, 0]);

test('pages that asked for it hear what programs of the desktop play, and no recording does', async () => {
  const { page } = await world.open(ann);
  const { sid } = await page.until('state');
  const deaf = await world.open(ann, { type: 'attach', sid, width: 800, height: 600 });
  page.tell({ type: 'sound', isOn: true });
  const heard = async () => {
    await playSound(world.xrdp);
    return Buffer.concat(page.sounds.map((sound) => sound.subarray(5)));
  };
  // Its door opens some time after its screen.
  await expect.poll(async () => (await heard()).length, { timeout: 60_000, interval: 500 }).toBeGreaterThan(16_384);
  const [head] = page.sounds;
  expect([head?.[0], head?.readUInt32LE(1)]).toEqual([2, 44_100]);
  const samples = await heard();
  expect(samples.includes(STRAIN)).toBe(true);
  expect(deaf.page.sounds).toEqual([]);

  page.tell({ type: 'sound', isOn: false });
  page.tell({ type: 'end' });
  await page.until('ended');
  const path = join(world.dataDir, 'recordings', `${sid}.rec`);
  await expect.poll(async () => (await recordedItems(path)).at(-1)?.type).toBe('end');
  const recorded = await recordedOutput(path);
  expect(recorded.length).toBeGreaterThan(1_000);
  expect(recorded.includes(STRAIN)).toBe(false);
});
