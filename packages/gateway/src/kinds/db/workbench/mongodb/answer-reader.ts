/**
 * Reads the answers of a server of MongoDB, wherever the bytes are cut: the documents of a batch one by one, and of each no more
 * than is wanted, however long it is. What is no answer is thrown as such: nothing is believed beyond what it stands in.
 */
import { malformed } from '../../engine/db-failure.ts';
import { BSON, MIN_DOCUMENT_BYTES, readNumber, valueLength } from '../../engine/mongodb/bson.ts';
import { FLAGS, HEAD_BYTES, type MessageHead, OP, readHead } from '../../engine/mongodb/messages.ts';

/** Of a field's name, and of a value that has no length of its own. */
const MAX_UNENDED_BYTES = 64 * 1024;
/** Of the fields that say how it went. */
const MAX_FIELD_BYTES = 4_096;
const START_BYTES = HEAD_BYTES + 4;
const NONE = Buffer.alloc(0);

export type AnswerEvent =
  /** `bytes`: as much of it as is wanted, of a document of `length`. */
  { is: 'document'; bytes: Buffer; length: number } | ({ is: 'end' } & Answer);

export interface Answer {
  head: MessageHead;
  ok: number;
  code: number | undefined;
  errmsg: string;
  /** Where it has one; its documents went before. */
  cursor: { id: bigint; ns: string } | undefined;
  /** The rest of it, as a document. */
  body: Buffer;
  bodyLength: number;
}

type Inside = 'sections' | 'body' | 'cursor' | 'batch';

interface Frame {
  inside: Inside;
  /** Counted from the beginning of the message. */
  end: number;
}

interface Value {
  left: number;
  length: number;
  parts: Buffer[];
  room: number;
  taken: (bytes: Buffer, length: number) => AnswerEvent | undefined;
}

export class AnswerReader {
  readonly #begun: (head: MessageHead) => void;
  #bytes: Buffer = NONE;
  #from = 0;
  #head: MessageHead | undefined;
  #frames: Frame[] = [];
  #at = 0;
  #value: Value | undefined;
  #fields = new Map<string, { type: number; value: Buffer }>();
  #seen = new Set<string>();
  #cursor: { id?: bigint; ns?: string } | undefined;
  #body: Buffer[] = [];
  #bodySize = 0;
  #bodyLength = 0;
  /** Of each document, and of an answer that is none of many. */
  keepBytes = 0;

  /** `begun`: before anything of an answer is read. Throws where nobody waits for it. */
  constructor(begun: (head: MessageHead) => void) {
    this.#begun = begun;
  }

  push(piece: Buffer): void {
    const rest = this.#bytes.subarray(this.#from);
    this.#bytes = rest.length > 0 ? Buffer.concat([rest, piece]) : piece;
    this.#from = 0;
  }

  /** Undefined: more must come. */
  next(): AnswerEvent | undefined {
    for (;;) {
      const step = this.#value ? this.#pass(this.#value) : this.#step();
      if (step === 'more') return this.#wait();
      if (step) return step;
    }
  }

  #wait(): undefined {
    if (this.#bytes.length - this.#from > MAX_UNENDED_BYTES) throw malformed('a field that does not end');
    // A copy: the piece is larger.
    this.#bytes = Buffer.from(this.#bytes.subarray(this.#from));
    this.#from = 0;
    return undefined;
  }

  get #there(): number {
    return this.#bytes.length - this.#from;
  }

  #take(count: number): Buffer {
    const part = this.#bytes.subarray(this.#from, this.#from + count);
    this.#from += count;
    this.#at += count;
    return part;
  }

  #step(): AnswerEvent | 'more' | undefined {
    const frame = this.#frames.at(-1);
    if (!frame) return this.#begin();
    if (frame.inside === 'sections') return this.#section(frame.end);
    if (this.#at < frame.end - 1) return this.#element(frame);
    if (this.#there < 1) return 'more';
    if (this.#take(1)[0] !== 0) throw malformed('a document without its end');
    this.#frames.pop();
    return undefined;
  }

  #begin(): 'more' | undefined {
    if (this.#there < START_BYTES) return 'more';
    this.#at = 0;
    const start = this.#take(START_BYTES);
    const head = readHead(start);
    if (head.op !== OP.msg) throw malformed(`a message of the kind ${head.op}`);
    const flags = start.readUInt32LE(HEAD_BYTES);
    // It was not asked for, and would let one answer be taken for another's.
    if (flags & FLAGS.moreToCome) throw malformed('an answer that others follow');
    this.#begun(head);
    this.#head = head;
    this.#frames = [{ inside: 'sections', end: head.length - (flags & FLAGS.checksum ? 4 : 0) }];
    this.#fields = new Map();
    this.#seen = new Set();
    this.#cursor = undefined;
    this.#body = [];
    this.#bodySize = 0;
    this.#bodyLength = MIN_DOCUMENT_BYTES;
    return undefined;
  }

  #section(end: number): AnswerEvent | 'more' | undefined {
    const head = this.#head as MessageHead;
    if (this.#at >= end) {
      const left = head.length - this.#at;
      if (left < 0) throw malformed('a message that ends before its answer');
      if (this.#there < left) return 'more';
      this.#take(left);
      this.#frames = [];
      if (!this.#seen.has('')) throw malformed('a message without an answer');
      return this.#answer(head);
    }
    if (this.#there < 5) return 'more';
    const start = this.#take(5);
    const size = start.readInt32LE(1);
    if (start[0] !== 0 || this.#seen.has('') || size < MIN_DOCUMENT_BYTES || this.#at - 4 + size > end)
      throw malformed('a message with a section that it cannot have');
    this.#seen.add('');
    this.#frames.push({ inside: 'body', end: this.#at - 4 + size });
    return undefined;
  }

  #answer(head: MessageHead): AnswerEvent {
    const number = (name: string) => {
      const field = this.#fields.get(name);
      return field && readNumber(field.type, field.value);
    };
    const errmsg = this.#fields.get('errmsg');
    const text = errmsg?.type === BSON.string ? errmsg.value.toString('utf8', 4).replace(/\0$/, '') : '';
    const size = Buffer.alloc(4);
    size.writeInt32LE(this.#bodyLength);
    const isWhole = this.#bodySize + MIN_DOCUMENT_BYTES === this.#bodyLength;
    const cursor = this.#cursor;
    if (cursor && (cursor.id === undefined || cursor.ns === undefined))
      throw malformed('a cursor without a number or a name');
    return {
      ...{ is: 'end', head, ok: number('ok') ?? 0, code: number('code'), errmsg: text },
      cursor: cursor && { id: cursor.id ?? 0n, ns: cursor.ns ?? '' },
      body: Buffer.concat([size, ...this.#body, ...(isWhole ? [Buffer.alloc(1)] : [])]),
      bodyLength: this.#bodyLength,
    };
  }

  #element(frame: Frame): 'more' | undefined {
    const stop = this.#bytes.indexOf(0, this.#from + 1);
    if (stop < 0) return 'more';
    const type = this.#bytes[this.#from] ?? 0;
    const header = stop + 1 - this.#from;
    const room = frame.end - 1 - this.#at - header;
    if (type === 0 || room < 0) throw malformed('a document with an element that does not end');
    const length = valueLength(type, this.#bytes, stop + 1, room);
    if (length === undefined) return 'more';
    if (length > room) throw malformed('a document with an element that does not end');
    const name = this.#bytes.toString('utf8', this.#from + 1, stop);
    if (frame.inside === 'body') this.#ofBody(name, type, header, length);
    else if (frame.inside === 'cursor') this.#ofCursor(name, type, header, length);
    else {
      if (type !== BSON.document) throw malformed('a batch of something else than documents');
      this.#take(header);
      this.#read(length, this.keepBytes, (bytes, whole) => ({ is: 'document', bytes, length: whole }));
    }
    return undefined;
  }

  #ofBody(name: string, type: number, header: number, length: number): void {
    // Which of the two is meant is not ours to guess.
    if (this.#seen.has(`.${name}`)) throw malformed(`an answer that says '${name}' twice`);
    if (TOLD.has(name) || name === 'cursor') this.#seen.add(`.${name}`);
    if (name === 'cursor' && type === BSON.document) {
      this.#cursor = {};
      this.#enter('cursor', header, length);
      return;
    }
    const room = Math.max(0, this.keepBytes - this.#bodySize - header);
    const isTold = TOLD.has(name);
    const isCut = this.#bodySize + MIN_DOCUMENT_BYTES < this.#bodyLength;
    const start = Buffer.from(this.#take(header));
    this.#bodyLength += header + length;
    this.#read(length, Math.max(room, isTold ? MAX_FIELD_BYTES : 0), (bytes) => {
      if (isTold) this.#fields.set(name, { type, value: bytes.subarray(0, MAX_FIELD_BYTES) });
      // Behind what was cut nothing follows.
      if (isCut || room === 0) return undefined;
      const kept = bytes.subarray(0, room);
      this.#body.push(start, kept);
      this.#bodySize += start.length + kept.length;
      return undefined;
    });
  }

  #ofCursor(name: string, type: number, header: number, length: number): void {
    const cursor = this.#cursor ?? {};
    if ((name === 'firstBatch' || name === 'nextBatch') && type === BSON.array) {
      if (this.#seen.has('batch')) throw malformed('a cursor with two batches');
      this.#seen.add('batch');
      this.#enter('batch', header, length);
      return;
    }
    this.#take(header);
    this.#read(length, MAX_FIELD_BYTES, (bytes) => {
      if (name === 'id' && type === BSON.int64) cursor.id = bytes.readBigInt64LE(0);
      if (name === 'ns' && type === BSON.string && length < MAX_FIELD_BYTES)
        cursor.ns = bytes.toString('utf8', 4, bytes.length - 1);
      return undefined;
    });
  }

  #enter(inside: Inside, header: number, length: number): void {
    this.#frames.push({ inside, end: this.#at + header + length });
    this.#take(header + 4);
  }

  #read(length: number, room: number, taken: Value['taken']): void {
    this.#value = { left: length, length, parts: [], room, taken };
  }

  #pass(value: Value): AnswerEvent | 'more' | undefined {
    const part = this.#take(Math.min(value.left, this.#there));
    value.left -= part.length;
    const kept = part.subarray(0, value.room);
    value.room -= kept.length;
    if (value.left > 0) {
      // A copy: the piece is much more than this.
      if (kept.length > 0) value.parts.push(Buffer.from(kept));
      return 'more';
    }
    this.#value = undefined;
    return value.taken(value.parts.length === 0 ? kept : Buffer.concat([...value.parts, kept]), value.length);
  }
}

const TOLD: ReadonlySet<string> = new Set(['ok', 'code', 'errmsg']);
