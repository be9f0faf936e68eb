/** A desktop by VNC that is drawn from its recording: as a client draws it, bit for bit, wherever its pieces end. */
import { createHash } from 'node:crypto';
import { type VncPart, vncInit, vncUpdate } from '@gatehouse/testkit/desktop/vnc-host';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { VncScreen } from '../../../../testing/desktop/vnc-screen.ts';
import { RfbPicture } from './rfb-picture.ts';

const GREETING = Buffer.concat([
  Buffer.from('RFB 003.008\n'),
  Buffer.of(1, 1),
  Buffer.alloc(4),
  vncInit(64, 48, 'desk'),
]);
const noise = (length: number) => Buffer.from(Array.from({ length }, (_, at) => (at * 37 + (at >> 3)) & 0xff));
const part = (encoding: number, x: number, y: number, width: number, height: number, body: Buffer) => ({
  ...{ encoding, x, y, width, height, body },
});
const u16 = (...values: readonly number[]) => Buffer.concat(values.map((value) => Buffer.of(value >> 8, value & 0xff)));

const RAW = part(0, 0, 0, 64, 48, noise(64 * 48 * 4));
const RRE = part(2, 8, 4, 20, 10, Buffer.concat([Buffer.of(0, 0, 0, 1, 1, 2, 3, 4, 9, 8, 7, 6), u16(2, 3, 5, 4)]));
const TILES = Buffer.concat([
  // A background with a part of the foreground and nothing more; the same colours once more; points; parts with colours of their own.
  Buffer.of(2 | 4 | 8, 10, 20, 30, 0, 40, 50, 60, 0, 1, 0x11, 0x22),
  Buffer.of(8, 1, 0x00, 0x33),
  Buffer.concat([Buffer.of(1), noise(8 * 16 * 4)]),
  Buffer.of(8 | 16, 1, 70, 80, 90, 0, 0x02, 0x10),
  Buffer.of(0),
  Buffer.of(0),
]);
const HEXTILE = part(5, 10, 20, 40, 20, TILES);
const DOWN = part(1, 4, 6, 30, 30, u16(2, 3));
const UP = part(1, 0, 0, 30, 30, u16(5, 7));
const POINTER = part(-239, 1, 1, 9, 2, Buffer.alloc(9 * 2 * 4 + 2 * 2));
const LAST = part(-224, 0, 0, 0, 0, Buffer.alloc(0));
const uncounted = (...parts: readonly VncPart[]) => {
  const update = vncUpdate(...parts);
  update.writeUInt16BE(0xffff, 2);
  return update;
};
const DRAWN = [vncUpdate(RAW), Buffer.of(2), vncUpdate(RRE, HEXTILE, POINTER), uncounted(DOWN, UP, LAST)];

const hashOf = async (pieces: readonly Buffer[]) => {
  const picture = new RfbPicture();
  await picture.feed(pieces);
  const { width, height, bytes } = picture.look({ as: 'raw' });
  return createHash('sha256').update(`${width}x${height}`).update(bytes).digest('hex');
};

test('every form is drawn as a client draws it, wherever the pieces end', async () => {
  const whole = Buffer.concat([GREETING, ...DRAWN]);
  const screen = new VncScreen(() => {});
  screen.hear(whole);

  expect(await hashOf([whole])).toBe(screen.hash());
  for (const length of [1, 7, 100])
    expect(
      await hashOf(
        Array.from({ length: Math.ceil(whole.length / length) }, (_, at) =>
          whole.subarray(at * length, (at + 1) * length),
        ),
      ),
    ).toBe(screen.hash());
});

test('another size keeps what was seen, and a small picture of it is had', async () => {
  const picture = new RfbPicture();
  await picture.feed([GREETING, vncUpdate(RAW), vncUpdate(part(-223, 0, 0, 100, 20, Buffer.alloc(0)))]);
  const { width, height, bytes, draws } = picture.look({ as: 'raw' });
  expect([width, height, draws]).toEqual([100, 20, 1]);
  expect([...bytes.subarray(4 * (100 * 5 + 3), 4 * (100 * 5 + 3) + 3)]).toEqual([
    ...RAW.body.subarray(4 * (64 * 5 + 3), 4 * (64 * 5 + 3) + 3),
  ]);
  const small = PNG.sync.read(Buffer.from(picture.look({ as: 'png', maxWidth: 50 }).bytes));
  expect([small.width, small.height]).toEqual([50, 10]);
});

test.each([
  ['outside', vncUpdate(part(0, 60, 0, 5, 1, Buffer.alloc(20)))],
  ['copied from outside', vncUpdate(part(1, 0, 0, 30, 30, u16(40, 0)))],
  ['in another form', vncUpdate(part(16, 0, 0, 1, 1, Buffer.alloc(4)))],
  ['larger than any screen', vncUpdate(part(-223, 0, 0, 65_535, 65_535, Buffer.alloc(0)))],
  ['no message', Buffer.of(3)],
])('what is drawn %s is refused', async (_what, bytes) => {
  await expect(new RfbPicture().feed([GREETING, bytes])).rejects.toThrow();
});

test('what draws over all of a large desktop again and again ends soon', async () => {
  const large = Buffer.concat([GREETING.subarray(0, 18), vncInit(8_000, 4_500, 'desk')]);
  const copies = Array.from({ length: 10_000 }, () => part(1, 0, 0, 8_000, 4_500, u16(0, 0)));
  await expect(new RfbPicture().feed([large, vncUpdate(...copies)])).rejects.toThrow('without end');
});
