/** Pages that begin in the middle of a session: they see what those see who were there from the first second, to the last bit. */
import { createHash } from 'node:crypto';
import { plainBitmap } from '@gatehouse/contract/kinds/desktop/remotefx/surface-update';
import { PNG } from 'pngjs';
import { afterAll, expect, test, vi } from 'vitest';
import { LAST_PICTURE, LAST_SIZE, recordedPdus } from '../../../testing/desktop/recorded-pdus.ts';
import { silentLog } from '../../platform/std/log.ts';
import { createDesktopDecoder } from '../../sessions/desktop/decoder/desktop-decoder.ts';
import { createRejoin } from './rejoin.ts';

const decoder = createDesktopDecoder({ log: silentLog });
afterAll(() => decoder.close());
const pdus = recordedPdus().pdus.map(({ bytes }) => bytes);

async function hashOf(first: readonly Buffer[], size: { width: number; height: number }): Promise<string> {
  const page = decoder.open();
  await page.begin(size);
  await page.feed(first);
  const { bytes } = await page.look({ as: 'raw' });
  page.close();
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

test('whoever begins anywhere is sent what leads to the same picture', { timeout: 120_000 }, async () => {
  const rejoin = createRejoin({ decoder, log: silentLog });
  await expect(rejoin.ready()).rejects.toThrow('not known');
  const late: { first: readonly Buffer[]; since: Buffer[]; size: { width: number; height: number } }[] = [];
  for (const [at, pdu] of pdus.entries()) {
    const { segment, pdus: sent } = rejoin.feed(pdu);
    for (const page of late) {
      if (segment) Object.assign(page, { first: [], since: [], size: segment });
      page.since.push(...sent);
    }
    if ([20, 45, 62, 75, pdus.length - 1].includes(at))
      late.push({ first: await rejoin.ready(), since: [], size: rejoin.size() });
  }
  const seen: string[] = [];
  for (const { first, since, size } of late) seen.push(await hashOf([...first, ...since], size));
  expect(seen).toEqual(Array(5).fill(LAST_PICTURE));
  const picture = PNG.sync.read(await rejoin.picture());
  expect([picture.width, picture.height]).toEqual([640, 400]);
  rejoin.close();
});

test('what is kept does not grow: it is drawn into one picture, and goes on from there', {
  timeout: 120_000,
}, async () => {
  const rejoin = createRejoin({ decoder, log: silentLog });
  for (const pdu of pdus) rejoin.feed(pdu);
  // Bitmaps are not looked into.
  const noise = Uint8ClampedArray.from({ length: 64 * 64 * 4 }, (_, at) => (at % 4 === 3 ? 255 : (at * 37) >> 3));
  const last = Array.from({ length: 8 }, (_, at) =>
    Buffer.from(plainBitmap({ left: 64 * at, top: 64, width: 64, height: 64 }, noise)),
  );
  const before = await rejoin.ready();
  for (let round = 0; round < 9; round += 1) for (const pdu of last) rejoin.feed(pdu);
  const bytesOf = (list: readonly Buffer[]) => list.reduce((sum, { length }) => sum + length, 0);
  // A picture is far smaller than all that led to it.
  const isDrawn = async () => expect(bytesOf(await rejoin.ready())).toBeLessThan(8 * bytesOf(last));
  await vi.waitFor(isDrawn, { timeout: 60_000, interval: 200 });
  const after = await rejoin.ready();
  expect(await hashOf(after, LAST_SIZE)).toBe(await hashOf([...before, ...last], LAST_SIZE));
  rejoin.close();
  await expect(rejoin.ready()).rejects.toThrow('not known');
});

test('a host that draws faster than it can be followed is not followed, until its size changes', async () => {
  const rejoin = createRejoin({
    decoder: {
      open: () => {
        throw new Error('no room');
      },
    },
    log: silentLog,
  });
  for (const pdu of pdus.slice(0, 40)) rejoin.feed(pdu);
  const big = Buffer.alloc(15_000);
  big.writeUInt16BE(0x8000 | big.length, 1);
  big[3] = 4;
  big.writeUInt16LE(big.length - 6, 4);
  for (let count = 0; count < 600; count += 1) rejoin.feed(big);
  await expect(rejoin.ready()).rejects.toThrow('faster');
  for (const pdu of pdus.slice(40)) rejoin.feed(pdu);
  expect(await rejoin.ready()).not.toEqual([]);
  rejoin.close();
});
