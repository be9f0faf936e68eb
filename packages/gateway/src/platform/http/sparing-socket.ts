/** Sends to somebody who may not read: news wait and give way to newer ones, and who leaves too much lying is cut off. */
import type { WebSocket } from 'ws';

/** Beyond this, news wait: whoever is that far behind wants the newest and not each. */
const LITTLE_BYTES = 64 * 1024;
/** Output to a page that draws runs 1 MiB ahead of it; more than this lies there because nobody takes it. */
export const MAX_UNSENT_BYTES = 4 * 1024 * 1024;
const LOOK_EVERY_MS = 100;

type Sent = Pick<WebSocket, 'readyState' | 'OPEN' | 'bufferedAmount' | 'terminate' | 'send'>;

export class SparingSocket {
  readonly #socket: Sent;
  readonly #waiting = new Map<string, () => string | undefined>();
  #timer: NodeJS.Timeout | undefined;

  constructor(socket: Sent) {
    this.#socket = socket;
  }

  /** In order with everything else that is sent like this. */
  send(data: string | Uint8Array, options: { fin?: boolean; done?: () => void } = {}): void {
    if (!this.#mayAdd(Buffer.byteLength(data))) return;
    const { done, ...how } = options;
    this.#socket.send(data, how, done);
  }

  /** News of which only the latest counts, and of which one is under way at a time, however long a list is: by what they are about. Asked for when they leave; undefined: they are old by then. */
  latest(about: string, text: () => string | undefined): void {
    if (!this.#mayAdd()) return;
    this.#waiting.delete(about);
    this.#waiting.set(about, text);
    this.#tellWaiting();
  }

  #tellWaiting(): void {
    for (const [about, text] of this.#waiting) {
      if (!this.#mayAdd() || this.#socket.bufferedAmount > LITTLE_BYTES) break;
      this.#waiting.delete(about);
      const now = text();
      if (now !== undefined) this.#socket.send(now);
    }
    if (this.#waiting.size === 0 || this.#socket.readyState !== this.#socket.OPEN) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#tellWaiting();
    }, LOOK_EVERY_MS).unref();
  }

  /** Counted before it is added: afterwards it would lie in memory already. */
  #mayAdd(bytes = 0): boolean {
    const { readyState, OPEN, bufferedAmount } = this.#socket;
    if (readyState !== OPEN) return false;
    if (bufferedAmount + bytes <= MAX_UNSENT_BYTES) return true;
    this.#waiting.clear();
    this.#socket.terminate();
    return false;
  }
}
