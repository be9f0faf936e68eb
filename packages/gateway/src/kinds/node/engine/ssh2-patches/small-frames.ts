/**
 * Counts frames that no window of bytes holds back. People who type and programs that come and go make some dozens a second;
 * an agent that sends thousands would keep every other session of the gateway waiting.
 */
const MAX_AT_ONCE = 2_000;
const PER_SECOND = 500;

/** An agent does what the rules of shell-frames.ts forbid. */
export class Breach extends Error {
  override name = 'Breach';
}

export class SmallFrames {
  readonly #now: () => number;
  #left = MAX_AT_ONCE;
  #filledAt: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#filledAt = now();
  }

  /** Throws when there were too many. */
  count(): void {
    this.#left -= 1;
    if (this.#left >= 0) return;
    const now = this.#now();
    this.#left = Math.min(MAX_AT_ONCE, Math.floor(((now - this.#filledAt) / 1_000) * PER_SECOND)) - 1;
    if (this.#left < 0) throw new Breach('it sends more small frames than a terminal could need');
    this.#filledAt = now;
  }
}
