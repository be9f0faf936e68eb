/** What a result of SQL Server says of its columns: how the values of each are laid out, and what people call its type. */
import { malformed } from '../db-failure.ts';
import type { Fields } from './fields.ts';

export const TYPE_CODE = {
  ...{ null: 0x1f, tinyint: 0x30, bit: 0x32, smallint: 0x34, int: 0x38, smalldatetime: 0x3a, real: 0x3b },
  ...{ money: 0x3c, datetime: 0x3d, float: 0x3e, smallmoney: 0x7a, bigint: 0x7f },
  ...{ guid: 0x24, intn: 0x26, date: 0x28, time: 0x29, datetime2: 0x2a, datetimeOffset: 0x2b },
  ...{ decimal: 0x6a, numeric: 0x6c, bitn: 0x68, floatn: 0x6d, moneyn: 0x6e, datetimen: 0x6f },
  ...{ varbinary: 0xa5, varchar: 0xa7, binary: 0xad, char: 0xaf, nvarchar: 0xe7, nchar: 0xef },
  ...{ image: 0x22, text: 0x23, ntext: 0x63, variant: 0x62, xml: 0xf1, udt: 0xf0 },
  ...{ oldVarbinary: 0x25, oldVarchar: 0x27, oldBinary: 0x2d, oldChar: 0x2f, oldDecimal: 0x37, oldNumeric: 0x3f },
} as const;
const T = TYPE_CODE;

/** Of those whose values have no length before them. */
const FIXED: ReadonlyMap<number, [bytes: number, name: string]> = new Map<number, [number, string]>([
  [T.null, [0, 'null']],
  [T.tinyint, [1, 'tinyint']],
  [T.bit, [1, 'bit']],
  [T.smallint, [2, 'smallint']],
  [T.int, [4, 'int']],
  [T.smalldatetime, [4, 'smalldatetime']],
  [T.real, [4, 'real']],
  [T.money, [8, 'money']],
  [T.datetime, [8, 'datetime']],
  [T.float, [8, 'float']],
  [T.smallmoney, [4, 'smallmoney']],
  [T.bigint, [8, 'bigint']],
]);
/** By how many bytes their values have at most. */
const SIZED: ReadonlyMap<number, Readonly<Record<number, string>>> = new Map<number, Record<number, string>>([
  [T.intn, { 1: 'tinyint', 2: 'smallint', 4: 'int', 8: 'bigint' }],
  [T.bitn, { 1: 'bit' }],
  [T.floatn, { 4: 'real', 8: 'float' }],
  [T.moneyn, { 4: 'smallmoney', 8: 'money' }],
  [T.datetimen, { 4: 'smalldatetime', 8: 'datetime' }],
  [T.guid, { 16: 'uniqueidentifier' }],
]);
const SCALED: ReadonlyMap<number, string> = new Map([
  [T.time, 'time'],
  [T.datetime2, 'datetime2'],
  [T.datetimeOffset, 'datetimeoffset'],
]);
const DECIMALS: ReadonlyMap<number, string> = new Map([
  [T.decimal, 'decimal'],
  [T.numeric, 'numeric'],
  [T.oldDecimal, 'decimal'],
  [T.oldNumeric, 'numeric'],
]);
const OLD: ReadonlyMap<number, string> = new Map([
  [T.oldVarbinary, 'varbinary'],
  [T.oldVarchar, 'varchar'],
  [T.oldBinary, 'binary'],
  [T.oldChar, 'char'],
]);
const STRINGS: ReadonlyMap<number, string> = new Map([
  [T.varbinary, 'varbinary'],
  [T.binary, 'binary'],
  [T.varchar, 'varchar'],
  [T.char, 'char'],
  [T.nvarchar, 'nvarchar'],
  [T.nchar, 'nchar'],
]);
const BINARY: ReadonlySet<number> = new Set([T.varbinary, T.binary]);
const WIDE: ReadonlySet<number> = new Set([T.nvarchar, T.nchar]);
const IN_CHUNKS = 0xffff;
const COLLATION_BYTES = 5;
/** A server has 4,096 in a result. */
const MAX_COLUMNS = 4_096;
const NO_COLUMNS = 0xffff;

/** What stands before a value: nothing, its length in one, two or four bytes, a pointer and its length, or chunks. */
export type Layout = 'fixed' | 'byte' | 'short' | 'long' | 'pointer' | 'chunks';

export interface ColumnType {
  code: number;
  layout: Layout;
  /** At most; exactly where it is fixed. */
  bytes: number;
  scale: number;
  /** Of a text of one byte for a character. */
  encoding: string;
  name: string;
}

export interface ResultColumn {
  name: string;
  type: ColumnType;
}

/** Undefined: what there was before is over, and no columns follow. */
export function readColumnCount(fields: Fields): number | undefined {
  const count = fields.uint16();
  if (count === NO_COLUMNS) return undefined;
  if (count > MAX_COLUMNS) throw malformed(`a result of ${count} columns`);
  return count;
}

export function readColumn(fields: Fields): ResultColumn {
  fields.take(6);
  const type = readType(fields);
  if (type.layout === 'pointer') for (let parts = fields.byte(); parts > 0; parts -= 1) fields.longText();
  return { name: fields.shortText(), type };
}

function readType(fields: Fields): ColumnType {
  const code = fields.byte();
  const type = (layout: Layout, name: string, more: Partial<ColumnType> = {}): ColumnType => ({
    ...{ code, layout, name, bytes: 0, scale: 0, encoding: '' },
    ...more,
  });
  const fixed = FIXED.get(code);
  if (fixed) return type('fixed', fixed[1], { bytes: fixed[0] });
  const sized = SIZED.get(code);
  if (sized) {
    const bytes = fields.byte();
    return type('byte', sized[bytes] ?? `type ${code}`, { bytes });
  }
  if (code === T.date) return type('byte', 'date');
  const scaled = SCALED.get(code);
  if (scaled !== undefined) {
    const scale = fields.byte();
    return type('byte', `${scaled}(${scale})`, { scale });
  }
  const decimal = DECIMALS.get(code);
  if (decimal !== undefined) {
    const [, precision, scale] = [fields.byte(), fields.byte(), fields.byte()];
    return type('byte', `${decimal}(${precision},${scale})`, { scale });
  }
  const old = OLD.get(code);
  if (old !== undefined) {
    const bytes = fields.byte();
    return type('byte', `${old}(${bytes})`, { bytes, encoding: 'windows-1252' });
  }
  const string = STRINGS.get(code);
  if (string !== undefined) {
    const bytes = fields.uint16();
    const encoding = BINARY.has(code) ? '' : encodingOf(fields.take(COLLATION_BYTES));
    const size = bytes === IN_CHUNKS ? 'max' : WIDE.has(code) ? bytes / 2 : bytes;
    return type(bytes === IN_CHUNKS ? 'chunks' : 'short', `${string}(${size})`, { bytes, encoding });
  }
  return readLongType(code, fields, type);
}

function readLongType(
  code: number,
  fields: Fields,
  type: (layout: Layout, name: string, more?: Partial<ColumnType>) => ColumnType,
): ColumnType {
  switch (code) {
    case T.image:
      fields.take(4);
      return type('pointer', 'image');
    case T.text:
    case T.ntext: {
      fields.take(4);
      const encoding = encodingOf(fields.take(COLLATION_BYTES));
      return type('pointer', code === T.text ? 'text' : 'ntext', { encoding });
    }
    case T.variant:
      fields.take(4);
      return type('long', 'sql_variant');
    case T.xml:
      if (fields.byte() === 1) for (const read of ['shortText', 'shortText', 'longText'] as const) fields[read]();
      return type('chunks', 'xml');
    case T.udt: {
      fields.take(2);
      const [, , name] = [fields.shortText(), fields.shortText(), fields.shortText()];
      fields.longText();
      return type('chunks', name);
    }
    default:
      throw malformed(`a column of the type 0x${code.toString(16)}, which is not read here`);
  }
}

const IS_UTF8 = 0x0400_0000;
const LANGUAGE = 0xffff;
/** By the language of a collation; all others are Western. */
const ENCODINGS: ReadonlyMap<number, string> = new Map(
  (
    [
      ['windows-1250', [0x405, 0x40e, 0x415, 0x418, 0x41a, 0x41b, 0x41c, 0x424, 0x104e]],
      ['windows-1251', [0x402, 0x419, 0x422, 0x423, 0x428, 0x42f, 0x43f, 0x440, 0x444, 0x450, 0x82c, 0x843, 0xc1a]],
      ['windows-1253', [0x408]],
      ['windows-1254', [0x41f, 0x42c, 0x443]],
      ['windows-1255', [0x40d]],
      ['windows-1256', [0x401, 0x420, 0x429]],
      ['windows-1257', [0x425, 0x426, 0x427, 0x827]],
      ['windows-1258', [0x42a]],
      ['windows-874', [0x41e]],
      ['shift_jis', [0x411]],
      ['gbk', [0x804]],
      ['euc-kr', [0x412]],
      ['big5', [0x404, 0xc04, 0x1404]],
    ] as const
  ).flatMap(([encoding, languages]) => languages.map((language) => [language, encoding] as const)),
);

function encodingOf(collation: Buffer): string {
  const word = collation.readUInt32LE();
  if (word & IS_UTF8) return 'utf-8';
  return ENCODINGS.get(word & LANGUAGE) ?? 'windows-1252';
}
