/** What a host can make the gateway hold for pages that may come later. The process that draws is one that never answers. */
import { expect, test, vi } from 'vitest';
import { recordedPdus } from '../../../testing/desktop/recorded-pdus.ts';
import { silentLog } from '../../platform/std/log.ts';
import type { DesktopDecoder } from '../../sessions/desktop/decoder/desktop-decoder.ts';
import { RdpPrelude } from '../../sessions/desktop/rdp-prelude.ts';
import { channelPdu } from './engine/rdp/pdu.ts';
import { createRejoin } from './rejoin.ts';

const never = new Promise<never>(() => {});
const hung = {
  open: () => ({ begin: () => never, feed: () => never, look: () => never, close: () => {} }),
} satisfies Pick<DesktopDecoder, 'open'>;

function demandActive(): Buffer {
  const body = Buffer.alloc(18 + 4 + 28);
  body.writeUInt16LE(0x11, 2);
  body.writeUInt16LE(4, 10);
  body.writeUInt16LE(1, 18);
  for (const [at, value] of [2, 28, 32, 1, 1, 1, 800, 600].entries()) body.writeUInt16LE(value, 22 + 2 * at);
  return channelPdu('host', 1002, 1003, body);
}

function shareData(type: number): Buffer {
  const body = Buffer.alloc(22);
  body.writeUInt16LE(0x17, 2);
  body[14] = type;
  return channelPdu('host', 1002, 1003, body);
}

test('millions of the smallest messages are not held for who may come later', async () => {
  const rejoin = createRejoin({ decoder: hung, log: silentLog });
  for (const pdu of [demandActive(), shareData(40)]) rejoin.feed(pdu);
  const tiny = Buffer.from([0, 5, 3, 0, 0]);
  for (let left = 80_000; left > 0; left -= 1) rejoin.feed(tiny);

  await expect(rejoin.ready()).rejects.toThrow('draws faster than it can be followed');
});

test('what is drawn over again and again is neither held nor drawn by the gateway', async () => {
  let opened = 0;
  const open = () => {
    opened += 1;
    return hung.open();
  };
  const rejoin = createRejoin({ decoder: { open }, log: silentLog });
  const pdus = recordedPdus().pdus.map(({ bytes }) => bytes);
  for (const pdu of pdus) rejoin.feed(pdu);
  const frames = pdus.slice(62).filter((pdu) => pdu[0] === 0 && (pdu[3] as number) % 16 === 4);
  const bytesOf = (list: readonly Buffer[]) => list.reduce((sum, { length }) => sum + length, 0);
  const rounds = Math.ceil((12 * 1024 * 1024) / bytesOf(frames));
  for (let round = 0; round < rounds; round += 1) for (const pdu of frames) rejoin.feed(pdu);

  expect(opened).toBe(0);
  expect(bytesOf(await rejoin.ready())).toBeLessThan(2 * 1024 * 1024);
});

test('a handshake that a host never ends is not held without end', () => {
  const prelude = new RdpPrelude();
  prelude.follow(demandActive());
  for (let left = 1_000; left > 0; left -= 1) prelude.follow(shareData(20));

  expect(prelude.all().length).toBeLessThan(100);
  expect(prelude.follow(shareData(40))).toBe('active');
});

/** Draws whatever it is given as noise. */
const noisy = () => {
  const bytes = Buffer.alloc(800 * 600 * 4);
  for (let at = 0, seed = 1; at < bytes.length; at += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    bytes[at] = seed >> 16;
  }
  const look = async () => ({ width: 800, height: 600, draws: 1, bytes: new Uint8Array(bytes) });
  return { open: () => ({ begin: async () => {}, feed: async () => {}, look, close: () => {} }) };
};
/** An update of the screen that is as long as they come. */
const update = Buffer.concat([Buffer.from([0, 0xbf, 0xff, 1, 0xf9, 0x3f]), Buffer.alloc(0x3fff - 6)]);

async function drawnOnce(maxScreenBytes?: number) {
  const rejoin = createRejoin({ decoder: noisy(), log: silentLog, ...(maxScreenBytes ? { maxScreenBytes } : {}) });
  for (const pdu of [demandActive(), shareData(40)]) rejoin.feed(pdu);
  for (let left = 70; left > 0; left -= 1) rejoin.feed(update);
  // As long as it is not drawn, what came is all there is. The last of it came later.
  const isDrawn = async () => (await rejoin.ready().catch(() => [])).filter((pdu) => pdu.equals(update)).length < 10;
  await vi.waitFor(async () => expect(await isDrawn()).toBe(true));
  return rejoin;
}

test('who come at the same time share one screen in memory', async () => {
  const rejoin = await drawnOnce();
  const [one, two] = await Promise.all([rejoin.ready(), rejoin.ready()]);

  expect(one.length).toBeGreaterThan(100);
  expect(one.every((pdu, at) => pdu === two[at])).toBe(true);
});

test('a screen that is larger than may be held for each page is shown to nobody who comes later', async () => {
  const rejoin = await drawnOnce(1024 * 1024);

  await expect(rejoin.ready()).rejects.toThrow('too large to be shown');
});
