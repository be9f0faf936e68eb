/** Values that are given to procedures of SQL Server, in words. What comes in a type that is not read ends the reading. */
import { tsqlTokens } from '@gatehouse/contract/kinds/db/tsql-tokens';
import { malformed } from '../db-failure.ts';
import { maskSecrets } from '../mask-secrets.ts';
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
  // Of servers that are older than the protocol, and still taken by all of them.
  ...{ oldVarbinary: 0x25, oldVarchar: 0x27, oldBinary: 0x2d, oldChar: 0x2f, oldDecimal: 0x37, oldNumeric: 0x3f },
  table: 0xf3,
} as const;
export const NULL = 'NULL';
const SHORT_NULL = 0xffff;
const LONG_NULL = 0xffff_ffff;
const COLLATION_BYTES = 5;
const IS_TEXT16: ReadonlySet<number> = new Set([TYPES.nvarchar, TYPES.nchar, TYPES.ntext, TYPES.xml]);
const IS_TEXT8: ReadonlySet<number> = new Set([TYPES.varchar, TYPES.char, TYPES.text, TYPES.oldVarchar, TYPES.oldChar]);
const IS_DECIMAL: ReadonlySet<number> = new Set([TYPES.decimal, TYPES.numeric, TYPES.oldDecimal, TYPES.oldNumeric]);
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
  if (type === TYPES.table) return readTable(fields);
  const read = readerOf(type, fields);
  return read && shownBy(type, read(fields));
}

function shownBy(type: number, value: Bytes | undefined): ReadValue {
  return value ? told(type, value.bytes, value.scale) : { shown: NULL, text: undefined };
}

interface Bytes {
  bytes: Buffer;
  scale?: number;
}
type Reader = (fields: Fields) => Bytes | undefined;

/** Takes what is said of a type, and gives what reads its values. */
function readerOf(type: number, fields: Fields): Reader | undefined {
  const fixed = FIXED[type];
  if (fixed !== undefined) return (values) => ({ bytes: values.take(fixed) });
  switch (type) {
    case TYPES.guid:
    case TYPES.intn:
    case TYPES.bit:
    case TYPES.float:
    case TYPES.money:
    case TYPES.datetime:
    case TYPES.time:
    case TYPES.datetime2:
    case TYPES.datetimeOffset:
    case TYPES.oldVarbinary:
    case TYPES.oldVarchar:
    case TYPES.oldBinary:
    case TYPES.oldChar:
      fields.take(1);
      return short;
    case TYPES.date:
      return short;
    case TYPES.decimal:
    case TYPES.numeric:
    case TYPES.oldDecimal:
    case TYPES.oldNumeric: {
      fields.take(2);
      const scale = fields.byte();
      return (values) => {
        const value = short(values);
        return value && { ...value, scale };
      };
    }
    case TYPES.varbinary:
    case TYPES.binary:
    case TYPES.varchar:
    case TYPES.char:
    case TYPES.nvarchar:
    case TYPES.nchar: {
      const size = fields.uint16();
      if (type !== TYPES.varbinary && type !== TYPES.binary) fields.take(COLLATION_BYTES);
      return size === SHORT_NULL ? inChunks : usual;
    }
    case TYPES.image:
    case TYPES.text:
    case TYPES.ntext:
    case TYPES.variant:
      fields.take(4);
      if (type === TYPES.text || type === TYPES.ntext) fields.take(COLLATION_BYTES);
      return long;
    case TYPES.xml:
      if (fields.byte() === 1) for (const read of ['shortText', 'shortText', 'longText'] as const) fields[read]();
      return inChunks;
    case TYPES.udt:
      for (let count = 0; count < 3; count += 1) fields.shortText();
      return inChunks;
    default:
      return undefined;
  }
}

const TABLE = { none: 0xffff, end: 0, row: 1, unique: 0x10, order: 0x11, isDefault: 0x200 } as const;
const MAX_COLUMNS = 1_024;

/** A table as a value: how many rows, and not what stands in them. */
function readTable(fields: Fields): ReadValue | undefined {
  const [, , name] = [fields.shortText(), fields.shortText(), fields.shortText()];
  const columns = fields.uint16();
  const readers: Reader[] = [];
  if (columns !== TABLE.none) {
    if (columns > MAX_COLUMNS) throw malformed(`a table of ${columns} columns`);
    for (let count = 0; count < columns; count += 1) {
      fields.take(4);
      const flags = fields.uint16();
      const reader = readerOf(fields.byte(), fields);
      if (!reader) return undefined;
      fields.shortText();
      // Of a column that is left to what it is by itself, no values come.
      if (!(flags & TABLE.isDefault)) readers.push(reader);
    }
  }
  for (let token = fields.byte(); token !== TABLE.end; token = fields.byte()) {
    if (token !== TABLE.unique && token !== TABLE.order) throw malformed(`a table with a part ${token}`);
    fields.take(fields.uint16() * (token === TABLE.unique ? 3 : 2));
  }
  let rows = 0;
  for (let token = fields.byte(); token !== TABLE.end; token = fields.byte()) {
    if (token !== TABLE.row) throw malformed(`a table with a row ${token}`);
    for (const read of readers) read(fields);
    rows += 1;
  }
  return { shown: columns === TABLE.none ? NULL : `${name} (${rows} rows)`, text: undefined };
}

function usual(fields: Fields): Bytes | undefined {
  const length = fields.uint16();
  return length === SHORT_NULL ? undefined : { bytes: fields.take(length) };
}

function long(fields: Fields): Bytes | undefined {
  const length = fields.uint32();
  return length === LONG_NULL ? undefined : { bytes: fields.take(length) };
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
    const { text: masked } = maskSecrets(text, tsqlTokens);
    const isCut = masked.length > MAX_VALUE_CHARACTERS;
    return { shown: isCut ? `${masked.slice(0, MAX_VALUE_CHARACTERS)}… (${text.length} characters)` : masked, text };
  }
  return { shown: shownBytes(type, bytes, scale), text: undefined };
}

function shownBytes(type: number, bytes: Buffer, scale: number): string {
  if (IS_INTEGER.has(type) && bytes.length <= 8) return String(integer(bytes, type !== 0x30 && bytes.length > 1));
  if (type === 0x3b || (type === TYPES.float && bytes.length === 4)) return String(bytes.readFloatLE());
  if (type === 0x3e || (type === TYPES.float && bytes.length === 8)) return String(bytes.readDoubleLE());
  if (IS_DECIMAL.has(type)) return decimal(bytes, scale);
  if (type === TYPES.guid && bytes.length === 16) return guid(bytes);
  const more = bytes.length > MAX_BINARY_BYTES ? `… (${bytes.length} bytes)` : '';
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
