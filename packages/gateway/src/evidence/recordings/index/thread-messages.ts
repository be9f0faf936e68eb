/**
 * What the gateway and a thread that plays recordings say to each other. The thread has no way to recordings of its own: it
 * asks for their bytes, so that a folder and a bucket are the same to it.
 *
 *   gateway → thread   job       index or screen of one recording
 *   thread → gateway   read      bytes of the recording
 *   gateway → thread   bytes
 *   thread → gateway   checkpoint, for an index; the gateway keeps it and answers `kept`
 *   thread → gateway   done or failed
 */
import type { StoredBlock } from './line-blocks.ts';
import type { ScreenAnswer } from './screen-at.ts';

export interface IndexJob {
  type: 'index';
  /** As it lies beside the recording. */
  previous: Uint8Array | undefined;
  running: boolean;
}

export interface ScreenJob {
  type: 'screen';
  /** The last keyframe before the time; undefined: from the beginning. */
  keyframe: { at: number; ms: number; cols: number; rows: number; packed: Uint8Array } | undefined;
  ms: number;
  use: 'look' | 'play';
}

export type Job = IndexJob | ScreenJob;

export interface Checkpoint {
  /** The file to keep. */
  file: Uint8Array;
  /** Blocks of lines that are new since the last, the first of which has this number. */
  fresh: StoredBlock[];
  firstBlock: number;
  at: number;
  blocks: number;
  complete: boolean;
  linesComplete: boolean;
  durationMs: number;
}

export interface JobResults {
  index: undefined;
  screen: ScreenAnswer;
}

export type ToThread =
  | { type: 'job'; id: number; job: Job; bytes: number }
  | { type: 'bytes'; call: number; bytes: Uint8Array }
  | { type: 'lost'; call: number; error: string }
  | { type: 'kept'; id: number }
  | 'close';

export type FromThread =
  | { type: 'read'; id: number; call: number; from: number; length: number }
  | { type: 'checkpoint'; id: number; checkpoint: Checkpoint }
  | { type: 'done'; id: number; result: unknown }
  | { type: 'failed'; id: number; error: string };
