import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  buildRecording,
  type Happening,
  recordingPieces,
} from '../../../../testing/recordings/playback/build-recording.ts';
import { ordinaryWork, seededRandom } from '../../../../testing/recordings/playback/ordinary-work.ts';
import { playedScreens, randomTimes } from '../../../../testing/recordings/playback/played-screens.ts';
import { testSigner } from '../../../../testing/recordings/test-signer.ts';
import type { RecordingSource } from '../stores/recording-store.ts';
import { indexRecording } from './index-recording.ts';
import { linesOf } from './line-blocks.ts';
import type { SeenLine } from './line-collector.ts';
import { decodeIndex, encodeIndex, type RecordingIndex } from './recording-index.ts';
import { screenAt } from './screen-at.ts';
import { ScreenPlayer } from './screen-player.ts';

const signer = testSigner();

function sourceOf(bytes: Buffer): RecordingSource {
  return {
    bytes: bytes.length,
    read: async (from, length) => bytes.subarray(from, from + length),
    close: async () => {},
  };
}

async function indexed(bytes: Buffer, options: { running?: boolean; previous?: RecordingIndex } = {}) {
  let index: RecordingIndex | undefined;
  const blocks: string[] = [];
  await indexRecording({
    source: sourceOf(bytes),
    previous: options.previous,
    running: options.running ?? false,
    async onCheckpoint(made, fresh) {
      index = made;
      blocks.push(...fresh);
    },
  });
  return { index: index as RecordingIndex, blocks, lines: blocks.flatMap(linesOf) };
}

test('a screen found by seeking is the screen of playing from the start, at any time', async () => {
  // Some keyframes, as far apart as in any recording: a longer one has more of them, and what lies between two is the same.
  const happenings = [...ordinaryWork({ seed: 7, durationMs: 1_440_000, bytes: 1_600_000 })];
  const bytes = buildRecording({ sid: randomUUID() }, happenings, signer);
  const { index } = await indexed(bytes);
  expect(index.keyframes.length).toBeGreaterThan(4);
  const times = randomTimes(seededRandom(3), 60, index.durationMs);
  for await (const { ms, ansi } of playedScreens(happenings, times)) {
    const { screen, exact } = await screenAt({ source: sourceOf(bytes), index, ms, use: 'play' });
    expect({ at: ms, exact, ansi: screen.ansi }).toEqual({ at: ms, exact: true, ansi });
  }
});

test('an index made in several goes is the index made in one', async () => {
  const happenings = [...ordinaryWork({ seed: 12, durationMs: 900_000, bytes: 1_200_000 })];
  const pieces = [...recordingPieces({ sid: randomUUID() }, happenings, signer)];
  const whole = await indexed(Buffer.concat(pieces));
  const lines: SeenLine[] = [];
  let previous: RecordingIndex | undefined;
  for (const share of [0.2, 0.21, 0.5, 0.9, 1]) {
    const part = Buffer.concat(pieces.slice(0, Math.ceil(pieces.length * share)));
    const made = await indexed(part, { running: share < 1, ...(previous ? { previous } : {}) });
    // As it lies beside the recording in between.
    previous = decodeIndex(encodeIndex(made.index ?? (previous as RecordingIndex)));
    lines.push(...made.lines);
  }

  expect(previous).toMatchObject({ complete: true, durationMs: whole.index.durationMs, last: whole.index.last });
  expect(previous?.activity).toEqual(whole.index.activity);
  expect(previous?.markers).toEqual(whole.index.markers);
  const texts = (all: readonly SeenLine[]) => new Set(all.map(({ text }) => text));
  // What is being typed when a run ends is told as it stands then.
  const told = texts(lines);
  const missed = [...texts(whole.lines)].filter((text) => !told.has(text));
  expect(missed.length / whole.lines.length).toBeLessThan(0.02);
  expect(lines.length).toBe(told.size);
  const index = previous as RecordingIndex;
  for await (const { ms, ansi } of playedScreens(happenings, randomTimes(seededRandom(8), 20, 900_000))) {
    const { screen } = await screenAt({ source: sourceOf(Buffer.concat(pieces)), index, ms, use: 'play' });
    expect({ at: ms, ansi: screen.ansi }).toEqual({ at: ms, ansi });
  }
});

test('statements are told line by line without a terminal, and their screen is the one a terminal would show', async () => {
  const texts = Array.from(
    { length: 400 },
    (_, n) => `select ${n}${n % 7 === 0 ? `, '${'wide '.repeat(n % 60)}'` : ''} -- \x1b[2J\r\nfrom t${n}`,
  );
  const happenings = texts.map((text, n): Happening => ({ ms: n * 500, type: 'asked', n, text }));
  const pieces = [...recordingPieces({ sid: randomUUID(), kind: 'db' }, happenings, signer)];
  // The same of a kind with a terminal is drawn by one.
  const drawn = await indexed(buildRecording({ sid: randomUUID() }, happenings, signer));
  const whole = await indexed(Buffer.concat(pieces));
  const rowsOf = async ({ cols, rows, ansi }: RecordingIndex['last']) => {
    const player = new ScreenPlayer({ cols, rows }, 0);
    player.write(Buffer.from(ansi));
    await player.drained();
    const shown = Array.from({ length: rows }, (_, row) => player.row(row)?.text);
    player.dispose();
    return shown;
  };

  expect(drawn.index.statements).toBe(undefined);
  expect(whole.index.statements).toBe(true);
  expect(await rowsOf(whole.index.last)).toEqual(await rowsOf(drawn.index.last));
  expect(whole.index.last.ansi).not.toContain('\x1b');
  expect(whole.lines).toEqual(drawn.lines);
  expect(whole.index.activity).toEqual(drawn.index.activity);
  expect(whole.index.durationMs).toBe(drawn.index.durationMs);

  const half = await indexed(Buffer.concat(pieces.slice(0, pieces.length / 2)), { running: true });
  const previous = decodeIndex(encodeIndex(half.index)) as RecordingIndex;
  const rest = await indexed(Buffer.concat(pieces), { previous });
  expect(rest.index.last).toEqual(whole.index.last);
  expect([...half.lines, ...rest.lines]).toEqual(whole.lines);
});

test('what would keep a terminal busy for ever, or have it answer, is passed over', async () => {
  const hostile = [
    'a\x1b[2000000000b',
    '\x1b[2000000000L\x1b[2000000000S\x1b[2000000000T\x1b[2000000000M',
    '\x1b[c\x1b[6n\x1b]52;c;AAAA\x07\x1b]0;title\x07\x1bP$qm\x1b\\',
    `\x1b]8;;http://evil.example/\x07link\x1b]8;;\x07`,
    '\x1b['.repeat(2_000),
    '\ufffd\u202e\u0000\x9b5n\x1b#8',
    `\x1b]133;B\x07\x1b]133;C\x07${'\x1b]0;'.repeat(500)}`,
  ];
  const happenings: Happening[] = [
    { ms: 0, type: 'size', cols: 65_535, rows: 65_535 },
    ...hostile.map(
      (text, index): Happening => ({ ms: index * 100, type: 'output', text: `${text}\r\nstill here ${index}\r\n` }),
    ),
    { ms: 2_000, type: 'size', cols: 0, rows: 0 },
    { ms: 3_000, type: 'size', cols: 80, rows: 24 },
    { ms: 4_000, type: 'output', text: '\x18\x1bc\x1b[mfine again\r\n' },
  ];
  const from = performance.now();
  const { index, lines } = await indexed(buildRecording({ sid: randomUUID() }, happenings, signer));

  expect(performance.now() - from).toBeLessThan(20_000);
  expect(lines.map(({ text }) => text)).toContain('fine again');
  expect(index.last.ansi).not.toMatch(/52;c|evil|title/);
});

test.each([
  ['lines inserted', '\x1b[60L'],
  ['lines scrolled', '\x1b[5000S'],
  ['letters E', '\x1b#8'],
  ['columns shifted', '\x1b[2 @'],
  ['resets', '\x1bc'],
])('after 63 KB of %s, a recording is indexed to its end', async (_, unit) => {
  const happenings: Happening[] = [
    { ms: 0, type: 'size', cols: 500, rows: 200 },
    { ms: 100, type: 'output', text: 'before it\r\n' },
    { ms: 200, type: 'output', text: unit.repeat(Math.floor((63 * 1024) / unit.length)) },
    {
      ms: 1_000,
      type: 'output',
      text: '\x1b[K\x1b]133;A\x07$ \x1b]133;B\x07uptime\r\n\x1b]133;C\x07\x1b[Kafter it\r\n',
    },
    { ms: 2_000, type: 'end', cause: 'closed', message: 'done' },
  ];

  const { index, lines } = await indexed(buildRecording({ sid: randomUUID() }, happenings, signer));

  expect(lines.map(({ text }) => text)).toContain('after it');
  expect(index.complete).toBe(true);
  expect(index.markers).toContainEqual(expect.objectContaining({ type: 'command', text: 'uptime' }));
});
