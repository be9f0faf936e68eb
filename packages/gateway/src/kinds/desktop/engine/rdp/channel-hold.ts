/** Keeps messages of channels back from a side that reads nothing but the share: while the two agree anew on a size. */

/** Two of the longest messages of the clipboard, and what is small beside. */
const MAX_HELD_BYTES = 4 * 1024 * 1024;
/** With more than that here, whoever can wait does. */
const MANY_BYTES = 1024 * 1024;

export class ChannelHold {
  #held: Buffer[] = [];
  #bytes = 0;
  #waiting: (() => void)[] = [];

  push(pdu: Buffer): void {
    // Only who says megabytes while nothing is drawn misses an answer.
    if (this.#bytes + pdu.length > MAX_HELD_BYTES) return;
    this.#bytes += pdu.length;
    this.#held.push(pdu);
  }

  /** In their order; from now on it holds none of them. */
  take(): readonly Buffer[] {
    const held = this.#held;
    this.#held = [];
    this.#bytes = 0;
    for (const go of this.#waiting.splice(0)) go();
    return held;
  }

  /** Undefined: little waits. */
  taken(): Promise<void> | undefined {
    if (this.#bytes < MANY_BYTES) return undefined;
    return new Promise((resolve) => void this.#waiting.push(resolve));
  }
}
