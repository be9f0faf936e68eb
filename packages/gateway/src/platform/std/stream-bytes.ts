/** Takes bytes from a stream in the amounts that a protocol names, for the time before they are only passed on. */
import type { Duplex } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';

/** Above that the stream waits until somebody takes. */
const HIGH_WATER_BYTES = 64 * 1024;

/** What it is called that nothing more comes. */
export interface StreamFailures {
  closed(): Error;
  silent(): Error;
  /** Absent: the stream's own error. */
  lost?(error: Error): Error;
}

interface Waiting {
  count: number;
  resolve: (bytes: Buffer) => void;
  reject: (error: Error) => void;
}

export class StreamBytes {
  readonly #stream: Duplex;
  readonly #failures: StreamFailures;
  #held: Buffer[] = [];
  #size = 0;
  #waiting: Waiting | undefined;
  #over: Error | undefined;

  constructor(stream: Duplex, failures: StreamFailures) {
    this.#stream = stream;
    this.#failures = failures;
    stream.on('data', this.#arrived);
    stream.on('end', this.#ended);
    stream.on('close', this.#ended);
    stream.on('error', this.#lost);
    // Stays: between two owners, a stream that fails would otherwise end the process.
    stream.on('error', () => {});
    // It may be over before anybody listens.
    if (stream.readableEnded || stream.destroyed) this.#ended();
  }

  /** What has come and nobody has taken. */
  get size(): number {
    return this.#size;
  }

  /** Nothing is allocated before it has come: the count may be what a stranger says. */
  take(count: number, signal: AbortSignal): Promise<Buffer> {
    if (this.#size >= count) return Promise.resolve(this.#cut(count));
    if (this.#over) return Promise.reject(this.#over);
    this.#stream.resume();
    return new Promise((resolve, reject) => {
      const heard = whenAborted(signal, () => {
        this.#waiting = undefined;
        reject(this.#failures.silent());
      });
      if (signal.aborted) return;
      const settle = (): void => {
        heard();
        this.#waiting = undefined;
      };
      this.#waiting = {
        count,
        resolve: (bytes) => {
          settle();
          resolve(bytes);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
    });
  }

  /** Lets go of the stream, which is still, and gives back what nobody has taken. */
  release(): Buffer {
    this.#stream.off('data', this.#arrived);
    this.#stream.off('end', this.#ended);
    this.#stream.off('close', this.#ended);
    this.#stream.off('error', this.#lost);
    this.#stream.pause();
    return this.#cut(this.#size);
  }

  readonly #arrived = (piece: Buffer): void => {
    this.#held.push(piece);
    this.#size += piece.length;
    const waiting = this.#waiting;
    if (waiting && this.#size >= waiting.count) waiting.resolve(this.#cut(waiting.count));
    else if (!waiting && this.#size > HIGH_WATER_BYTES) this.#stream.pause();
  };

  readonly #ended = (): void => this.#failed(this.#failures.closed());

  readonly #lost = (error: Error): void => this.#failed(this.#failures.lost?.(error) ?? error);

  #failed(error: Error): void {
    this.#over ??= error;
    this.#waiting?.reject(this.#over);
  }

  #cut(count: number): Buffer {
    const [first] = this.#held;
    const bytes = first && first.length === this.#size ? first : Buffer.concat(this.#held, this.#size);
    const rest = bytes.subarray(count);
    this.#held = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    return bytes.subarray(0, count);
  }
}
