/** Pieces of a recorded desktop: each begins where a client can, none is lost, and what is damaged ends them. */
import { readRecordedPiece } from '@gatehouse/contract/recordings/recorded-piece';
import { expect, test } from 'vitest';
import { recordDesktop } from '../../../../testing/desktop/record-desktop.ts';
import { sourceOf } from '../../../../testing/recordings/make-recording.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';
import { demandedSize } from '../../../sessions/desktop/rdp-marks.ts';
import { ITEMS, type Item } from '../format/frames.ts';
import { encodePiece, readPicturePiece, segmentBefore } from './picture-piece.ts';
import { BEGINNING } from './read-piece.ts';

const file = await recordDesktop(testSigner());
const source = sourceOf(file);

async function playFrom(ms: number): Promise<Item[]> {
  const items: Item[] = [];
  let from = await segmentBefore(source, ms);
  for (;;) {
    const piece = await readPicturePiece(source, from);
    items.push(...piece.items);
    if (piece.atEnd) return items;
    from = piece.next;
  }
}

test('a seek begins with the handshake of the size that is wanted', async () => {
  const whole = await playFrom(0);
  expect(whole[0]).toMatchObject({ type: ITEMS.segment, ms: 0 });
  expect(whole.at(-1)).toMatchObject({ type: ITEMS.end });
  const begins = whole.filter(({ type }) => type === ITEMS.segment);
  expect(begins).toHaveLength(2);
  const secondMs = begins[1]?.ms ?? 0;
  const late = await playFrom(secondMs + 1_000);
  expect(late).toEqual(whole.slice(whole.indexOf(begins[1] as Item)));
  expect(demandedSize(late.filter(({ type }) => type === ITEMS.output)[7]?.bytes ?? Buffer.alloc(0))).toEqual({
    width: 1024,
    height: 640,
  });
  expect(await playFrom(secondMs - 1)).toEqual(whole);
  expect(await segmentBefore(sourceOf(Buffer.alloc(0)), 5)).toEqual(BEGINNING);
});

test('a piece is read again as it was, and what is damaged says so', async () => {
  const { items } = await readPicturePiece(source, BEGINNING);
  const bytes = new Uint8Array(encodePiece({ live: false, next: 'more' }, items)).buffer;
  const read = readRecordedPiece(bytes, (text) => Buffer.from(text).toString());
  expect(read.head).toEqual({ live: false, next: 'more' });
  expect(read.items.map(({ type, ms, bytes: each }) => ({ type, ms, bytes: Buffer.from(each) }))).toEqual(items);
  expect(() =>
    readRecordedPiece(bytes.slice(0, bytes.byteLength - 3), (text) => Buffer.from(text).toString()),
  ).toThrow();

  const changed = Buffer.from(file);
  changed.fill(0xff, file.length - 2_000, file.length - 1_900);
  expect(await readPicturePiece(sourceOf(changed), BEGINNING)).toMatchObject({ atEnd: true, isDamaged: true });
});

test('who waits for a time is sent what leads there, and little of what follows', async () => {
  const bytesOf = (items: readonly Item[]) => items.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const long = sourceOf(await recordDesktop(testSigner(), undefined, { everyMs: 1_000, untilMs: 60_000 }));
  const whole = await readPicturePiece(long, BEGINNING);
  expect(bytesOf(whole.items)).toBeGreaterThan(300_000);
  for (const ms of [1_000, 8_000, 15_000]) {
    const piece = await readPicturePiece(long, BEGINNING, ms);
    const led = whole.items.findIndex((item) => item.ms > ms);
    expect(piece.items).toEqual(whole.items.slice(0, piece.items.length));
    expect(piece.items.length).toBeGreaterThan(led);
    // One more may be over what fits.
    expect(bytesOf(piece.items.slice(led, -1))).toBeLessThan(64 * 1024);
    // Nothing is lost of what follows.
    const next = await readPicturePiece(long, piece.next);
    expect(next.items[0]).toEqual(whole.items[piece.items.length]);
  }
});
