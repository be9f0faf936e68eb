/**
 * A document as Extended JSON for a page, as much of it as there is room for. What is left out is left out at its end: the text is
 * one that can be read in any case. Whole numbers are `1`, others have a point: so each is read as the kind that it is.
 */

import { doubleText } from '@gatehouse/contract/kinds/db/mongo/mongo-types';
import { MAX_MONGO_DEPTH } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { malformed } from '../../engine/db-failure.ts';
import { BSON, MIN_DOCUMENT_BYTES, valueLength } from '../../engine/mongodb/bson.ts';
import { decimalText } from './decimal.ts';

const CUT = '…';
/** Brackets, quotes and the name of a type around a value. */
const LEAF_ROOM = 64;
const MAX_ISO_YEAR = 9_999;

export interface ShownDocument {
  text: string;
  isWhole: boolean;
}

/** `bytes`: of the document, or its beginning where it is long. Throws where it is none. */
export function showDocument(bytes: Buffer, room: number): ShownDocument {
  const writer = new Writer(bytes, room);
  writer.document(0, bytes.readInt32LE(0), 0, false);
  return { text: writer.text(), isWhole: !writer.isFull };
}

class Writer {
  readonly #bytes: Buffer;
  readonly #parts: string[] = [];
  #room: number;
  /** Nothing more is written but what closes. */
  isFull = false;

  constructor(bytes: Buffer, room: number) {
    this.#bytes = bytes;
    this.#room = room;
  }

  text(): string {
    return this.#parts.join('');
  }

  document(at: number, limit: number, depth: number, isArray: boolean): void {
    if (depth > MAX_MONGO_DEPTH) throw malformed(`a document of more than ${MAX_MONGO_DEPTH} levels`);
    const bytes = this.#bytes;
    const end = at + bytes.readInt32LE(at) - 1;
    if (end + 1 - at < MIN_DOCUMENT_BYTES || end >= limit) throw malformed('a document with a length that it has not');
    this.#put(isArray ? '[' : '{');
    let from = at + 4;
    for (let count = 0; from < end && !this.isFull; count += 1) {
      const element = this.#element(from, end);
      if (!element) break;
      const { type, name, value, length } = element;
      const before = (count > 0 ? ', ' : '') + (isArray ? '' : `${JSON.stringify(name)}: `);
      if (before.length + LEAF_ROOM > this.#room || !this.#isThere(type, value, length)) {
        this.isFull = true;
        break;
      }
      this.#put(before);
      if (type === BSON.document || type === BSON.array) this.document(value, end, depth + 1, type === BSON.array);
      else this.#put(this.#leaf(type, value, length));
      from = value + length;
    }
    if (end >= bytes.length) this.isFull = true;
    else if (!this.isFull && (from !== end || bytes[end] !== 0)) throw malformed('a document without its end');
    this.#parts.push(isArray ? ']' : '}');
  }

  /** Undefined where the bytes end in the middle of it. */
  #element(from: number, end: number) {
    const bytes = this.#bytes;
    const type = bytes[from];
    const stop = type === undefined ? -1 : bytes.indexOf(0, from + 1);
    const isThere = stop >= 0 && stop < end;
    const length = isThere ? valueLength(type ?? 0, bytes, stop + 1, end - stop - 1) : undefined;
    if (length === undefined) {
      if (bytes.length > end || stop >= end) throw malformed('a document with an element that does not end');
      this.isFull = true;
      return undefined;
    }
    if (stop + 1 + length > end) throw malformed('a document with an element that does not end');
    return { type: type ?? 0, name: bytes.toString('utf8', from + 1, stop), value: stop + 1, length };
  }

  /** Of texts, bytes and documents the beginning is enough. */
  #isThere(type: number, value: number, length: number): boolean {
    const isLong = CUTTABLE.has(type);
    return value + (isLong ? Math.min(length, 5) : length) <= this.#bytes.length;
  }

  #put(text: string): void {
    this.#room -= text.length;
    this.#parts.push(text);
  }

  #leaf(type: number, at: number, length: number): string {
    const bytes = this.#bytes;
    switch (type) {
      case BSON.string:
        return this.#text(at, length);
      case BSON.code:
        return `{"$code": ${this.#text(at, length)}}`;
      case BSON.symbol:
        return `{"$symbol": ${this.#text(at, length)}}`;
      case BSON.double: {
        const value = bytes.readDoubleLE(at);
        return Number.isFinite(value) ? doubleText(value) : `{"$numberDouble": "${value}"}`;
      }
      case BSON.int32:
        return String(bytes.readInt32LE(at));
      case BSON.int64:
        return `{"$numberLong": "${bytes.readBigInt64LE(at)}"}`;
      case BSON.decimal:
        return `{"$numberDecimal": "${decimalText(bytes.subarray(at, at + length))}"}`;
      case BSON.boolean:
        return bytes[at] ? 'true' : 'false';
      case BSON.objectId:
        return `{"$oid": "${bytes.toString('hex', at, at + length)}"}`;
      case BSON.date:
        return `{"$date": ${dateText(bytes.readBigInt64LE(at))}}`;
      case BSON.timestamp:
        return `{"$timestamp": {"t": ${bytes.readUInt32LE(at + 4)}, "i": ${bytes.readUInt32LE(at)}}}`;
      case BSON.binary:
        return this.#binary(at, length);
      case BSON.regex:
        return this.#regex(at, length);
      case BSON.null:
        return 'null';
      case BSON.undefined:
        return '{"$undefined": true}';
      case BSON.minKey:
        return '{"$minKey": 1}';
      case BSON.maxKey:
        return '{"$maxKey": 1}';
      case BSON.pointer:
        return `{"$dbPointer": {"$ref": ${this.#text(at, length - 12)}, "$id": {"$oid": "${bytes.toString('hex', at + length - 12, at + length)}"}}}`;
      default:
        return this.#scopedCode(at, length);
    }
  }

  #text(at: number, length: number): string {
    const end = at + length - 1;
    const stated = this.#bytes.readInt32LE(at) + 4;
    if (stated !== length) throw malformed('a text with a length that it has not');
    const isThere = end < this.#bytes.length;
    if (isThere && this.#bytes[end] !== 0) throw malformed('a text without its end');
    // Cut before it is made a text: no character of it has more than three bytes.
    const last = Math.min(end, this.#bytes.length, at + 4 + 3 * Math.max(0, this.#room));
    if (last >= end) {
      const whole = JSON.stringify(this.#bytes.toString('utf8', at + 4, end));
      if (whole.length <= this.#room) return whole;
    }
    this.isFull = true;
    const shown = beginning(this.#bytes.toString('utf8', at + 4, last), this.#room - LEAF_ROOM);
    return JSON.stringify(shown.replace(/[\ud800-\udbff\ufffd]$/, '') + CUT);
  }

  #binary(at: number, length: number): string {
    const size = length - 5;
    const room = Math.max(0, Math.floor((this.#room - LEAF_ROOM) / 4) * 3);
    const there = Math.min(size, this.#bytes.length - at - 5, room);
    // Whole groups, so that what is left is still base64.
    const shown = there < size ? there - (there % 3) : size;
    if (shown < size) this.isFull = true;
    const base64 = this.#bytes.toString('base64', at + 5, at + 5 + Math.max(0, shown));
    const subType = (this.#bytes[at + 4] ?? 0).toString(16).padStart(2, '0');
    return `{"$binary": {"base64": "${base64}", "subType": "${subType}"}}`;
  }

  #regex(at: number, length: number): string {
    const stop = this.#bytes.indexOf(0, at);
    const [pattern, options] = [
      this.#bytes.toString('utf8', at, stop),
      this.#bytes.toString('utf8', stop + 1, at + length - 1),
    ];
    const text = `{"$regularExpression": {"pattern": ${JSON.stringify(pattern)}, "options": ${JSON.stringify(options)}}}`;
    if (text.length <= this.#room) return text;
    this.isFull = true;
    return JSON.stringify(CUT);
  }

  /** Nobody writes them any more: a text that says how it would run is enough. */
  #scopedCode(at: number, length: number): string {
    const size = this.#bytes.readInt32LE(at + 4) + 4;
    if (size < 5 || 4 + size + MIN_DOCUMENT_BYTES > length) throw malformed('code with a length that it has not');
    const scope = at + 4 + size;
    const code = this.#text(at + 4, size);
    if (this.isFull || at + length > this.#bytes.length) {
      this.isFull = true;
      return `{"$code": ${code}}`;
    }
    const inner = new Writer(this.#bytes, this.#room - code.length);
    inner.document(scope, at + length, MAX_MONGO_DEPTH - 10, false);
    if (inner.isFull) this.isFull = true;
    return `{"$code": ${code}, "$scope": ${inner.text()}}`;
  }
}

/** Those with a length of their own, which stands before them. */
const CUTTABLE: ReadonlySet<number> = new Set([
  BSON.string,
  BSON.code,
  BSON.symbol,
  BSON.binary,
  BSON.document,
  BSON.array,
]);

function dateText(ms: bigint): string {
  const date = new Date(Number(ms));
  const year = date.getUTCFullYear();
  return year >= 1970 && year <= MAX_ISO_YEAR ? JSON.stringify(date.toISOString()) : `{"$numberLong": "${ms}"}`;
}

/** As much of a text as takes so many characters as JSON: escapes are longer than what they stand for. */
function beginning(text: string, room: number): string {
  let left = room;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const isShort = code === 0x22 || code === 0x5c || (code >= 8 && code <= 13 && code !== 11);
    left -= isShort ? 2 : code < 0x20 ? 6 : 1;
    if (left < 0) return text.slice(0, at);
  }
  return text;
}
