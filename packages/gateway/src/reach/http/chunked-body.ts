/** Takes the chunks off a body, strictly: sizes are plain hexadecimal digits, and every chunk ends where it said. */
import { UpstreamFault } from './upstream-fault.ts';

const MAX_LINE = 4 * 1024;
const MAX_TRAILERS = 16 * 1024;
const CR = 13;
const LF = 10;

type Step = 'size' | 'data' | 'data-end' | 'trailer' | 'done';

export class ChunkedBody {
  #step: Step = 'size';
  #line = '';
  #left = 0;
  #trailerBytes = 0;

  get done(): boolean {
    return this.#step === 'done';
  }

  /** Hands out the data of a piece; gives back how many bytes of it belong to this body. */
  take(piece: Buffer, onData: (data: Buffer) => void): number {
    let at = 0;
    while (at < piece.length && this.#step !== 'done') {
      if (this.#step === 'data') {
        const end = Math.min(piece.length, at + this.#left);
        onData(at === 0 && end === piece.length ? piece : piece.subarray(at, end));
        this.#left -= end - at;
        at = end;
        if (this.#left === 0) this.#step = 'data-end';
        continue;
      }
      const end = piece.indexOf(LF, at);
      const text = piece.toString('latin1', at, end < 0 ? piece.length : end + 1);
      this.#line += text;
      at += text.length;
      if (this.#line.length > MAX_LINE) throw new UpstreamFault('its answer has a chunk without an end');
      if (end >= 0) this.#endLine();
    }
    return at;
  }

  #endLine(): void {
    const line = this.#line.slice(0, -2);
    const isWhole = this.#line.charCodeAt(this.#line.length - 2) === CR && !line.includes('\r');
    this.#line = '';
    if (!isWhole) throw new UpstreamFault('its answer has a chunk that ends in the wrong way');
    if (this.#step === 'size') this.#readSize(line);
    else if (this.#step === 'data-end') {
      if (line !== '') throw new UpstreamFault('its answer has a chunk of another size than it said');
      this.#step = 'size';
    } else {
      this.#trailerBytes += line.length;
      if (this.#trailerBytes > MAX_TRAILERS) throw new UpstreamFault('its answer has too much after its body');
      // Trailers are not passed on: nobody asked for them.
      if (line === '') this.#step = 'done';
    }
  }

  #readSize(line: string): void {
    const size = /^([0-9A-Fa-f]{1,12})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?$/.exec(line)?.[1];
    if (size === undefined) throw new UpstreamFault('its answer has a chunk without a size');
    this.#left = Number.parseInt(size, 16);
    this.#step = this.#left === 0 ? 'trailer' : 'data';
  }
}
