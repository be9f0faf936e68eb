/** The screen as it was at a time: the keyframe before it, and what was printed since. */

import { readAhead } from '../format/read-ahead.ts';
import { readItems } from '../format/read-recording.ts';
import { walkFrames } from '../format/walk-frames.ts';
import type { RecordingSource } from '../stores/recording-store.ts';
import type { DrawnScreen } from './played-screen.ts';
import { keyframeBefore, type RecordingIndex, unpackScreen } from './recording-index.ts';
import { ScreenPlayer } from './screen-player.ts';

/** Of a recording that is not indexed so far, the screen is made from what came last, and is only nearly right. */
const MAX_BYTES = 4 * 1024 * 1024;
const ROWS_BEFORE = 100;
const BATCH_BYTES = 256 * 1024;

export interface ScreenQuestion {
  source: RecordingSource;
  index: Pick<RecordingIndex, 'keyframes'>;
  ms: number;
  /** To be looked at, or gone on from, with some rows that had scrolled out before. */
  use: 'look' | 'play';
}

/** A place between two items. */
export interface ItemPosition {
  /** Where the frame begins in the file. */
  at: number;
  /** Items of it that come before. */
  items: number;
  /** Bytes of the next item that come before. */
  bytes: number;
}

export interface ScreenAnswer {
  screen: DrawnScreen & { ms: number };
  /** What follows the screen. */
  next: ItemPosition;
  /** False: too much lies between the last keyframe and the time. */
  exact: boolean;
}

export async function screenAt({ source, index, ms, use }: ScreenQuestion): Promise<ScreenAnswer> {
  const key = keyframeBefore(index, ms);
  const player = new ScreenPlayer({ cols: key?.cols ?? 80, rows: key?.rows ?? 24 }, ROWS_BEFORE);
  const ahead = readAhead(source);
  try {
    if (key) player.restore({ cols: key.cols, rows: key.rows, ansi: unpackScreen(key.packed) });
    const start = await startOf(ahead, key?.at ?? 0, ms);
    let next: ItemPosition = { at: start.at, items: 0, bytes: 0 };
    let shownMs = key?.ms ?? 0;
    let waiting = 0;
    frames: for await (const frame of walkFrames(ahead, start.at)) {
      next = { at: frame.at, items: 0, bytes: 0 };
      if (frame.startMs > ms) break;
      if (frame.type === 'frame') {
        const items = await readItems(ahead, frame).catch(() => undefined);
        if (!items) break;
        for (const [number, item] of items.entries()) {
          if (item.ms > ms) {
            next = { at: frame.at, items: number, bytes: 0 };
            break frames;
          }
          shownMs = Math.max(shownMs, item.ms);
          if (item.type === 'size') player.resize(item);
          if (item.type === 'output') player.write(item.bytes);
          if (item.type === 'output') waiting += item.bytes.length;
        }
      }
      next = { at: frame.at + frame.length, items: 0, bytes: 0 };
      if (waiting < BATCH_BYTES) continue;
      await player.drained();
      waiting = 0;
    }
    await player.drained();
    const drawn = use === 'look' ? player.drawPlain() : player.draw(ROWS_BEFORE);
    return { screen: { ...drawn, ms: Math.min(ms, shownMs) }, next, exact: start.exact };
  } finally {
    player.dispose();
  }
}

/** Passes over frames by their heads alone when there are too many to play. */
async function startOf(source: RecordingSource, at: number, ms: number): Promise<{ at: number; exact: boolean }> {
  const recent: { at: number; to: number }[] = [];
  for await (const frame of walkFrames(source, at)) {
    if (frame.startMs > ms) break;
    recent.push({ at: frame.at, to: frame.to });
    while (recent.length > 1 && frame.to - (recent[0]?.to ?? 0) > MAX_BYTES) recent.shift();
  }
  const first = recent[0]?.at ?? at;
  return { at: first, exact: first === at };
}
