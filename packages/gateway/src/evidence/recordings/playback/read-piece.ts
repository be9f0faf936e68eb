/** A bounded piece of a recording for the player, and the key by which it asks for the next. */

import type { PlayedItem } from '@gatehouse/contract/recordings/recordings';
import { z } from 'zod';
import { readPageKey, writePageKey } from '../../../platform/std/page-key.ts';
import { readAhead } from '../format/read-ahead.ts';
import { type RecordedItem, readItems } from '../format/read-recording.ts';
import { walkFrames } from '../format/walk-frames.ts';
import type { ItemPosition } from '../index/screen-at.ts';
import type { RecordingSource } from '../stores/recording-store.ts';

/** Of what was recorded; as base64 in JSON it is a third more. Seconds of a quiet session are small, and each costs a call to be read. */
const PIECE = { bytes: 256 * 1024, frames: 400 };
/** Somebody waits for the first one after a seek, and watches it for longer than the second takes. */
export const FIRST_PIECE = { bytes: 64 * 1024, frames: 60 };
const PIECE_ITEMS = 5_000;
/** What a statement takes beside its text. */
const ITEM_BYTES = 48;
const READ_BYTES = 256 * 1024;

export interface PlayedChunk {
  items: PlayedItem[];
  next: ItemPosition;
  /** Nothing follows that can be read now. */
  atEnd: boolean;
}

export const BEGINNING: ItemPosition = { at: 0, items: 0, bytes: 0 };

export async function readPiece(source: RecordingSource, from: ItemPosition, most = PIECE): Promise<PlayedChunk> {
  const ahead = readAhead(source, READ_BYTES);
  const walk = walkFrames(ahead, from.at);
  const items: PlayedItem[] = [];
  let next = from;
  let room = most.bytes;
  for (let frames = 0; frames < most.frames; frames += 1) {
    const step = await walk.next();
    if (step.done) {
      if (step.value.found !== 'foreign') return { items, next, atEnd: true };
      // A damaged file breaks off somewhere; so does, for whoever made a key up, any place that begins no frame.
      return { items: [...items, damaged(items)], next, atEnd: true };
    }
    const frame = step.value;
    if (frame.type === 'frame') {
      const read = await readItems(ahead, frame).catch(() => undefined);
      if (!read) return { items: [...items, damaged(items, frame.startMs)], next, atEnd: true };
      const start = frame.at === from.at ? from : { at: frame.at, items: 0, bytes: 0 };
      for (let number = start.items; number < read.length; number += 1) {
        const item = read[number] as RecordedItem;
        const skip = number === start.items ? start.bytes : 0;
        const taken = toPlayed(item, skip, room);
        if (taken) items.push(taken.item);
        room -= taken?.bytes ?? 0;
        const isWhole = !taken || taken.whole;
        next = isWhole
          ? { at: frame.at, items: number + 1, bytes: 0 }
          : { at: frame.at, items: number, bytes: skip + (taken?.bytes ?? 0) };
        if (room <= 0 || items.length >= PIECE_ITEMS) return { items, next, atEnd: false };
      }
    }
    next = { at: frame.at + frame.length, items: 0, bytes: 0 };
  }
  return { items, next, atEnd: false };
}

const key = z.tuple([z.number().int().min(0), z.number().int().min(0), z.number().int().min(0)]);

export function pieceKey({ at, items, bytes }: ItemPosition): string {
  return writePageKey([at, items, bytes]);
}

export function readPieceKey(given: string): ItemPosition {
  const [at, items, bytes] = readPageKey(key, given, 'key for what follows');
  return { at, items, bytes };
}

/** The last thing that is shown of a damaged recording. */
export function damaged(items: readonly PlayedItem[], ms = items.at(-1)?.ms ?? 0): PlayedItem {
  return { type: 'end', ms, text: 'from here on the recording is damaged' };
}

/** Undefined for what a player has no use for. */
function toPlayed(
  item: RecordedItem,
  skip: number,
  room: number,
): { item: PlayedItem; bytes: number; whole: boolean } | undefined {
  const { ms } = item;
  const whole = (played: PlayedItem) => ({ item: played, bytes: 0, whole: true });
  switch (item.type) {
    case 'facts':
    // Players of desktops ask for items as they are.
    case 'pointer':
    case 'segment':
    case 'note':
      return undefined;
    case 'output':
    case 'input': {
      const bytes = item.bytes.subarray(skip, skip + room);
      const data = bytes.toString('base64');
      return {
        item: { type: item.type, ms, data },
        bytes: bytes.length,
        whole: skip + bytes.length >= item.bytes.length,
      };
    }
    case 'size':
      return whole({ type: 'size', ms, cols: item.cols, rows: item.rows });
    case 'join':
    case 'leave':
      return whole({ type: item.type, ms, user: item.user, mode: item.mode });
    case 'gap':
      return whole({ type: 'gap', ms, bytes: item.to - item.from });
    case 'end':
      return whole({ type: 'end', ms, text: item.message || item.cause });
    case 'asked':
    case 'sample':
    case 'answered': {
      const played = toStatementItem(item);
      return { item: played, bytes: sizeOf(played), whole: true };
    }
    default:
      return item satisfies never;
  }
}

type StatementItem = Extract<PlayedItem, { type: 'asked' | 'answered' | 'sample' }>;

function toStatementItem(item: Extract<RecordedItem, { type: 'asked' | 'answered' | 'sample' }>): StatementItem {
  if (item.type !== 'answered') return item;
  const { ms, outcome } = item;
  const { ms: took, error, ...rest } = outcome;
  return { type: 'answered', ms, took, ...rest, ...(error === undefined ? {} : { error }) };
}

/** About what it takes as JSON; a statement is never cut in two. */
function sizeOf(item: StatementItem): number {
  if (item.type === 'asked') return ITEM_BYTES + item.text.length;
  if (item.type === 'answered') return ITEM_BYTES + (item.error?.length ?? 0);
  return ITEM_BYTES + item.rows.reduce((sum, row) => row.reduce((all, cell) => all + (cell?.length ?? 0), sum), 0);
}
