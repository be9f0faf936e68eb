/** Pictures of a recorded desktop: taken once, gone on with after a crash, and a seek by them shows the same to the last bit. */
import { createHash } from 'node:crypto';
import { vncInit, vncUpdate } from '@gatehouse/testkit/desktop/vnc-host';
import { PNG } from 'pngjs';
import { afterAll, expect, test } from 'vitest';
import { desktopSession, recordByHand, recordDesktop } from '../../../../testing/desktop/record-desktop.ts';
import { LAST_PICTURE, LAST_SIZE } from '../../../../testing/desktop/recorded-pdus.ts';
import { sourceOf } from '../../../../testing/recordings/make-recording.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';
import { silentLog } from '../../../platform/std/log.ts';
import { createDesktopDecoder } from '../../../sessions/desktop/decoder/desktop-decoder.ts';
import { ITEMS, type Item } from '../format/frames.ts';
import { pictureBefore, readPicturePiece } from '../playback/picture-piece.ts';
import { readShot, readShotPng, readShots, shotBefore } from './shot-files.ts';
import { SHOT_SPACING, takeShots } from './take-shots.ts';

const decoder = createDesktopDecoder({ log: silentLog });
afterAll(() => decoder.close());
const source = sourceOf(await recordDesktop(testSigner()));
const SID = 'recorded';
const spacing = { ms: 1_500, bytes: 40_000 };

function besides() {
  const kept = new Map<string, Buffer>();
  return {
    kept,
    readBeside: async (_sid: string, name: string) => kept.get(name),
    writeBeside: async (_sid: string, name: string, bytes: Uint8Array) => void kept.set(name, Buffer.from(bytes)),
  };
}

/** What a page sees that asks for a time, and how much it is sent for it. */
async function seek(store: ReturnType<typeof besides> | undefined, ms: number) {
  const shot = store && shotBefore(await readShots(store, SID), ms);
  const contents = store && shot && (await readShot(store, SID, shot.number));
  const { first, from } = await pictureBefore(source, ms, shot && contents ? { ...shot, ...contents } : undefined);
  const { items } = await readPicturePiece(source, from);
  const page = decoder.open();
  let sent: Buffer[] = [];
  const all: Item[] = [...first, ...items].filter((item) => item.ms <= ms);
  for (const { type, bytes } of all) {
    if (type === ITEMS.segment) {
      sent = [];
      await page.begin(JSON.parse(bytes.toString()));
    }
    if (type === ITEMS.output) sent.push(bytes);
  }
  await page.feed(sent);
  const { bytes } = await page.look({ as: 'raw' });
  page.close();
  return {
    hash: createHash('sha256').update(bytes).digest('hex').slice(0, 16),
    read: items.length,
    hasShot: first.length > 0,
  };
}

test('a seek by the nearest picture shows what was seen then, bit for bit', { timeout: 120_000 }, async () => {
  const store = besides();
  let rounds = 0;
  const fiveRounds = async () => {
    rounds += 1;
    return rounds < 5;
  };
  // Stopped in the middle, as by a gateway that ends.
  await takeShots({ store, decoder, spacing, goOn: fiveRounds }, SID, source);
  const before = await readShots(store, SID);
  expect(before.complete).toBe(false);
  expect(before.shots.length).toBeGreaterThan(0);
  await takeShots({ store, decoder, spacing, goOn: async () => true }, SID, source);
  const { shots, complete } = await readShots(store, SID);
  expect(complete).toBe(true);
  expect(shots.slice(0, before.shots.length)).toEqual(before.shots);
  expect(shots.length).toBeGreaterThan(before.shots.length);
  expect(shots.at(-1)).toMatchObject(LAST_SIZE);

  const times = [2_500, 4_500, 8_000, 9_500, 11_400];
  const found: Awaited<ReturnType<typeof seek>>[] = [];
  const straight: typeof found = [];
  for (const ms of times) {
    found.push(await seek(store, ms));
    straight.push(await seek(undefined, ms));
  }
  expect(found.map(({ hash }) => hash)).toEqual(straight.map(({ hash }) => hash));
  expect(found.at(-1)).toMatchObject({ hash: LAST_PICTURE, hasShot: true });
  expect(found.filter(({ hasShot }) => hasShot).length).toBeGreaterThan(1);

  const small = PNG.sync.read((await readShotPng(store, SID, shots.at(-1)?.number ?? 0)) ?? Buffer.alloc(0));
  expect([small.width, small.height]).toEqual([320, 200]);
});

test('whoever jumps has little to draw: pictures lie close, by time and by what was drawn between them', async () => {
  const every = { everyMs: 7_000, untilMs: 240_000 };
  const long = sourceOf(await recordDesktop(testSigner(), desktopSession(), every));
  const store = besides();
  await takeShots({ store, decoder, goOn: async () => true }, SID, long);
  const { shots, complete } = await readShots(store, SID);
  expect(complete).toBe(true);
  for (const [number, shot] of shots.entries()) {
    const next = shots[number + 1];
    if (next) expect(next.ms - shot.ms).toBeLessThanOrEqual(SHOT_SPACING.ms + 2 * every.everyMs);
    const contents = await readShot(store, SID, shot.number);
    if (!contents) throw new Error('it was taken');
    const asked = (next?.ms ?? every.untilMs) - 1;
    const { from } = await pictureBefore(long, asked, { ...shot, ...contents });
    const { items } = await readPicturePiece(long, from, asked);
    const led = items.filter((item) => item.ms <= asked).reduce((sum, { bytes }) => sum + bytes.length, 0);
    expect(led).toBeLessThanOrEqual(SHOT_SPACING.bytes + 256 * 1024);
  }
  expect(SHOT_SPACING).toEqual({ ms: 60_000, bytes: 1024 * 1024 });
}, 120_000);

test('what lies beside a recording proves nothing: damaged, it is made again', async () => {
  const store = besides();
  const take = () => takeShots({ store, decoder, spacing, goOn: async () => true }, SID, source);
  await take();
  const { shots } = await readShots(store, SID);
  const last = shots.at(-1)?.number;
  store.kept.set(`shot-${last}`, Buffer.from('no picture'));
  expect(await readShot(store, SID, last ?? 0)).toBeUndefined();
  store.kept.set('shots', Buffer.from('{"version":1,"shots":"none"}'));
  expect(await readShots(store, SID)).toEqual({ shots: [], complete: false });
  await take();
  expect((await readShots(store, SID)).shots).toEqual(shots);
  expect(await readShot(store, SID, last ?? 0)).toBeDefined();
});

const GREETING = Buffer.concat([Buffer.from('RFB 003.008\n'), Buffer.of(1, 1), Buffer.alloc(4), vncInit(64, 48, '')]);
const fill = (value: number, width = 64) =>
  vncUpdate({ encoding: 0, width, height: 48, body: Buffer.alloc(width * 48 * 4, value) });

test('of VNC pictures are taken to be looked at, and a seek begins where a whole one was sent in time', async () => {
  const vnc = sourceOf(
    await recordByHand(testSigner(), desktopSession(), async ({ writer, at, settled }) => {
      writer.begin('vnc', { width: 64, height: 48 });
      writer.picture(GREETING);
      writer.picture(fill(10));
      for (const [ms, update] of [
        [20_000, fill(20)],
        [60_000, fill(30, 8)],
        [61_000, fill(40)],
        [130_000, fill(50, 8)],
      ] as const) {
        await settled();
        at(ms);
        if (ms === 60_000) {
          writer.segment({ width: 64, height: 48 });
          writer.picture(GREETING);
        }
        // Cut in the middle of a message.
        writer.picture(update.subarray(0, 100));
        writer.picture(update.subarray(100));
      }
    }),
  );
  const store = besides();
  let rounds = 0;
  const take = (goOn: () => Promise<boolean>) =>
    takeShots({ store, decoder, spacing: { ms: 15_000, bytes: 1e9 }, goOn }, SID, vnc);
  await take(async () => {
    rounds += 1;
    return rounds < 3;
  });
  const before = await readShots(store, SID);
  expect(before.complete).toBe(false);
  expect(before.shots.length).toBeGreaterThan(0);
  await take(async () => true);
  const { shots, complete } = await readShots(store, SID);
  expect([complete, shots.slice(0, before.shots.length)]).toEqual([true, before.shots]);

  const shown = await Promise.all(
    shots.map(async ({ number, ms, width, height }) => {
      const { data } = PNG.sync.read((await readShotPng(store, SID, number)) ?? Buffer.alloc(0));
      return { ms, width, height, left: data[0], right: data[4 * 63] };
    }),
  );
  const size = { width: 64, height: 48 };
  expect(shown).toEqual([
    { ms: 20_000, ...size, left: 20, right: 20 },
    { ms: 60_000, ...size, left: 30, right: 20 },
    { ms: 130_000, ...size, left: 50, right: 40 },
  ]);
  const begins = async (ms: number) => {
    const shot = shotBefore({ shots, complete }, ms);
    const contents = shot && (await readShot(store, SID, shot.number));
    const { first, from } = await pictureBefore(vnc, ms, shot && contents ? { ...shot, ...contents } : undefined);
    expect(first).toEqual([]);
    return (await readPicturePiece(vnc, from)).items.find(({ type }) => type === ITEMS.segment)?.ms;
  };
  expect(await Promise.all([1_000, 59_000, 60_500, 64_999, 65_000, 140_000].map(begins))).toEqual([
    ...[0, 0, 0, 0, 60_000, 60_000],
  ]);
});
