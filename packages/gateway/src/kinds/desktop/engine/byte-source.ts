/** Takes bytes from a stream in the amounts that a protocol names, for the time before they are only passed on. */
import type { Duplex } from 'node:stream';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { DesktopFailure, type DesktopStep } from './desktop-link.ts';

/** Above that the stream waits until somebody takes. */
const HIGH_WATER_BYTES = 64 * 1024;

const SILENT =
  'look at the machine: something takes connections at that address and says nothing, as where it hangs or another service listens there';

interface Waiting {
  count: number;
  resolve: (bytes: Buffer) => void;
  reject: (error: Error) => void;
}

export class ByteSource {
  readonly #stream: Duplex;
  readonly #signal: AbortSignal;
  /** What it is during which the host may go: said of it then. */
  readonly #step: DesktopStep;
  #held: Buffer[] = [];
  #size = 0;
  #waiting: Waiting | undefined;
  #over: Error | undefined;

  constructor(stream: Duplex, step: DesktopStep, signal: AbortSignal) {
    this.#stream = stream;
    this.#step = step;
    this.#signal = signal;
    stream.on('data', this.#arrived);
    stream.on('end', this.#ended);
    stream.on('close', this.#ended);
    stream.on('error', this.#failed);
    // Stays: between two owners, a stream that fails would otherwise end the process.
    stream.on('error', () => {});
    // It may be over before anybody listens.
    if (stream.readableEnded || stream.destroyed) this.#ended();
  }

  /** Nothing is allocated before it has come: the count may be what a stranger says. */
  take(count: number): Promise<Buffer> {
    if (this.#size >= count) return Promise.resolve(this.#cut(count));
    if (this.#over) return Promise.reject(this.#over);
    this.#stream.resume();
    return new Promise((resolve, reject) => {
      const heard = whenAborted(this.#signal, () => {
        this.#waiting = undefined;
        reject(new DesktopFailure(this.#step, 'gone', 'the host does not answer in time', { next: SILENT }));
      });
      if (this.#signal.aborted) return;
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
    this.#stream.off('error', this.#failed);
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

  readonly #ended = (): void => this.#failed(new DesktopFailure(this.#step, 'gone', 'the host closed the connection'));

  readonly #failed = (error: Error): void => {
    this.#over ??=
      error instanceof DesktopFailure
        ? error
        : new DesktopFailure(this.#step, 'gone', 'the connection to the host was lost', { cause: error });
    this.#waiting?.reject(this.#over);
  };

  #cut(count: number): Buffer {
    const [first] = this.#held;
    const bytes = first && first.length === this.#size ? first : Buffer.concat(this.#held, this.#size);
    const rest = bytes.subarray(count);
    this.#held = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    return bytes.subarray(0, count);
  }
}
