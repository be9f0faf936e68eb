/** RemoteFX that is drawn beside a client: what of it the client still hears, and that nothing a host says breaks it. The pictures themselves are compared in take-shots.thorough.test.ts, and with what a client alone draws in desktop-sessions.integration.test.ts. */
import { RemoteFxPainter } from '@gatehouse/contract/kinds/desktop/remotefx/painter';
import type { Rectangle } from '@gatehouse/contract/kinds/desktop/remotefx/rectangles';
import { expect, test } from 'vitest';
import { recordedPdus } from '../../../../testing/desktop/recorded-pdus.ts';
import { fastPdu } from '../rdp-marks.ts';

const BITMAP = 1;
const SURFACE = 4;
const MARKER_BYTES = 14;
const SIZE = { width: 800, height: 600 };

/** A surface, and a client that only remembers what it was told. */
function beside() {
  const points = new Uint8ClampedArray(SIZE.width * SIZE.height * 4);
  const told: Buffer[] = [];
  const shown: Rectangle[] = [];
  const painter = new RemoteFxPainter({
    surface: {
      ...SIZE,
      paint(sheet, part) {
        shown.push(part);
        for (let row = part.top; row < part.top + part.height; row += 1) {
          const from = (row * SIZE.width + part.left) * 4;
          points.set(sheet.subarray(from, from + part.width * 4), from);
        }
      },
      read({ left, top, width, height }) {
        const read = new Uint8ClampedArray(width * height * 4);
        for (let row = 0; row < height; row += 1) {
          const from = ((top + row) * SIZE.width + left) * 4;
          read.set(points.subarray(from, from + width * 4), row * width * 4);
        }
        return read;
      },
    },
    push: (pdu) => void told.push(Buffer.from(pdu)),
    turn: async () => {},
  });
  const hear = async (...pdus: Buffer[]) => {
    told.length = 0;
    shown.length = 0;
    for (const pdu of pdus) painter.push(pdu);
    await painter.settled();
    return { told: [...told], shown: [...shown] };
  };
  return { hear, points };
}

const recorded = recordedPdus().pdus.map(({ bytes }) => bytes);
const firstFrame = recorded.findIndex((pdu) => pdu[0] === 0 && pdu.length > MARKER_BYTES && pdu[3] === SURFACE);
/** With headers, the next ones without. */
const opening = recorded.slice(0, firstFrame + 1);
const next = recorded.slice(firstFrame + 2);
const [marker, first, last] = next.filter((pdu) => (pdu[3] as number) % 16 === SURFACE) as [Buffer, Buffer, Buffer];

const kindOf = (pdu: Buffer) => (pdu[3] as number) & 15;

test('what begins a stream is the client\u2019s, and each frame after it is drawn without the client', async () => {
  const { hear } = beside();
  const begun = await hear(...opening);
  expect(begun.told).toEqual(opening);
  expect(begun.shown).toEqual([]);

  const frame = await hear(marker, first, last, recorded[recorded.indexOf(last) + 1] as Buffer);
  expect([marker.length, first.length + last.length]).toEqual([MARKER_BYTES, 25_639]);
  // One piece for each part that changed, and of it all the client hears the end of the frame alone, which it acknowledges.
  expect(frame.shown).toEqual([{ left: 40, top: 60, width: 760, height: 497 }]);
  expect(frame.told.map((pdu) => pdu.length)).toEqual([MARKER_BYTES]);
});

test('the point that a client shows with the end of each frame is told to it', async () => {
  const { hear, points } = beside();
  await hear(...opening);
  // The same frame once more, with headers that the client knows.
  const frame = Buffer.from(opening.at(-1) as Buffer);
  const { told, shown } = await hear(frame);
  expect(shown).toEqual([{ left: 0, top: 0, ...SIZE }]);
  expect(told.map(kindOf)).toEqual([BITMAP]);
  const [red, green, blue] = points;
  expect([...(told[0]?.subarray(-4) ?? [])]).toEqual([blue, green, red, 0]);
});

/** Bitmaps side by side in one update: a client shows all that lies between them. */
function bitmaps(count: number): Buffer {
  const pdu = fastPdu(BITMAP, 4 + count * 22);
  pdu.writeUInt16LE(BITMAP, 6);
  pdu.writeUInt16LE(count, 8);
  for (let at = 0; at < count; at += 1) {
    const fields = [at * 8, 0, at * 8, 0, 1, 1, 32, 0, 4, 0, 0];
    for (const [number, value] of fields.entries()) pdu.writeUInt16LE(value, 10 + at * 22 + 2 * number);
  }
  return pdu;
}

test('before a client shows more than it is told, it learns what was drawn without it', async () => {
  const { hear, points } = beside();
  await hear(...opening);
  await hear(first, last);
  const one = bitmaps(1);
  expect((await hear(one)).told).toEqual([one]);

  const several = bitmaps(2);
  const { told } = await hear(several);
  expect(told.at(-1)).toEqual(several);
  const before = told.slice(0, -1);
  // Of 760 by 497 points: 12 columns and 8 rows of tiles.
  expect(before.map(kindOf)).toEqual(new Array(96).fill(BITMAP));
  const corner = before[0] as Buffer;
  expect([corner.readUInt16LE(10), corner.readUInt16LE(12)]).toEqual([40, 60]);
  // Rows are told from the bottom, blue first.
  const at = ((60 + 63) * SIZE.width + 40) * 4;
  expect([...corner.subarray(28, 31)]).toEqual([points[at + 2], points[at + 1], points[at]]);
  expect((await hear(several)).told).toEqual([several]);
});

test('a desktop that is described anew has none of what was agreed before', async () => {
  const { hear } = beside();
  await hear(...opening);
  const demand = recorded.find((pdu) => pdu.length === 425) as Buffer;
  const { told, shown } = await hear(demand, first, last);
  expect(told).toEqual([demand, first, last]);
  expect(shown).toEqual([]);
});

test('what is no frame of any host goes to the client as it came, wherever it is cut and whatever is changed in it', async () => {
  const { hear } = beside();
  await hear(...opening);
  const whole = next.find((pdu) => pdu.length === 893) as Buffer;
  const body = whole.length - 6;
  for (let cut = 0; cut < body; cut += cut < 150 ? 1 : 9) {
    const pdu = fastPdu(SURFACE, cut);
    whole.copy(pdu, 6, 6, 6 + cut);
    const { told, shown } = await hear(pdu);
    expect([shown.length, told.at(-1)]).toEqual([0, pdu]);
  }
  for (let at = 6; at < whole.length; at += at < 150 ? 1 : 9)
    for (const value of [0, 0xff]) {
      const pdu = Buffer.from(whole);
      pdu[at] = value;
      const { told, shown } = await hear(pdu);
      // Either it is drawn, inside of the surface, or it is the client's.
      if (shown.length === 0 && told.length > 0) expect(told.at(-1)).toEqual(pdu);
      for (const { left, top, width, height } of shown)
        expect([left >= 0, top >= 0, left + width <= 800, top + height <= 600]).toEqual([true, true, true, true]);
    }
});

test('an update in parts that goes on without end is the client\u2019s, and little of it is kept', async () => {
  const { hear } = beside();
  await hear(...opening);
  const part = Buffer.from(first);
  const { told } = await hear(
    part,
    ...new Array(5_000).fill(Buffer.of(0, 7, 0x34, 1, 0, 9)).map((pdu) => Buffer.from(pdu)),
  );
  expect(told.length).toBeGreaterThan(4_000);
  expect(told[0]).toEqual(part);
});

const u16 = (...values: readonly number[]) => Buffer.from(Uint16Array.from(values).buffer);
const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const block = (type: number, ...body: readonly Buffer[]) => {
  const bytes = Buffer.concat(body);
  return Buffer.concat([u16(type), u32(bytes.length + 6), bytes]);
};

/** A frame whose parts are all of the screen, and whose tiles all lie in its corner. */
function cornerAgain({ parts, tiles }: { parts: number; tiles: number }): Buffer {
  const packed = Buffer.alloc(3);
  const tile = block(0xcac3, Buffer.alloc(3), u16(0, 0), u16(1, 1, 1), packed);
  const quant = Buffer.alloc(5, 0x66);
  const frame = Buffer.concat([
    block(0xccc4, u32(0), u32(1), u16(1)),
    block(
      0xccc6,
      Buffer.of(1, 0, 1),
      u16(parts),
      ...new Array(parts).fill(u16(0, 0, SIZE.width, SIZE.height)),
      u16(0xcac1, 1),
    ),
    block(
      0xccc7,
      Buffer.of(1, 0),
      u16(0xcac2, 0, 0x5151),
      Buffer.of(1, 64),
      u16(tiles),
      u32(tile.length * tiles),
      quant,
      ...new Array(tiles).fill(tile),
    ),
    block(0xccc5, Buffer.of(1, 0)),
  ]);
  const pdu = fastPdu(SURFACE, 22 + frame.length);
  u16(1, 0, 0, SIZE.width, SIZE.height).copy(pdu, 6);
  Buffer.of(32, 0, 0, 3).copy(pdu, 16);
  u16(SIZE.width, SIZE.height).copy(pdu, 20);
  u32(frame.length).copy(pdu, 24);
  frame.copy(pdu, 28);
  return pdu;
}

test('a frame that draws the same points over and over is the client\u2019s: a megabyte of one would take a minute', async () => {
  const { hear } = beside();
  await hear(...opening);
  const sound = await hear(cornerAgain({ parts: 1, tiles: 1 }));
  expect(sound.shown).toEqual([{ left: 0, top: 0, width: 64, height: 64 }]);
  expect(sound.told.map(kindOf)).toEqual([BITMAP]);
  for (const [parts, tiles] of [
    [256, 3],
    [1, 620],
  ] as const) {
    const pdu = cornerAgain({ parts, tiles });
    const { told, shown } = await hear(pdu);
    expect([shown, told.at(-1)]).toEqual([[], pdu]);
  }
});
