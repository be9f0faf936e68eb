/** One stream of a tunnel as a plain Duplex: half-closes, gives back-pressure, and never passes a cut off as an end. */
import { constants, type Http2Stream } from 'node:http2';
import { Duplex } from 'node:stream';
import { TunnelError } from '../tunnel-error.ts';

type Done = (error?: Error | null) => void;

/** What may wait below for HTTP/2 to take it. Node's own 64 KiB would be one round of the event loop for each. */
const WRITE_AHEAD_BYTES = 256 * 1024;

export class TunnelStream extends Duplex {
  readonly #inner: Http2Stream;
  /** Kept here, not read from the stream below: Node ends its writable side by itself when the connection is lost. */
  #readAll = false;
  #wroteAll = false;
  /** Once the last was said. */
  #written: (() => void) | undefined;
  #beforeFirst: (() => void) | undefined;

  /** `beforeFirst`: runs once, before anything is written below. */
  constructor(inner: Http2Stream, beforeFirst?: () => void) {
    super({ allowHalfOpen: true });
    const { session } = inner;
    this.#inner = inner;
    this.#beforeFirst = beforeFirst;
    // Whoever reads, writes or pipes it still sees the error; a stream cut before its owner listened must not end the program.
    this.on('error', () => {});
    // A listener at once: a server stream nobody reads is closed by Node when its answer ends, losing what still comes in.
    inner.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) inner.pause();
    });
    inner.on('end', () => {
      this.#readAll = true;
      this.push(null);
    });
    inner.on('error', () => inner.destroy());
    inner.on('close', () => {
      // Both sides have said their last; Node tells of ours a turn later, as of a write into a stream that is gone.
      if (inner.rstCode === constants.NGHTTP2_NO_ERROR && session?.destroyed === false) this.#written?.();
      if (!this.#isComplete()) this.destroy(new TunnelError('reset', 'the stream was cut before its end'));
    });
  }

  #isComplete(): boolean {
    return this.#readAll && this.#wroteAll;
  }

  override _read(): void {
    this.#inner.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    const inner = this.#inner;
    // A cut stream destroys us, and that fails the write; `done` must not be called for it as well.
    if (inner.destroyed) return;
    this.#begin();
    if (inner.write(chunk) || inner.writableLength < WRITE_AHEAD_BYTES) done();
    else inner.once('drain', done);
  }

  /** What was written together goes below together: each piece, the empty ones by which HTTP/1.1 ends too, would be a turn of its own there. */
  override _writev(chunks: { chunk: Buffer }[], done: Done): void {
    const inner = this.#inner;
    if (inner.destroyed) return;
    this.#begin();
    let isFree = true;
    inner.cork();
    for (const { chunk } of chunks) if (chunk.length > 0) isFree = inner.write(chunk);
    inner.uncork();
    if (isFree || inner.writableLength < WRITE_AHEAD_BYTES) done();
    else inner.once('drain', done);
  }

  override _final(done: Done): void {
    this.#begin();
    this.#written = () => {
      if (this.#wroteAll) return;
      this.#wroteAll = true;
      done();
    };
    this.#inner.end(this.#written);
  }

  #begin(): void {
    this.#beforeFirst?.();
    this.#beforeFirst = undefined;
  }

  override _destroy(error: Error | null, done: Done): void {
    if (!this.#isComplete()) cutStream(this.#inner);
    done(error);
  }
}

/** With an error, always: closing by a code makes Node end the stream first, and the peer takes the cut for an end. */
export function cutStream(inner: Http2Stream): void {
  inner.on('error', () => {});
  inner.destroy(new TunnelError('reset', 'the stream was cut'));
}
