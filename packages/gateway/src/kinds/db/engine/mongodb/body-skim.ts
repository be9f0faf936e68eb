/**
 * Reads what matters of a message while its bytes pass: what the command is called, the few fields that are asked for, and how
 * many documents an answer holds. It keeps nothing else, however long the message is, and however it is cut.
 */
import { malformed } from '../db-failure.ts';
import { BSON, MIN_DOCUMENT_BYTES, readNumber, valueLength } from './bson.ts';
import { HEAD_BYTES } from './messages.ts';

const CHECKSUM = 1;
/** Of a field's name, and of a value that has no length of its own. */
const MAX_UNENDED_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 4_096;
const NONE = Buffer.alloc(0);

type Inside = 'sections' | 'body' | 'cursor' | 'batch';

interface Frame {
  inside: Inside;
  /** Counted from the beginning of the message. */
  end: number;
}

export interface KeptField {
  type: number;
  /** Its beginning, where it is long. */
  value: Buffer;
}

export class BodySkim {
  /** The first field of the command; empty until it has come. */
  command = '';
  /** Where the fields of the command begin in the message, and how long it is; undefined until that has come. */
  body: { at: number; size: number } | undefined;
  /** Documents in an answer. */
  rows = 0;
  readonly fields = new Map<string, KeptField>();
  readonly #wanted: ReadonlySet<string>;
  readonly #frames: Frame[];
  #carry: Buffer = NONE;
  #at = HEAD_BYTES + 4;
  #skip = 0;
  #keeping: { name: string; type: number; parts: Buffer[]; room: number } | undefined;
  #hasBody = false;

  /** `flags` and `length`: of the message, whose bytes behind its flags are fed. */
  constructor(wanted: ReadonlySet<string>, { flags, length }: { flags: number; length: number }) {
    this.#wanted = wanted;
    this.#frames = [{ inside: 'sections', end: length - (flags & CHECKSUM ? 4 : 0) }];
  }

  feed(piece: Buffer): void {
    const bytes = this.#carry.length > 0 ? Buffer.concat([this.#carry, piece]) : piece;
    let at = 0;
    while (at < bytes.length) {
      const taken = this.#skip > 0 ? this.#pass(bytes, at) : this.#step(bytes, at);
      if (taken === 0) break;
      at += taken;
      this.#at += taken;
    }
    if (bytes.length - at > MAX_UNENDED_BYTES) throw malformed('a field that does not end');
    // A copy: the piece is larger.
    this.#carry = at < bytes.length ? Buffer.from(bytes.subarray(at)) : NONE;
  }

  /** Throws where the message ended before what it holds did. */
  close(): void {
    const [sections] = this.#frames;
    const isWhole = this.#frames.length === 1 && this.#skip === 0 && this.#carry.length === 0;
    if (!isWhole || !this.#hasBody || this.#at < (sections?.end ?? 0))
      throw malformed('a message that ends before its command');
  }

  text(name: string): string | undefined {
    const field = this.fields.get(name);
    if (field?.type !== BSON.string) return undefined;
    const whole = field.value.readInt32LE(0) + 4;
    return field.value.toString('utf8', 4, field.value.length < whole ? field.value.length : whole - 1);
  }

  number(name: string): number | undefined {
    const field = this.fields.get(name);
    return field && readNumber(field.type, field.value);
  }

  #pass(bytes: Buffer, at: number): number {
    const count = Math.min(this.#skip, bytes.length - at);
    this.#skip -= count;
    const keeping = this.#keeping;
    if (keeping && keeping.room > 0) {
      const part = bytes.subarray(at, at + Math.min(count, keeping.room));
      keeping.parts.push(Buffer.from(part));
      keeping.room -= part.length;
    }
    if (this.#skip === 0) this.#kept();
    return count;
  }

  #kept(): void {
    const keeping = this.#keeping;
    if (!keeping) return;
    this.fields.set(keeping.name, { type: keeping.type, value: Buffer.concat(keeping.parts) });
    this.#keeping = undefined;
  }

  /** How much was taken; 0: more must come. */
  #step(bytes: Buffer, at: number): number {
    const frame = this.#frames.at(-1)!;
    if (frame.inside === 'sections') return this.#section(bytes, at, frame.end);
    if (this.#at < frame.end - 1) return this.#element(bytes, at, frame);
    if (bytes[at] !== 0) throw malformed('a document without its end');
    this.#frames.pop();
    return 1;
  }

  #section(bytes: Buffer, at: number, end: number): number {
    // Behind the last section stands a checksum, or nothing.
    if (this.#at >= end) return bytes.length - at;
    if (bytes.length - at < 5) return 0;
    const [kind, size] = [bytes[at], bytes.readInt32LE(at + 1)];
    const after = this.#at + 1 + size;
    if ((kind !== 0 && kind !== 1) || size < MIN_DOCUMENT_BYTES || after > end)
      throw malformed('a message with a section that it cannot have');
    if (kind === 0) {
      if (this.#hasBody) throw malformed('a message with two commands');
      this.#hasBody = true;
      this.body = { at: this.#at + 5, size };
      this.#frames.push({ inside: 'body', end: after });
      return 5;
    }
    const stop = bytes.indexOf(0, at + 5);
    if (stop < 0) return 0;
    if (bytes[at + 5] === '$'.charCodeAt(0)) throw malformed('a list of documents whose name begins with $');
    if (stop - at >= 1 + size) throw malformed('a list of documents without a name');
    const taken = stop + 1 - at;
    this.#skip = 1 + size - taken;
    return taken;
  }

  #element(bytes: Buffer, at: number, frame: Frame): number {
    const stop = bytes.indexOf(0, at + 1);
    if (stop < 0) return 0;
    const type = bytes[at] ?? 0;
    const header = stop + 1 - at;
    const room = frame.end - 1 - this.#at - header;
    if (type === 0 || room < 0) throw malformed('a document with an element that does not end');
    const length = valueLength(type, bytes, stop + 1, room);
    if (length === undefined) return 0;
    if (length > room) throw malformed('a document with an element that does not end');
    const name = bytes.toString('utf8', at + 1, stop);
    if (frame.inside === 'batch') this.rows += 1;
    if (frame.inside === 'body') this.#take(name, type);
    const inner = innerOf(frame.inside, name, type);
    if (inner) {
      this.#frames.push({ inside: inner, end: this.#at + header + length });
      return header + 4;
    }
    this.#skip = length;
    if (length === 0) this.#kept();
    return header;
  }

  #take(name: string, type: number): void {
    if (this.command === '') this.command = name;
    if (!this.#wanted.has(name)) return;
    // Which of the two the server takes is not ours to guess.
    if (this.fields.has(name)) throw malformed(`a command that says '${name}' twice`);
    this.#keeping = { name, type, parts: [], room: MAX_KEPT_BYTES };
  }
}

/** What is looked into, to count. */
function innerOf(inside: Inside, name: string, type: number): Inside | undefined {
  if (inside === 'body' && name === 'cursor' && type === BSON.document) return 'cursor';
  const isBatch = name === 'firstBatch' || name === 'nextBatch';
  return inside === 'cursor' && isBatch && type === BSON.array ? 'batch' : undefined;
}
