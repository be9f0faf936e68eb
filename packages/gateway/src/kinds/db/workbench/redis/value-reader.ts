/** Reads the answers of a Redis server, in the second version of its protocol, wherever the bytes are cut; of large ones no more is kept than is shown. */
import { MAX_CELL_BYTES, type RedisText, type RedisValue } from '@gatehouse/contract/kinds/db/editor';
import { malformed } from '../../engine/db-failure.ts';

const MAX_LINE_BYTES = 64 * 1024;
const MAX_DEPTH = 64;
/** Of one answer: values, and bytes of all its texts. */
const MAX_VALUES = 10_000;
const MAX_BYTES = 512 * 1024;
const COUNT = /^(?:-1|0|[1-9]\d{0,9})$/;

interface Open {
  values: RedisValue[];
  wanted: number;
  seen: number;
}

export class ValueReader {
  readonly #heard: (value: RedisValue) => void;
  #line: Buffer[] = [];
  #lineSize = 0;
  #stack: Open[] = [];
  /** Of the text that is read now, with what ends it. */
  #left = -1;
  #size = 0;
  #kept: Buffer[] = [];
  #keptSize = 0;
  #values = 0;
  #bytes = 0;

  constructor(heard: (value: RedisValue) => void) {
    this.#heard = heard;
  }

  feed(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) at = this.#left >= 0 ? this.#takeText(piece, at) : this.#takeLine(piece, at);
  }

  #takeLine(piece: Buffer, at: number): number {
    const found = piece.indexOf(0x0a, at);
    const end = found < 0 ? piece.length : found + 1;
    this.#lineSize += end - at;
    if (this.#lineSize > MAX_LINE_BYTES) throw malformed('a line that does not end');
    this.#line.push(found < 0 ? Buffer.from(piece.subarray(at)) : piece.subarray(at, end));
    if (found < 0) return end;
    const line = Buffer.concat(this.#line);
    this.#line = [];
    this.#lineSize = 0;
    if (line.length < 3 || line[line.length - 2] !== 0x0d) throw malformed('a line that is none');
    this.#hear(String.fromCharCode(line[0] as number), line.toString('utf8', 1, line.length - 2));
    return end;
  }

  #hear(type: string, text: string): void {
    if (type === '+') this.#put({ is: 'status', value: this.#cut(text) });
    else if (type === '-') this.#put({ is: 'error', value: this.#cut(text) });
    else if (type === ':') this.#put({ is: 'number', value: this.#cut(text) });
    else if (type !== '$' && type !== '*') throw malformed(`an answer that begins with '${type}'`);
    else if (!COUNT.test(text)) throw malformed('a size that is none');
    else if (text === '-1') this.#put({ is: 'null' });
    else if (type === '$') {
      this.#size = Number(text);
      this.#left = this.#size + 2;
    } else this.#open(Number(text));
  }

  /** Of a line, as much as there is room for. */
  #cut(text: string): string {
    const room = Math.max(0, MAX_BYTES - this.#bytes);
    const kept = text.length > room ? `${text.slice(0, room)}…` : text;
    this.#bytes += Math.min(Buffer.byteLength(text), room);
    return kept;
  }

  #open(wanted: number): void {
    if (this.#stack.length >= MAX_DEPTH) throw malformed('lists that stand too deep in each other');
    this.#stack.push({ values: [], wanted, seen: 0 });
    this.#values += 1;
    if (wanted === 0) this.#close();
  }

  #close(): void {
    const open = this.#stack.pop();
    if (!open) return;
    const left = open.seen - open.values.length;
    this.#give({ is: 'list', values: open.values, ...(left > 0 ? { left } : {}) });
  }

  #takeText(piece: Buffer, at: number): number {
    const part = piece.subarray(at, at + this.#left);
    const ofText = Math.max(0, this.#left - 2);
    const room = Math.min(MAX_CELL_BYTES - this.#keptSize, MAX_BYTES - this.#bytes - this.#keptSize);
    const kept = part.subarray(0, Math.max(0, Math.min(room, ofText)));
    // A copy: the piece is gone by then, or much more than this.
    if (kept.length > 0) this.#kept.push(Buffer.from(kept));
    this.#keptSize += kept.length;
    this.#left -= part.length;
    if (this.#left > 0) return at + part.length;
    const bytes = Buffer.concat(this.#kept);
    const isCut = bytes.length < this.#size;
    this.#left = -1;
    this.#kept = [];
    this.#keptSize = 0;
    this.#bytes += bytes.length;
    this.#put({ is: 'text', value: textOf(bytes), ...(isCut ? { bytes: this.#size } : {}) });
    return at + part.length;
  }

  #put(value: RedisValue): void {
    this.#values += 1;
    this.#give(value);
  }

  #give(value: RedisValue): void {
    const open = this.#stack.at(-1);
    if (!open) {
      this.#values = 0;
      this.#bytes = 0;
      this.#heard(value);
      return;
    }
    open.seen += 1;
    const isWanted = this.#values <= MAX_VALUES && this.#bytes < MAX_BYTES;
    if (isWanted) open.values.push(value);
    if (open.seen === open.wanted) this.#close();
  }
}

/** A text where its bytes are one. */
export function textOf(bytes: Buffer): RedisText {
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : { base64: bytes.toString('base64') };
}

export function bytesOf(text: RedisText): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.base64, 'base64');
}
