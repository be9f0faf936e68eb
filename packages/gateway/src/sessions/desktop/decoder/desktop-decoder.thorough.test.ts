/** Pictures that are drawn in a process of its own: bit for bit what a browser showed, from the beginning or from any place in between. */
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { getPriority } from 'node:os';
import { PNG } from 'pngjs';
import { afterAll, expect, test } from 'vitest';
import { LAST_PICTURE, LAST_SIZE, recordedPdus } from '../../../../testing/desktop/recorded-pdus.ts';
import { silentLog } from '../../../platform/std/log.ts';
import { type RdpPrelude, RdpSegments } from '../rdp-prelude.ts';
import { tilesOf } from '../rdp-tiles.ts';
import { createDesktopDecoder, type DrawnDesktop, forkDecoder } from './desktop-decoder.ts';

const decoder = createDesktopDecoder({ log: silentLog });
afterAll(() => decoder.close());
const { pdus } = recordedPdus();
const RAW = { as: 'raw' } as const;

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

/** Plays it as it was; a change of size begins a client anew. */
async function play(desktop: DrawnDesktop, onBoundary?: (at: number, prelude: RdpPrelude) => Promise<void>) {
  const segments = new RdpSegments();
  await desktop.begin({ width: 800, height: 600 });
  for (const [at, { bytes }] of pdus.entries()) {
    const { segment, pdus: fed } = segments.follow(bytes);
    if (segment) await desktop.begin(segment);
    if (fed.length > 0) await desktop.feed(fed);
    if (segments.prelude.isBoundary) await onBoundary?.(at, segments.prelude);
  }
}

test.each([
  [false, 5],
  [true, 10],
])('one that works in the background (%s) comes behind the gateway, by no more than this', async (isBackground, by) => {
  let child: ChildProcess | undefined;
  const startProcess = (stepsBack: number) => {
    child = forkDecoder(stepsBack);
    return child;
  };
  const behind = createDesktopDecoder({ log: silentLog, isBackground, startProcess });
  await behind.open().begin({ width: 8, height: 8 });
  const own = getPriority();
  const { pid = 0 } = child!;
  const its = getPriority(pid);
  await behind.close();
  expect(its).toBe(Math.min(19, own + by));
});

test('what was seen in a browser is drawn again to the last bit, straight and from any picture in between', {
  timeout: 120_000,
}, async () => {
  const straight = decoder.open();
  const shots: { at: number; prelude: Buffer[]; size: { width: number; height: number }; rgba: Uint8Array }[] = [];
  await play(straight, async (at, prelude) => {
    if (at % 9 !== 0) return;
    const { bytes } = await straight.look(RAW);
    shots.push({ at, prelude: prelude.all(), size: prelude.size, rgba: bytes });
  });
  const last = await straight.look(RAW);
  expect(last).toMatchObject(LAST_SIZE);
  expect(hashOf(last.bytes)).toBe(LAST_PICTURE);

  const inLastSize = shots.filter(({ size }) => size.width === LAST_SIZE.width);
  expect(inLastSize.length).toBeGreaterThan(1);
  for (const { at, prelude, size, rgba } of inLastSize) {
    const late = decoder.open();
    await late.begin(size);
    await late.feed([...prelude, ...tilesOf(rgba, size)]);
    expect(hashOf((await late.look(RAW)).bytes)).toBe(hashOf(rgba));
    await late.feed(pdus.slice(at + 1).map(({ bytes }) => bytes));
    expect(hashOf((await late.look(RAW)).bytes)).toBe(LAST_PICTURE);
    late.close();
  }

  const { width, height, bytes } = await straight.look({ as: 'png', maxWidth: 256 });
  const png = PNG.sync.read(Buffer.from(bytes));
  expect([width, height, png.width, png.height]).toEqual([256, 160, 256, 160]);
  const whole = PNG.sync.read(Buffer.from((await straight.look({ as: 'png', maxWidth: 4_096 })).bytes));
  const opaque = Buffer.from(last.bytes);
  for (let at = 3; at < opaque.length; at += 4) opaque[at] = 0xff;
  expect(hashOf(whole.data)).toBe(hashOf(opaque));
  straight.close();
});

test('any picture is drawn as it is, whether it packs or not', async () => {
  const size = { width: 800, height: 600 };
  const rgba = Buffer.alloc(size.width * size.height * 4, 0xff);
  let seed = 7;
  for (let at = 0; at < rgba.length; at += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    // Noise above, then runs of every length, then stripes.
    const row = Math.floor(at / 4 / size.width);
    if (at % 4 === 3) continue;
    rgba[at] =
      row < 200 ? seed >> 8 : row < 400 ? Math.floor(((at / 4) % size.width) / (1 + (row % 60))) * 37 : (row % 3) * 90;
  }
  const prelude = new RdpSegments().prelude;
  for (const { bytes } of pdus.slice(0, 12)) prelude.follow(bytes);
  const tiles = [...tilesOf(rgba, size)];
  const page = decoder.open();
  await page.begin(size);
  await page.feed([...prelude.all(), ...tiles]);
  expect(hashOf((await page.look(RAW)).bytes)).toBe(hashOf(rgba));
  expect(Math.max(...tiles.map(({ length }) => length))).toBeLessThan(0x4000 + 64);
  page.close();
});

test('what makes no sense fails alone, and the next desktop is drawn', async () => {
  const hostile = decoder.open();
  await hostile.begin({ width: 800, height: 600 });
  await expect(hostile.feed([...Array(40).keys()].map((at) => Buffer.alloc(300, 3 + at)))).rejects.toThrow();
  hostile.close();
  const fine = decoder.open();
  await play(fine);
  expect(hashOf((await fine.look(RAW)).bytes)).toBe(LAST_PICTURE);
  fine.close();
});

test('tiles of what changed, put one over the other, are the picture', async () => {
  const page = decoder.open();
  let width = 0;
  let shown = Buffer.alloc(0);
  const look = async () => {
    const { tiles = [], ...size } = await page.look({ as: 'tiles' });
    if (size.width !== width) {
      width = size.width;
      shown = Buffer.alloc(size.width * size.height * 4);
    }
    for (const tile of tiles) {
      const { data } = PNG.sync.read(Buffer.from(tile.png));
      for (let row = 0; row < tile.height; row += 1) {
        const from = row * tile.width * 4;
        data.copy(shown, ((tile.top + row) * width + tile.left) * 4, from, from + tile.width * 4);
      }
    }
    return tiles.length;
  };
  await play(page, async (at) => void (at % 5 === 0 && (await look())));
  while ((await look()) > 0);
  const { bytes } = await page.look(RAW);
  const opaque = Buffer.from(bytes);
  for (let at = 3; at < opaque.length; at += 4) opaque[at] = 0xff;
  expect(hashOf(shown)).toBe(hashOf(opaque));
  page.close();
});

test('a client that speaks begins its handshake by itself', async () => {
  const said = Promise.withResolvers<Buffer>();
  const client = decoder.openClient({ said: said.resolve, copied: () => {} });
  await client.begin({ width: 800, height: 600 });
  const first = await said.promise;
  // TPKT with its length, X.224 data, Connect Initial.
  expect(first.readUInt16BE(2)).toBe(first.length);
  expect(first.subarray(4, 9).toString('hex')).toBe('02f0807f65');
  client.close();
});
