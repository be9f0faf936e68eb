/** What a session printed, from its recording on: for who comes when the holder of the shell has forgotten it. */

import type { RecordingSource } from '../stores/recording-store.ts';
import { holds, ITEMS } from './frames.ts';
import { readItems } from './read-recording.ts';
import { type FoundFrame, walkFrames } from './walk-frames.ts';

export interface PastOutput {
  /** Later than where the one before ended, where output was never recorded. */
  offset: number;
  bytes: Buffer;
  /** Of the terminal; undefined while the recording has not told. */
  size: { cols: number; rows: number } | undefined;
}

/** As far as it was on disk when it is read. */
export async function* readOutput(source: RecordingSource, from: number): AsyncGenerator<PastOutput> {
  let size: PastOutput['size'];
  let sized: FoundFrame | undefined;
  for await (const frame of walkFrames(source)) {
    if (frame.type !== 'frame') continue;
    if (frame.to <= from) {
      if (holds(frame, ITEMS.size)) sized = frame;
      continue;
    }
    if (sized) size = (await readItems(source, sized)).findLast((item) => item.type === 'size') ?? size;
    sized = undefined;
    let offset = frame.from;
    for (const item of await readItems(source, frame)) {
      if (item.type === 'size') size = { cols: item.cols, rows: item.rows };
      if (item.type === 'gap') offset = item.to;
      if (item.type !== 'output') continue;
      const bytes = item.bytes.subarray(Math.max(0, from - offset));
      if (bytes.length > 0) yield { offset: Math.max(from, offset), bytes, size };
      offset += item.bytes.length;
    }
  }
}
