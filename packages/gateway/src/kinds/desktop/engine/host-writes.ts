/** What is sent to a host, as far as it reads it. One that reads nothing is gone: what waits for it lies in memory, and small messages take there far more than they are long. */
import type { Duplex } from 'node:stream';

const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
/** A minute of the most that may be typed. */
const MAX_UNSENT_MESSAGES = 100_000;

export class HostWrites {
  readonly #stream: Duplex;
  readonly #onStuck: (message: string) => void;
  #unsent = 0;

  constructor(stream: Duplex, onStuck: (message: string) => void) {
    this.#stream = stream;
    this.#onStuck = onStuck;
  }

  write(bytes: Buffer): void {
    this.#unsent += 1;
    this.#stream.write(bytes, this.#sent);
    if (this.#stream.writableLength > MAX_UNSENT_BYTES || this.#unsent > MAX_UNSENT_MESSAGES)
      this.#onStuck('the host no longer reads what it is sent');
  }

  readonly #sent = (): void => {
    this.#unsent -= 1;
  };
}
