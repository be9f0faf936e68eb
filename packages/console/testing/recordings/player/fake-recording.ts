/** A recording, a clock and a screen for tests: pieces of a few items, time that passes when told, text instead of pixels. */
import type { PlayedItem, RecordedScreen } from '@gatehouse/contract/recordings/recordings';
import type { ChunkSource, Clock, PlayedChunk } from '../../../src/evidence/recordings/engine/piece-reader.ts';
import type { PlaybackScreen } from '../../../src/evidence/recordings/engine/playback.ts';

export const output = (ms: number, text: string): PlayedItem => ({ type: 'output', ms, data: btoa(text) });

interface FakeOptions {
  perPiece?: number;
  keyframeMs?: number;
  live?: boolean;
}

/** Cuts into pieces as the gateway does, with a screen drawn for each time asked for. */
export function fakeRecording(given: readonly PlayedItem[], options: FakeOptions = {}) {
  const { perPiece = 4, keyframeMs = 10_000 } = options;
  const items = [...given];
  const asked: string[] = [];
  const recording = {
    items,
    asked,
    live: options.live ?? false,
    failing: 0,
    delayed: undefined as Promise<void> | undefined,
    /** As the gateway answers at once. */
    pieceFor: (seek: string | null, next: string | null) =>
      next === null ? opening(Number(seek)) : piece(Number(next)),
    source: {
      async seek(ms, signal) {
        await answer(`seek ${ms}`, signal);
        return opening(ms);
      },
      async next(key, signal) {
        await answer(`next ${key}`, signal);
        return piece(Number(key));
      },
    } satisfies ChunkSource,
  };
  function opening(ms: number): PlayedChunk {
    const key = Math.floor(ms / keyframeMs) * keyframeMs;
    const later = items.findIndex((item) => item.ms > key);
    const from = later === -1 ? items.length : later;
    const screen: RecordedScreen = { ms: key, cols: 80, rows: 24, ansi: textOf(items.slice(0, from)) };
    return { screen, ...piece(from) };
  }
  async function answer(name: string, signal: AbortSignal): Promise<void> {
    asked.push(name);
    await recording.delayed;
    signal.throwIfAborted();
    if (recording.failing === 0) return;
    recording.failing -= 1;
    throw new TypeError('Failed to fetch');
  }
  function piece(from: number): PlayedChunk {
    const end = Math.min(from + perPiece, items.length);
    const isMore = end < items.length || recording.live;
    return { items: items.slice(from, end), ...(isMore ? { next: String(end) } : {}), live: recording.live };
  }
  return recording;
}

function textOf(items: readonly PlayedItem[]): string {
  return items.map((item) => (item.type === 'output' ? atob(item.data) : '')).join('');
}

export function fakeClock() {
  let now = 1_000_000;
  let waiting: { at: number; callback: () => void }[] = [];
  const later = (callback: () => void, ms: number) => {
    const entry = { at: now + ms, callback };
    waiting.push(entry);
    return () => {
      waiting = waiting.filter((each) => each !== entry);
    };
  };
  const clock: Clock = { now: () => now, later, soon: (callback) => later(callback, 16) };
  return {
    clock,
    /** Lets time pass, and whatever was promised come about. */
    async pass(ms: number) {
      const end = now + ms;
      for (;;) {
        await settle();
        const [next] = waiting.toSorted((a, b) => a.at - b.at);
        if (!next || next.at > end) break;
        waiting = waiting.filter((each) => each !== next);
        now = Math.max(now, next.at);
        next.callback();
      }
      now = end;
      await settle();
    },
  };
}

export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

export function fakeScreen() {
  const shown = { text: '', size: '', drawn: 0, mostUndrawn: 0, isSlow: false };
  let undrawn: { length: number; done: () => void }[] = [];
  const screen: PlaybackScreen = {
    draw(drawn) {
      shown.text = drawn?.ansi ?? '';
      shown.size = drawn ? `${drawn.cols}x${drawn.rows}` : '';
      shown.drawn += 1;
    },
    write(data, done) {
      shown.text += typeof data === 'string' ? atob(data) : new TextDecoder().decode(data);
      if (!shown.isSlow) return done();
      undrawn.push({ length: data.length, done });
      const sum = undrawn.reduce((all, { length }) => all + length, 0);
      shown.mostUndrawn = Math.max(shown.mostUndrawn, sum);
    },
    settle: (done) => (shown.isSlow ? void undrawn.push({ length: 0, done }) : done()),
    resize(cols, rows) {
      shown.size = `${cols}x${rows}`;
    },
  };
  const drain = () => {
    const drawn = undrawn;
    undrawn = [];
    for (const { done } of drawn) done();
  };
  return { screen, shown, drain };
}
