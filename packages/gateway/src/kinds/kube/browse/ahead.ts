/** How far data may run ahead of a page: each frame is numbered, and the page says which it has taken. */
import { whenAborted } from '@gatehouse/contract/std/when-aborted';

interface Sent {
  seq: number;
  bytes: number;
}

export class Ahead {
  readonly #maxBytes: number;
  #sent: Sent[] = [];
  #bytes = 0;
  #next = 0;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The number of the frame that is sent next. One that is longer than all that may be ahead is sent alone. */
  get seq(): number {
    return this.#next;
  }

  /** Waits until something may be sent again. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#bytes >= this.#maxBytes) {
      signal.throwIfAborted();
      this.#waiting ??= Promise.withResolvers<void>();
      const woken = this.#waiting;
      const forget = whenAborted(signal, woken.resolve);
      await woken.promise;
      forget();
      if (this.#waiting === woken) this.#waiting = undefined;
    }
    signal.throwIfAborted();
  }

  sent(bytes: number): void {
    this.#sent.push({ seq: this.#next, bytes });
    this.#next += 1;
    this.#bytes += bytes;
  }

  /** A page that says more than is true only hears less waiting: nothing is counted twice. */
  taken(seq: number): void {
    const left = this.#sent.filter((each) => each.seq > seq);
    this.#sent = left;
    this.#bytes = left.reduce((sum, each) => sum + each.bytes, 0);
    if (this.#bytes < this.#maxBytes) this.#waiting?.resolve();
  }
}
