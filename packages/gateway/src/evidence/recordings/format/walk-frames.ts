/** Walks through the frames and seals of a recording by their heads alone, a window of the file at a time. */

import type { RecordingSource } from '../stores/recording-store.ts';
import { decodeHead, type FrameHead, frameLength, HEAD_BYTES } from './frames.ts';

/** Many heads in one read where seconds are small, little read in vain where they are large. */
const WINDOW_BYTES = 64 * 1024;

export interface FoundFrame extends FrameHead {
  /** Where its head begins in the file. */
  at: number;
  /** In the file, head included. */
  length: number;
}

/** Where the whole frames end, and what is there: the end, a piece of a frame, or bytes that are none of ours. */
export interface WalkEnd {
  at: number;
  found: 'end' | 'torn' | 'foreign';
}

export async function* walkFrames(source: RecordingSource, from = 0): AsyncGenerator<FoundFrame, WalkEnd> {
  let window: { at: number; bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) };
  let at = from;
  for (;;) {
    if (at < window.at || at + HEAD_BYTES > window.at + window.bytes.length)
      window = { at, bytes: await source.read(at, WINDOW_BYTES) };
    const bytes = window.bytes.subarray(at - window.at);
    if (bytes.length === 0) return { at, found: 'end' };
    if (bytes.length < HEAD_BYTES) return { at, found: 'torn' };
    const head = decodeHead(bytes);
    // A crash may have left the length of the file and not its bytes.
    if (!head) return { at, found: bytes.subarray(0, HEAD_BYTES).every((byte) => byte === 0) ? 'torn' : 'foreign' };
    const length = frameLength(head);
    const isThere = at + length <= window.at + window.bytes.length || (await reaches(source, at + length));
    if (!isThere) return { at, found: 'torn' };
    yield { ...head, at, length };
    at += length;
  }
}

async function reaches(source: RecordingSource, end: number): Promise<boolean> {
  return end <= source.bytes || (await source.read(end - 1, 1)).length === 1;
}
