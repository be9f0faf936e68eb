/** Plays recorded output into a terminal at the pace it was printed, or faster, without letting it act. */
import { AS_BEFORE, SafeOutput } from './safe-output.ts';

export interface PlayedOutput {
  ms: number;
  bytes: Uint8Array;
}

export interface PlayOptions {
  /** 2 is twice as fast. */
  speed: number;
  /** Nothing is waited for longer than this. */
  maxIdleMs: number;
  /** What comes before is drawn at once. */
  fromMs: number;
  write(text: string): void;
  /** Resolves false when it should stop. */
  wait(ms: number): Promise<boolean>;
}

/** Gives how long the recording was, as far as it was played. */
export async function playRecording(output: AsyncIterable<PlayedOutput>, options: PlayOptions): Promise<number> {
  const { speed, maxIdleMs, fromMs, write, wait } = options;
  const safe = new SafeOutput();
  let reached = fromMs;
  let last = 0;
  let isTouched = false;
  try {
    for await (const { ms, bytes } of output) {
      last = ms;
      const waitMs = Math.min(ms - reached, maxIdleMs) / speed;
      if (waitMs >= 1 && !(await wait(waitMs))) return last;
      reached = Math.max(reached, ms);
      isTouched = true;
      write(safe.push(bytes));
    }
    return last;
  } finally {
    // Nothing was drawn: there is nothing to put back, and what is no terminal is not given its words.
    if (isTouched) write(AS_BEFORE);
  }
}
