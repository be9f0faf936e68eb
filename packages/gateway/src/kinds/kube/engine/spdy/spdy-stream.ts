/** One stream of a SPDY connection, as bytes in both directions that end apart. */
import { Duplex } from 'node:stream';
import type { SpdyHeaders } from './header-blocks.ts';
import { SpdyError } from './spdy-error.ts';

type Done = (error?: Error | null) => void;

/** What a stream asks of the connection it is in. */
export interface StreamCarrier {
  /** `done`: there is room for more. */
  send(stream: SpdyStream, bytes: Buffer, done: Done): void;
  finish(stream: SpdyStream): void;
  /** Its reader wants more. */
  resumed(stream: SpdyStream): void;
  /** `isCut`: before both sides were through. */
  gone(stream: SpdyStream, isCut: boolean): void;
}

export class SpdyStream extends Duplex {
  readonly id: number;
  /** Those it was opened with, by whichever side. */
  readonly headers: SpdyHeaders;
  readonly #carrier: StreamCarrier;
  readonly #opened = Promise.withResolvers<void>();
  /** Go drops data that comes before its reply, without a word: ours waits. */
  #isOpen: boolean;
  #waiting: (() => void) | undefined;
  #hasEnded = false;
  #wasReset = false;

  constructor(carrier: StreamCarrier, id: number, headers: SpdyHeaders, isOpen: boolean) {
    super({ allowHalfOpen: true });
    this.#carrier = carrier;
    this.id = id;
    this.headers = headers;
    this.#isOpen = isOpen;
    if (isOpen) this.#opened.resolve();
    // Whoever does not wait for it learns of its end by the stream.
    this.#opened.promise.catch(() => {});
    // The end of one is told by `close`; nobody has to listen for more.
    this.on('error', () => {});
  }

  /** The other side has taken it. Rejects when it does not. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  /** The other side has cut it: what it sent before still comes, and nothing more goes there. */
  get wasReset(): boolean {
    return this.#wasReset;
  }

  /** The other side has said its last. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** For the connection: the other side has answered. */
  replied(): void {
    this.#isOpen = true;
    this.#opened.resolve();
    this.#release();
  }

  /** For the connection. False: its reader has enough for now. */
  came(bytes: Buffer): boolean {
    return this.destroyed || bytes.length === 0 || this.push(bytes);
  }

  /** For the connection: nothing more comes. */
  ended(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    if (!this.destroyed) this.push(null);
  }

  /**
   * For the connection: cut by the other side, or with it. What came before is not lost: kubelets cut what they are through
   * with. `reset` says that more was to come.
   */
  cut(reason: string): void {
    const isShort = !this.#hasEnded;
    this.#wasReset = true;
    this.#opened.reject(new SpdyError(reason));
    this.ended();
    if (isShort) this.emit('reset');
    this.#release();
  }

  override _read(): void {
    this.#carrier.resumed(this);
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: Done): void {
    this.#whenOpen(() => {
      if (this.#wasReset || this.destroyed) done();
      else this.#carrier.send(this, bytes, done);
    });
  }

  override _final(done: Done): void {
    this.#whenOpen(() => {
      if (!this.#wasReset && !this.destroyed) this.#carrier.finish(this);
      done();
    });
  }

  override _destroy(error: Error | null, done: Done): void {
    const isCut = !this.#wasReset && !(this.#hasEnded && this.writableFinished);
    this.#opened.reject(error ?? new SpdyError('the stream was closed'));
    this.#carrier.gone(this, isCut);
    this.#release();
    done(error);
  }

  #whenOpen(go: () => void): void {
    if (this.#isOpen || this.#wasReset) go();
    else this.#waiting = go;
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.();
  }
}
