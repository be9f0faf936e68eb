/** Tells the host that its pictures were drawn, where no page does: a host that waits for that would draw no more. */

/** So long a page may take. */
const PATIENCE_MS = 2_000;

export class FrameAcks {
  readonly #send: (frame: number) => void;
  #newest: number | undefined;
  /** The newest when the waiting began: whoever only tells of older ones has drawn nothing since. */
  #awaited = 0;
  #timer: NodeJS.Timeout | undefined;
  /** No page has told for too long: each is told at once, until one does again. */
  #isAlone = false;

  constructor(send: (frame: number) => void) {
    this.#send = send;
  }

  /** The host has drawn it. */
  drawn(frame: number): void {
    if (this.#isAlone) {
      this.#send(frame);
      return;
    }
    this.#newest = frame;
    if (!this.#timer) this.#wait(frame);
  }

  /** A page has told. */
  told(frame: number): void {
    const newest = this.#newest;
    // Numbers begin anew after four billion.
    if (newest !== undefined && ((frame - this.#awaited) | 0) < 0) return;
    this.#isAlone = false;
    this.#stop();
    if (newest !== undefined && frame !== newest) this.#wait(newest);
    else this.#newest = undefined;
  }

  #wait(frame: number): void {
    this.#awaited = frame;
    this.#timer = setTimeout(this.#late, PATIENCE_MS).unref();
  }

  close(): void {
    this.#stop();
    this.#newest = undefined;
    this.#isAlone = false;
  }

  readonly #late = (): void => {
    this.#stop();
    if (this.#newest === undefined) return;
    this.#isAlone = true;
    this.#send(this.#newest);
  };

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
