/** What is left out of what a host has drawn: that it looks the same without it, and what has to stay. */
import { RemoteFxPainter } from '@gatehouse/contract/kinds/desktop/remotefx/painter';
import { expect, test } from 'vitest';
import { recordedPdus } from '../../../testing/desktop/recorded-pdus.ts';
import { withoutOverdrawn } from './newest-frames.ts';

const SIZE = { width: 800, height: 600 };
const SURFACE = 4;
const FIRST = 2;

const recorded = recordedPdus().pdus.map(({ bytes }) => bytes);
/** Before the size changes: with headers at first, in one PDU or in several, beside other things. */
const drawn = recorded.slice(
  0,
  recorded.findLastIndex((pdu) => pdu.length === 425),
);
const firstFrame = drawn.findIndex((pdu) => pdu[0] === 0 && pdu.length > 14 && pdu[3] === SURFACE);
const opening = drawn.slice(0, firstFrame + 2);
const later = drawn.slice(firstFrame + 2);

async function pictureOf(pdus: readonly Buffer[]): Promise<Buffer> {
  const points = Buffer.alloc(SIZE.width * SIZE.height * 4);
  const painter = new RemoteFxPainter({
    surface: {
      ...SIZE,
      paint(sheet, part) {
        for (let row = part.top; row < part.top + part.height; row += 1) {
          const from = (row * SIZE.width + part.left) * 4;
          points.set(sheet.subarray(from, from + part.width * 4), from);
        }
      },
      read: ({ width, height }) => new Uint8ClampedArray(width * height * 4),
    },
    push: () => {},
    turn: async () => {},
  });
  for (const pdu of pdus) painter.push(pdu);
  await painter.settled();
  return points;
}

const isPicture = (pdu: Buffer) => pdu[0] === 0 && (pdu[3] as number) % 16 === SURFACE;
const bytesOf = (pdus: readonly Buffer[]) => pdus.reduce((sum, { length }) => sum + length, 0);
const twice = [...opening, ...later, ...later];

test('what was drawn over is left out, and the picture is the same', async () => {
  const kept = withoutOverdrawn(twice);
  // Of frames that are drawn over in part, the tiles that are seen.
  expect(bytesOf(kept.filter(isPicture))).toBeLessThan(bytesOf([...opening, ...later].filter(isPicture)));
  expect((await pictureOf(kept)).equals(await pictureOf(twice))).toBe(true);
});

test('it is the same where one looks in the middle, even between the parts of an update', async () => {
  const part = later.findIndex((pdu) => isPicture(pdu) && (pdu[3] as number) >> 4 === FIRST);
  expect(part).toBeGreaterThan(0);
  for (const at of [part, part + 1, part + 2]) {
    const came = [...twice, ...later.slice(0, at)];
    const kept = withoutOverdrawn(came);
    expect(kept.length).toBeLessThan(came.length);
    const rest = later.slice(at, at + 3);
    expect((await pictureOf([...kept, ...rest])).equals(await pictureOf([...came, ...rest])), `${at}`).toBe(true);
  }
});

test('the first frame stays with its headers, and so does all that is no frame', () => {
  const others = twice.filter((pdu) => !isPicture(pdu));
  const kept = withoutOverdrawn(twice);
  expect(kept.slice(0, opening.length)).toEqual(opening);
  expect(kept.filter((pdu) => !isPicture(pdu))).toEqual(others);
});

test('headers that are told again keep no frame, and other ones do', () => {
  const first = opening.find((pdu) => isPicture(pdu) && pdu.length > 14) as Buffer;
  expect(withoutOverdrawn([first, first, first])).toHaveLength(2);
  const other = Buffer.from(first);
  // Of the version that they tell.
  other[6 + 22 + 10] = 7;
  expect(withoutOverdrawn([first, other, first])).toHaveLength(3);
});

test('a frame goes with what tells of its beginning and its end', () => {
  const [begins, ends] = [0, 1].map((which) => later.find((pdu) => pdu.length === 14 && pdu[8] === which)) as Buffer[];
  const frame = later.find((pdu) => pdu.length === 893) as Buffer;
  const one = [begins as Buffer, frame, ends as Buffer];
  expect(withoutOverdrawn([...one, ...one, ...one])).toEqual(one);
});

test('what cannot be read for certain stays, wherever it is cut and whatever is changed in it', () => {
  const frame = later.find((pdu) => pdu.length === 893) as Buffer;
  for (let at = 3; at < frame.length; at += at < 150 ? 1 : 9)
    for (const value of [0, 0xff]) {
      const other = Buffer.from(frame);
      other[at] = value;
      for (const pdu of [other, frame.subarray(0, at)])
        expect(withoutOverdrawn([pdu, frame]).slice(-1)).toEqual([frame]);
    }
});
