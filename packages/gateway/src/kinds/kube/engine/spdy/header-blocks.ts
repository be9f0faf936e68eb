/** Header blocks of SPDY/3.1: one zlib context for each direction and the life of the connection. */
import { constants, createInflate, type Inflate } from 'node:zlib';
import { counted, SPDY_DICTIONARY } from './spdy-dictionary.ts';
import { SpdyError } from './spdy-error.ts';

/** Unpacked: a block of a few bytes can stand for gigabytes. */
export const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 64;
const NO_ZLIB = new SpdyError('a header block is no zlib stream');

/** Names in lower case. What came several times has several values. */
export type SpdyHeaders = Readonly<Record<string, readonly string[]>>;

/** Reads the blocks of the other side, one after the other. */
export class BlockReader {
  readonly #inflate: Inflate;
  #parts: Buffer[] = [];
  #bytes = 0;
  #fail: (error: Error) => void = () => {};

  constructor() {
    const { Z_SYNC_FLUSH } = constants;
    this.#inflate = createInflate({ dictionary: SPDY_DICTIONARY, flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH });
    this.#inflate.on('error', () => this.#fail(NO_ZLIB));
    this.#inflate.on('data', (part: Buffer) => {
      this.#bytes += part.length;
      this.#parts.push(part);
      // Nothing more is unpacked once it is destroyed.
      if (this.#bytes > MAX_HEADER_BYTES)
        this.#fail(new SpdyError(`a header block has more than ${MAX_HEADER_BYTES} bytes`));
    });
  }

  /** Every block must come through here, also those of streams that are refused: the next one builds on it. */
  async read(block: Buffer): Promise<SpdyHeaders> {
    this.#parts = [];
    this.#bytes = 0;
    await new Promise<void>((resolve, reject) => {
      this.#fail = (error) => {
        this.close();
        reject(error);
      };
      this.#inflate.write(block, (error) => (error ? reject(NO_ZLIB) : resolve()));
    });
    // What is still on its way to the listener goes there now.
    while (this.#inflate.read() !== null);
    if (this.#bytes > MAX_HEADER_BYTES) throw new SpdyError(`a header block has more than ${MAX_HEADER_BYTES} bytes`);
    return readPairs(Buffer.concat(this.#parts, this.#bytes));
  }

  close(): void {
    this.#inflate.destroy();
  }
}

function readPairs(raw: Buffer): SpdyHeaders {
  let at = 0;
  const number = (): number => {
    if (raw.length - at < 4) throw new SpdyError('a header block is cut off');
    at += 4;
    return raw.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (length > raw.length - at) throw new SpdyError('a header block is cut off');
    at += length;
    return raw.toString('latin1', at - length, at);
  };
  const count = number();
  if (count > MAX_HEADERS) throw new SpdyError(`a header block has more than ${MAX_HEADERS} headers`);
  const headers = new Map<string, string[]>();
  for (let left = count; left > 0; left -= 1) {
    const name = text().toLowerCase();
    if (name === '' || headers.has(name)) throw new SpdyError('a header block has a name twice, or none');
    headers.set(name, text().split('\0'));
  }
  if (at !== raw.length) throw new SpdyError('a header block goes on behind its headers');
  return Object.fromEntries(headers);
}

/** Ends each block as a flush does. Without it Go unpacks the first one, fails at the second, and the client hangs. */
const SYNC_FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);
const ZLIB_HEADER = Buffer.from([0x78, 0x01]);
const MAX_STORED_BYTES = 0xffff;

/** Writes ours as stored blocks: every inflater takes them, and there is no compressor to keep for each connection. */
export class BlockWriter {
  #hasBegun = false;

  write(headers: Readonly<Record<string, string>>): Buffer {
    const pairs = Object.entries(headers);
    const count = Buffer.allocUnsafe(4);
    count.writeUInt32BE(pairs.length);
    const raw = Buffer.concat([count, ...pairs.flatMap(([name, value]) => [counted(name), counted(value)])]);
    if (raw.length > MAX_STORED_BYTES) throw new RangeError('headers of more than 64 KiB');
    const head = Buffer.alloc(5);
    head.writeUInt16LE(raw.length, 1);
    head.writeUInt16LE(raw.length ^ 0xffff, 3);
    const block = Buffer.concat(this.#hasBegun ? [head, raw, SYNC_FLUSH] : [ZLIB_HEADER, head, raw, SYNC_FLUSH]);
    this.#hasBegun = true;
    return block;
  }
}
