import { recordingRoutes } from '@gatehouse/contract/recordings/recordings';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Happening } from '../../../../testing/recordings/playback/build-recording.ts';
import { ordinaryWork, seededRandom } from '../../../../testing/recordings/playback/ordinary-work.ts';
import { playedScreens, randomTimes } from '../../../../testing/recordings/playback/played-screens.ts';
import {
  CLUSTER,
  playAll,
  type RecordingWorld,
  startRecordingWorld,
} from '../../../../testing/recordings/playback/recording-world.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let world: RecordingWorld;
let eve: TestBrowser;

beforeAll(async () => {
  world = await startRecordingWorld();
  await world.gateway.addUser('eve', { roles: ['auditor'] });
  eve = await world.gateway.signedIn('eve');
});
afterAll(() => world.close());

const outputOf = (happenings: readonly Happening[]) =>
  Buffer.concat(happenings.flatMap((item) => (item.type === 'output' ? [Buffer.from(item.text)] : [])));

test('the pieces together are what was printed, to the byte and in order', async () => {
  const happenings = [...ordinaryWork({ seed: 4, durationMs: 600_000, bytes: 1_500_000 })];
  const sid = await world.record({ happenings, durationMs: 600_000 });

  const pieces = await playAll(eve, sid);

  const items = pieces.flatMap((piece) => piece.items);
  const printed = items.flatMap((item) => (item.type === 'output' ? [Buffer.from(item.data, 'base64')] : []));
  expect(Buffer.concat(printed).equals(outputOf(happenings))).toBe(true);
  expect(items.every((item, index) => index === 0 || item.ms >= (items[index - 1]?.ms ?? 0))).toBe(true);
  expect(items.at(-1)).toMatchObject({ type: 'end', text: 'the shell exited' });
  expect(pieces.length).toBeGreaterThan(4);
  const sizes = pieces.map((piece) => JSON.stringify(piece).length);
  expect(Math.max(...sizes)).toBeLessThan(800_000);
});

test('what is drawn after a seek is what playing from the start draws, at random times', async () => {
  const happenings = [...ordinaryWork({ seed: 9, durationMs: 900_000, bytes: 1_500_000 })];
  const sid = await world.record({ happenings, durationMs: 900_000 });
  await world.indexed(eve, sid);
  const times = randomTimes(seededRandom(11), 15, 900_000);
  for await (const { ms: seek, ansi } of playedScreens(happenings, times)) {
    const params = { ...CLUSTER, sid };
    const query = { seek: String(seek) } as never;
    const { screen, items } = await call(eve.send, recordingRoutes.playback, { params, query });
    expect(screen?.approximate).toBeUndefined();
    expect(items.every(({ ms }) => ms > seek)).toBe(true);
    expect(screen?.ansi, `at ${seek}`).toBe(ansi);
    const looked = await call(eve.send, recordingRoutes.screen, { params, query: { at: String(seek) } as never });
    expect(looked.ansi).not.toContain('\x1b[?');
  }
});
