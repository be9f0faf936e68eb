import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutputBuffer, TAIL_BYTES } from '@gatehouse/tunnel/shells/output-buffer';
import { Timeline } from '@gatehouse/tunnel/shells/timeline';
import { expect, onTestFinished, test, vi } from 'vitest';
import { freshTerminal, play, screenOf } from '../../../testing/sessions/screens/same-screen.ts';
import { silentLog } from '../../platform/std/log.ts';
import type { PastOutput } from '../past-output.ts';
import { type ScreenSource, screenSource } from './screen-source.ts';
import { createSessionScreens, PIECE_BYTES, type SessionScreensDeps } from './session-screens.ts';

const SIZE = { cols: 40, rows: 6 };

/** A thread that one of the sessions makes turn in a circle. */
const HANGS = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (request) => {
      if (request === 'close') return parentPort.close();
      if (request.type !== 'play') return;
      while (request.sid === 'evil');
      parentPort.postMessage({ id: request.id, rows: { cols: 80, rows: 24, ansi: 'drawn', cursor: { column: 0, row: 0 } } });
    });
  `)}`,
);

function screensOf(deps: Partial<SessionScreensDeps> = {}) {
  const screens = createSessionScreens({ log: silentLog, ...deps });
  onTestFinished(() => screens.close());
  return screens;
}

/** A session of which only the last is held, as after the recorder, if there is one, has stored it. */
function session({ isRecorded, sid = 's' }: { isRecorded: boolean; sid?: string }) {
  const held = new OutputBuffer();
  const timeline = new Timeline({ ...SIZE, echo: true });
  const stored: PastOutput[] = [];
  async function* past(from: number) {
    for (const piece of stored) if (piece.offset + piece.bytes.length > from) yield piece;
  }
  const source = screenSource({
    sid,
    held: () => held,
    timeline: () => timeline,
    past: () => (isRecorded ? { past } : undefined),
  });
  const owner = freshTerminal(SIZE.cols, SIZE.rows);
  return {
    source,
    held,
    async print(text: string) {
      const bytes = Buffer.from(text);
      stored.push({ offset: held.end, bytes, size: source.size });
      held.append(bytes);
      held.keep(held.end);
      await play(owner, bytes);
    },
    resize(size: typeof SIZE) {
      timeline.change(held.end, size);
      owner.resize(size.cols, size.rows);
    },
    owner,
  };
}

async function expectSeen(
  screens: ReturnType<typeof screensOf>,
  { source, owner }: ReturnType<typeof session>,
): Promise<void> {
  const picture = await screens.picture(source);
  expect(picture?.offset).toBe(source.end);
  const watcher = freshTerminal(picture?.cols ?? 0, picture?.rows ?? 0);
  await play(watcher, picture?.ansi ?? '');
  expect(screenOf(watcher)).toEqual(screenOf(owner));
}

/** Resolves when somebody has had all of it once. */
function wholeReadingOf(source: ScreenSource): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const read = source.read.bind(source);
  vi.spyOn(source, 'read').mockImplementation(async function* (from) {
    yield* read(from);
    resolve();
  });
  return promise;
}

/** Drawn once, and then only where something changes, as `top` does. */
const HEADER = '\x1b[?1049h\x1b[1;1HHEADER\x1b[4;5r\x1b[?25l';
const CHANGE = (turn: number) => `\x1b[5;1H${turn} ${'.'.repeat(30)}\r\n`.repeat(200);

test.each([true, false])(
  'what was drawn long before anybody came is on their screen (recorded: %s)',
  async (isRecorded) => {
    const screens = screensOf();
    const shell = session({ isRecorded });
    await shell.print(HEADER);
    for (let turn = 0; shell.held.end < 3 * TAIL_BYTES; turn += 1) {
      await shell.print(CHANGE(turn));
      if (turn % 10 === 0) {
        screens.printed(shell.source);
        // In time, as a program that changes a few rows does.
        if (shell.source.end > TAIL_BYTES / 3) await screens.rows(shell.source);
      }
    }
    expect(shell.held.start).toBeGreaterThan(TAIL_BYTES);

    await expectSeen(screens, shell);
  },
);

test('what a recording has is played from its beginning, at the sizes it was printed at', async () => {
  const screens = screensOf();
  const shell = session({ isRecorded: true });
  await shell.print(HEADER);
  for (let turn = 0; shell.held.end < 2 * TAIL_BYTES; turn += 1) await shell.print(CHANGE(turn));
  shell.resize({ cols: 60, rows: 9 });
  await shell.print('\x1b[8;50Hthere');
  shell.resize({ cols: 50, rows: 12 });

  await expectSeen(screens, shell);
  await shell.print('\x1b[?1049lback');
  await expectSeen(screens, shell);
});

test('much that is printed is played behind it without being asked for', async () => {
  const screens = screensOf();
  const shell = session({ isRecorded: false });
  await shell.print(HEADER);
  for (let turn = 0; shell.held.end < 150_000; turn += 1) await shell.print(CHANGE(turn));
  const played = wholeReadingOf(shell.source);
  screens.printed(shell.source);
  await played;
  // By now what was printed first is forgotten.
  for (let turn = 0; shell.held.end < TAIL_BYTES + 200_000; turn += 1) await shell.print(CHANGE(turn));
  expect(shell.held.start).toBeGreaterThan(HEADER.length);

  await expectSeen(screens, shell);
});

test('a session on whose output the thread hangs is not drawn any more, and the others are again', async () => {
  const warn = vi.fn();
  const screens = screensOf({ log: { ...silentLog, warn }, silenceMs: 300, worker: HANGS });
  const [evil, good] = [session({ isRecorded: false, sid: 'evil' }), session({ isRecorded: false, sid: 'good' })];

  expect(await screens.rows(evil.source)).toBeUndefined();
  expect(await screens.rows(good.source)).toMatchObject({ ansi: 'drawn' });
  expect(await screens.rows(evil.source)).toBeUndefined();

  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[0]).toEqual({ sessionId: 'evil' });
});

/** A thread that breaks the first time it draws anything, and whenever it draws 'evil', as one without memory does. */
const BREAKS = (mark: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`
    import { existsSync, writeFileSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', (request) => {
      if (request === 'close') return parentPort.close();
      if (request.type !== 'play') return;
      const isFirst = !existsSync(${JSON.stringify(mark)});
      writeFileSync(${JSON.stringify(mark)}, '');
      if (isFirst || request.sid === 'evil') throw new Error('no memory');
      parentPort.postMessage({ id: request.id, rows: { cols: 80, rows: 24, ansi: 'drawn', cursor: { column: 0, row: 0 } } });
    });
  `)}`,
  );

test('who is drawn when the thread breaks is tried once more, and given up when it breaks again', async () => {
  const warn = vi.fn();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-screens-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const screens = screensOf({ log: { ...silentLog, warn }, worker: BREAKS(join(folder, 'broke')) });
  const [evil, good] = [session({ isRecorded: false, sid: 'evil' }), session({ isRecorded: false, sid: 'good' })];

  expect(await screens.rows(good.source)).toBeUndefined();
  expect(await screens.rows(good.source)).toMatchObject({ ansi: 'drawn' });
  expect(warn).not.toHaveBeenCalled();
  for (let turn = 0; turn < 3; turn += 1) expect(await screens.rows(evil.source)).toBeUndefined();

  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]?.[0]).toEqual({ sessionId: 'evil' });
});

/** Answers everything, with how much it was given at once. */
const MEASURES = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads';
    let most = 0;
    parentPort.on('message', (request) => {
      if (request === 'close') return parentPort.close();
      if (request.type !== 'play') return;
      most = Math.max(most, request.parts.reduce((sum, { bytes }) => sum + bytes.length, 0));
      parentPort.postMessage({ id: request.id, rows: { cols: 80, rows: 24, ansi: String(most), cursor: { column: 0, row: 0 } } });
    });
  `)}`,
);

test('the thread is given little of one session at a time, so that others have their turn', async () => {
  const screens = screensOf({ worker: MEASURES });
  const evil = session({ isRecorded: true });
  await evil.print('x'.repeat(1024 * 1024));

  const rows = await screens.rows(evil.source);

  expect(Number(rows?.ansi)).toBe(PIECE_BYTES);
});
