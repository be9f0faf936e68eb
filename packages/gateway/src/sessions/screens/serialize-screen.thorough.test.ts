import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { randomOutput, seeded } from '../../../testing/sessions/screens/random-output.ts';
import { freshTerminal, play, screenOf } from '../../../testing/sessions/screens/same-screen.ts';
import { SessionScreen } from './session-screen.ts';

const STREAMS = join(import.meta.dirname, '../../../testing/sessions/screens/streams');
const recorded = readdirSync(STREAMS).map((file) => {
  const [name = '', size = ''] = file.split('.');
  const [cols = 80, rows = 24] = size.split('x').map(Number);
  return { name, cols, rows, bytes: gunzipSync(readFileSync(join(STREAMS, file))) };
});

interface Stream {
  cols: number;
  rows: number;
  bytes: Buffer;
}

/**
 * Who comes after each of the cuts sees what somebody sees who was there, then and after everything else; `resized` in between. All of
 * it is played once for who was there, and for each who comes late what they have not seen.
 */
async function expectSame(
  { cols, rows, bytes }: Stream,
  cuts: readonly number[],
  resized?: { cols: number; rows: number },
): Promise<void> {
  const screen = new SessionScreen({ cols, rows }, 100);
  const owner = freshTerminal(cols, rows);
  const ends: { cut: number; seen: object }[] = [];
  let played = 0;
  for (const cut of cuts.toSorted((a, b) => a - b)) {
    const piece = bytes.subarray(played, cut);
    played = cut;
    await screen.write(piece);
    await play(owner, piece);
    if (resized) {
      screen.resize(resized);
      owner.resize(resized.cols, resized.rows);
    }
    const picture = screen.picture();
    if (!picture) throw new Error('there is no picture');
    const watcher = freshTerminal(picture.cols, picture.rows);
    await play(watcher, picture.ansi);
    expect(screenOf(watcher), `at ${cut}`).toEqual(screenOf(owner));
    await play(watcher, bytes.subarray(cut - picture.open));
    ends.push({ cut, seen: screenOf(watcher) });
    watcher.dispose();
  }
  await play(owner, bytes.subarray(played));
  const atTheEnd = screenOf(owner);
  for (const { cut, seen } of ends) expect(seen, `from ${cut} to the end`).toEqual(atTheEnd);
  screen.dispose();
  owner.dispose();
}

test.each(recorded)('who comes late to $name sees its screen, cell by cell, and goes on from it', async (stream) => {
  const next = seeded(7);
  const cuts = Array.from({ length: 40 }, () => Math.floor(next() * stream.bytes.length));
  await expectSame(stream, [0, ...cuts, stream.bytes.length]);
});

test.each(recorded)('who comes late to $name after its size has changed sees its screen', async (stream) => {
  const next = seeded(11);
  for (let turn = 0; turn < 10; turn += 1) {
    const size = { cols: 20 + Math.floor(next() * 150), rows: 5 + Math.floor(next() * 50) };
    await expectSame(stream, [Math.floor(next() * stream.bytes.length)], size);
  }
});

test('whatever a program prints, who comes late sees the same screen and goes on from it', async () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const next = seeded(seed);
    const size = { cols: 4 + Math.floor(next() * 40), rows: 2 + Math.floor(next() * 12) };
    const bytes = Buffer.from(randomOutput(next, size, 200));
    const cuts = [next(), next(), 1].map((share) => beforeJoined(bytes, Math.floor(bytes.length * share)));
    await expectSame({ ...size, bytes }, cuts).catch((error: unknown) => {
      throw new Error(`seed ${seed}: ${String(error)}`, { cause: error });
    });
  }
});

/** Between a letter and what joins it, with another character set or inserting, the letter cannot be drawn once more. */
function beforeJoined(bytes: Buffer, cut: number): number {
  const joins = bytes[cut] === 0xcc || bytes.subarray(cut, cut + 3).equals(Buffer.from('\u200b'));
  return joins ? cut - 1 : cut;
}

test.each([
  ['joins the last letter', 'caf\x1b[31me', '\u0301!'],
  ['repeats the last letter', 'ab', '\x1b[5b'],
  ['wraps after the last column', 'x'.repeat(20), 'y'],
  ['begins in the middle of a sequence', 'a\x1b[3', '1mb'],
  ['begins in the middle of a long string', `a\x1b]52;c;${'A'.repeat(9_000)}`, `${'B'.repeat(50)}\x07b`],
  ['goes back to the other screen', 'one\r\n\x1b[?1049h\x1b[2;3Htwo', '\x1b[?1049l three'],
  ['scrolls within a region', '\x1b[2;3r\x1b[?6h\x1b[2;1Ha', '\r\nb\r\nc'],
  ['draws with lines', '\x1b(0lqq', 'k\x1b(B ok'],
  ['underlines in its own way', '\x1b[4:3;58:5:3mwave\x1b[21;58:2::1:2:3mtwo', 'x\x1b[0m plain'],
  ['uses tab stops of its own', '\x1b[3g\x1b[4G\x1bH\r', '\tx'],
])('what comes next %s for who came late', async (_, before, after) => {
  const bytes = Buffer.from(before + after);
  await expectSame({ cols: 20, rows: 4, bytes }, [Buffer.byteLength(before)]);
});
