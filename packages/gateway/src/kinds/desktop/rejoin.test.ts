/** What a host can make the gateway hold for pages that may come later. The process that draws is one that never answers. */
import { expect, test } from 'vitest';
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

test('a handshake that a host never ends is not held without end', () => {
  const prelude = new RdpPrelude();
  prelude.follow(demandActive());
  for (let left = 1_000; left > 0; left -= 1) prelude.follow(shareData(20));

  expect(prelude.all().length).toBeLessThan(100);
  expect(prelude.follow(shareData(40))).toBe('active');
});
