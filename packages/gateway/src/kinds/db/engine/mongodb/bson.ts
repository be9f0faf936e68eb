/** BSON as bytes: where each element of a document stands, and the few documents that the gateway writes itself. */
import { malformed } from '../db-failure.ts';

export const BSON = {
  double: 0x01,
  string: 0x02,
  document: 0x03,
  array: 0x04,
  binary: 0x05,
  undefined: 0x06,
  objectId: 0x07,
  boolean: 0x08,
  date: 0x09,
  null: 0x0a,
  regex: 0x0b,
  pointer: 0x0c,
  code: 0x0d,
  symbol: 0x0e,
  codeWithScope: 0x0f,
  int32: 0x10,
  timestamp: 0x11,
  int64: 0x12,
  decimal: 0x13,
  maxKey: 0x7f,
  minKey: 0xff,
} as const;

const FIXED: ReadonlyMap<number, number> = new Map<number, number>([
  [BSON.double, 8],
  [BSON.undefined, 0],
  [BSON.objectId, 12],
  [BSON.boolean, 1],
  [BSON.date, 8],
  [BSON.null, 0],
  [BSON.int32, 4],
  [BSON.timestamp, 8],
  [BSON.int64, 8],
  [BSON.decimal, 16],
  [BSON.minKey, 0],
  [BSON.maxKey, 0],
]);
/** The smallest document: its length, and the end. */
export const MIN_DOCUMENT_BYTES = 5;

export interface BsonElement {
  type: number;
  name: string;
  /** Where it begins: at its type. */
  from: number;
  /** Where its value begins, and where it ends. */
  value: number;
  end: number;
}

/**
 * How many bytes the value takes that begins there; undefined: more must come before that can be said. What is stated is
 * believed no further than `limit`, so that nobody waits for what cannot come.
 */
export function valueLength(type: number, bytes: Buffer, at: number, limit: number): number | undefined {
  const fixed = FIXED.get(type);
  if (fixed !== undefined) return fixed;
  if (type === BSON.regex) return regexLength(bytes, at);
  const extra = STATED.get(type);
  if (extra === undefined) throw malformed(`a value of the type 0x${type.toString(16)}, which BSON has not`);
  if (bytes.length < at + 4) return undefined;
  const stated = bytes.readInt32LE(at);
  const { least, beside } = extra;
  if (stated < least || stated + beside > limit) throw malformed('a value with a length that it cannot have');
  return stated + beside;
}

/** How short what is stated may be, and what the value takes beside that. */
const STATED: ReadonlyMap<number, { least: number; beside: number }> = new Map([
  [BSON.string, { least: 1, beside: 4 }],
  [BSON.code, { least: 1, beside: 4 }],
  [BSON.symbol, { least: 1, beside: 4 }],
  [BSON.pointer, { least: 1, beside: 16 }],
  [BSON.binary, { least: 0, beside: 5 }],
  [BSON.document, { least: MIN_DOCUMENT_BYTES, beside: 0 }],
  [BSON.array, { least: MIN_DOCUMENT_BYTES, beside: 0 }],
  [BSON.codeWithScope, { least: 14, beside: 0 }],
]);

function regexLength(bytes: Buffer, at: number): number | undefined {
  const first = bytes.indexOf(0, at);
  const second = first < 0 ? -1 : bytes.indexOf(0, first + 1);
  return second < 0 ? undefined : second + 1 - at;
}

/** The elements of a document that is there whole. Throws where it is none. */
export function* elementsOf(document: Buffer): Generator<BsonElement> {
  if (document.length < MIN_DOCUMENT_BYTES || document.readInt32LE(0) !== document.length)
    throw malformed('a document with a length that it has not');
  const end = document.length - 1;
  for (let at = 4; at < end; ) {
    const type = document[at] ?? 0;
    const stop = document.indexOf(0, at + 1);
    if (type === 0 || stop < 0 || stop >= end) throw malformed('a document with an element that does not end');
    const value = stop + 1;
    const length = valueLength(type, document, value, end - value);
    if (length === undefined || value + length > end) throw malformed('a document with an element that does not end');
    yield { type, name: document.toString('utf8', at + 1, stop), from: at, value, end: value + length };
    at = value + length;
  }
  if (document[end] !== 0) throw malformed('a document without its end');
}

/** Undefined where there is none of that name, or it is no text. */
export function textOf(document: Buffer, name: string): string | undefined {
  for (const element of elementsOf(document))
    if (element.name === name)
      return element.type === BSON.string ? document.toString('utf8', element.value + 4, element.end - 1) : undefined;
  return undefined;
}

/** What is true of `ok`, and of numbers in answers: their type is the server's to choose. */
export function numberOf(document: Buffer, name: string): number | undefined {
  for (const { name: found, type, value, end } of elementsOf(document))
    if (found === name) return readNumber(type, document.subarray(value, end));
  return undefined;
}

export function readNumber(type: number, value: Buffer): number | undefined {
  if (type === BSON.double) return value.readDoubleLE(0);
  if (type === BSON.int32) return value.readInt32LE(0);
  if (type === BSON.int64) return Number(value.readBigInt64LE(0));
  return type === BSON.boolean ? (value[0] ?? 0) : undefined;
}

export function binaryOf(document: Buffer, name: string): Buffer | undefined {
  for (const { name: found, type, value, end } of elementsOf(document))
    if (found === name) return type === BSON.binary ? document.subarray(value + 5, end) : undefined;
  return undefined;
}

/** The document without what is called so; every other byte stays. */
export function withoutElements(document: Buffer, names: ReadonlySet<string>): Buffer {
  const kept: Buffer[] = [Buffer.alloc(4)];
  for (const { name, from, end } of elementsOf(document)) if (!names.has(name)) kept.push(document.subarray(from, end));
  const whole = Buffer.concat([...kept, Buffer.alloc(1)]);
  whole.writeInt32LE(whole.length);
  return whole;
}

export type BsonValue = string | number | boolean | Buffer;

/** Whole numbers become int32, bytes binary. */
export function document(fields: Readonly<Record<string, BsonValue>>): Buffer {
  const elements = Object.entries(fields).map(([name, value]) => {
    const { type, bytes } = encoded(value);
    return Buffer.concat([Buffer.of(type), Buffer.from(`${name}\0`), bytes]);
  });
  const whole = Buffer.concat([Buffer.alloc(4), ...elements, Buffer.alloc(1)]);
  whole.writeInt32LE(whole.length);
  return whole;
}

function encoded(value: BsonValue): { type: number; bytes: Buffer } {
  if (typeof value === 'boolean') return { type: BSON.boolean, bytes: Buffer.of(value ? 1 : 0) };
  if (typeof value === 'number') return { type: BSON.int32, bytes: int32(value) };
  if (typeof value === 'string') {
    const text = Buffer.from(`${value}\0`);
    return { type: BSON.string, bytes: Buffer.concat([int32(text.length), text]) };
  }
  return { type: BSON.binary, bytes: Buffer.concat([int32(value.length), Buffer.of(0), value]) };
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value);
  return bytes;
}
