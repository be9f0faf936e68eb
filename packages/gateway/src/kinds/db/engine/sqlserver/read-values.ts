/** Values that are given to procedures of SQL Server, in words. What comes in a type that is not read ends the reading. */
import { MAX_BINARY_BYTES, MAX_VALUE_CHARACTERS } from '../statement.ts';
import type { Fields } from './fields.ts';

const FIXED: Readonly<Record<number, number>> = {
  ...{ 31: 0, 48: 1, 50: 1, 52: 2, 56: 4, 58: 4, 59: 4, 60: 8, 61: 8, 62: 8, 122: 4, 127: 8 },
};
const TYPES = {
  ...{ guid: 0x24, intn: 0x26, date: 0x28, time: 0x29, datetime2: 0x2a, datetimeOffset: 0x2b },
  ...{ decimal: 0x6a, numeric: 0x6c, bit: 0x68, float: 0x6d, money: 0x6e, datetime: 0x6f },
  ...{ varbinary: 0xa5, varchar: 0xa7, binary: 0xad, char: 0xaf, nvarchar: 0xe7, nchar: 0xef },
  ...{ image: 0x22, text: 0x23, ntext: 0x63, variant: 0x62, xml: 0xf1, udt: 0xf0 },
} as const;
const NULL = 'NULL';
const SHORT_NULL = 0xffff;
const LONG_NULL = 0xffff_ffff;
const COLLATION_BYTES = 5;
const IS_TEXT16: ReadonlySet<number> = new Set([TYPES.nvarchar, TYPES.nchar, TYPES.ntext, TYPES.xml]);
const IS_TEXT8: ReadonlySet<number> = new Set([TYPES.varchar, TYPES.char, TYPES.text]);
const IS_INTEGER: ReadonlySet<number> = new Set([0x30, 0x32, 0x34, 0x38, 0x7f, TYPES.intn, TYPES.bit]);

export interface ReadValue {
  /** As it may be shown. */
  shown: string;
  /** The whole of a text, for what is a statement itself. */
  text: string | undefined;
}

/** Undefined: a type of which not even the length is known. */
export function readValue(fields: Fields): ReadValue | undefined {
  const type = fields.byte();
  const fixed = FIXED[type];
  if (fixed !== undefined) return told(type, fields.take(fixed));
  const value = bytesOf(type, fields);
  return value === 'unknown'
    ? undefined
    : value === undefined
      ? { shown: NULL, text: undefined }
      : told(type, value.bytes, value.scale);
}

interface Bytes {
  bytes: Buffer;
  scale?: number;
}

function bytesOf(type: number, fields: Fields): Bytes | undefined | 'unknown' {
  switch (type) {
    case TYPES.guid:
    case TYPES.intn:
    case TYPES.bit:
    case TYPES.float:
    case TYPES.money:
    case TYPES.datetime:
      fields.take(1);
      return short(fields);
    case TYPES.date:
      return short(fields);
    case TYPES.time:
    case TYPES.datetime2:
    case TYPES.datetimeOffset:
      fields.take(1);
      return short(fields);
    case TYPES.decimal:
    case TYPES.numeric: {
      fields.take(2);
      const scale = fields.byte();
      const value = short(fields);
      return value && { ...value, scale };
    }
    case TYPES.varbinary:
    case TYPES.binary:
    case TYPES.varchar:
    case TYPES.char:
    case TYPES.nvarchar:
    case TYPES.nchar: {
      const size = fields.uint16();
      if (type !== TYPES.varbinary && type !== TYPES.binary) fields.take(COLLATION_BYTES);
      if (size === SHORT_NULL) return inChunks(fields);
      const length = fields.uint16();
      return length === SHORT_NULL ? undefined : { bytes: fields.take(length) };
    }
    case TYPES.image:
    case TYPES.text:
    case TYPES.ntext:
    case TYPES.variant: {
      fields.take(4);
      if (type === TYPES.text || type === TYPES.ntext) fields.take(COLLATION_BYTES);
      const length = fields.uint32();
      return length === LONG_NULL ? undefined : { bytes: fields.take(length) };
    }
    case TYPES.xml:
      if (fields.byte() === 1) for (const read of ['shortText', 'shortText', 'longText'] as const) fields[read]();
      return inChunks(fields);
    case TYPES.udt:
      for (let count = 0; count < 3; count += 1) fields.shortText();
      return inChunks(fields);
    default:
      return 'unknown';
  }
}

function short(fields: Fields): Bytes | undefined {
  const length = fields.byte();
  return length === 0 ? undefined : { bytes: fields.take(length) };
}

/** Of whatever length; it need not be said before. */
function inChunks(fields: Fields): Bytes | undefined {
  const total = fields.take(8);
  if (total.every((byte) => byte === 0xff)) return undefined;
  const parts: Buffer[] = [];
  for (let length = fields.uint32(); length > 0; length = fields.uint32()) parts.push(fields.take(length));
  return { bytes: Buffer.concat(parts) };
}

function told(type: number, bytes: Buffer, scale = 0): ReadValue {
  if (IS_TEXT16.has(type) || IS_TEXT8.has(type)) {
    const text = bytes.toString(IS_TEXT16.has(type) ? 'utf16le' : 'latin1');
    return { shown: text.length > MAX_VALUE_CHARACTERS ? `${text.slice(0, MAX_VALUE_CHARACTERS)}…` : text, text };
  }
  return { shown: shownBytes(type, bytes, scale), text: undefined };
}

function shownBytes(type: number, bytes: Buffer, scale: number): string {
  if (IS_INTEGER.has(type) && bytes.length <= 8) return String(integer(bytes, type !== 0x30 && bytes.length > 1));
  if (type === 0x3b || (type === TYPES.float && bytes.length === 4)) return String(bytes.readFloatLE());
  if (type === 0x3e || (type === TYPES.float && bytes.length === 8)) return String(bytes.readDoubleLE());
  if (type === TYPES.decimal || type === TYPES.numeric) return decimal(bytes, scale);
  if (type === TYPES.guid && bytes.length === 16) return guid(bytes);
  const more = bytes.length > MAX_BINARY_BYTES ? '…' : '';
  return `\\x${bytes.toString('hex', 0, MAX_BINARY_BYTES)}${more}`;
}

function integer(bytes: Buffer, isSigned: boolean): bigint {
  const value = bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return isSigned ? BigInt.asIntN(bytes.length * 8, value) : value;
}

function decimal(bytes: Buffer, scale: number): string {
  const digits = String(integer(bytes.subarray(1), false)).padStart(scale + 1, '0');
  const whole = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return bytes[0] === 0 ? `-${whole}` : whole;
}

/** The first three of its parts have their bytes the other way round. */
function guid(bytes: Buffer): string {
  const turned = [bytes.subarray(0, 4), bytes.subarray(4, 6), bytes.subarray(6, 8)].map((part) =>
    Buffer.from(part).reverse().toString('hex'),
  );
  return [...turned, bytes.toString('hex', 8, 10), bytes.toString('hex', 10)].join('-');
}
