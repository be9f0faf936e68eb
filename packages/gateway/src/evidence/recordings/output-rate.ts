/** Tells when much is printed, over all sessions of one gateway: then what can wait does, so that nobody's keys wait behind it. */

/** In a second. More than people read, less than a program that prints without end. */
const MUCH_BYTES = 2 * 1024 * 1024;
const WINDOW_MS = 1_000;

export class OutputRate {
  readonly #now: () => number;
  #from = Number.NEGATIVE_INFINITY;
  #bytes = 0;
  #seen = Number.NEGATIVE_INFINITY;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  printed(bytes: number): void {
    const now = this.#now();
    if (now - this.#from > WINDOW_MS) {
      this.#from = now;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    if (this.#bytes >= MUCH_BYTES) this.#seen = now;
  }

  get isOn(): boolean {
    return this.#now() - this.#seen < WINDOW_MS;
  }

  /** Resolves when it is over, or after so long. */
  async over(mostMs: number, isGivenUp: () => boolean): Promise<void> {
    const ends = this.#now() + mostMs;
    while (this.isOn && this.#now() < ends && !isGivenUp())
      await new Promise((resolve) => setTimeout(resolve, 100).unref());
  }
}
