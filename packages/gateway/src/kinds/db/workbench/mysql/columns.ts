/** What a MySQL server tells of the columns of a result. */
import { FieldReader } from '../../engine/mysql/field-reader.ts';
import type { Column } from '../thread/sql-client.ts';

const BINARY_CHARSET = 63;
/** Results come in it: of so many bytes at most is a character, by which lengths are told. */
const CHARACTER_BYTES = 4;
const UNSIGNED = 0x20;
const ENUM = 0x100;
const SET = 0x800;

const DECIMALS = [0, 246];
const BIT = 16;
const JSON_TYPE = 245;
const GEOMETRY = 255;
const BLOBS = [249, 250, 251, 252];
const TEXTS = [15, 253, 254];
const NUMBERS: ReadonlyMap<number, string> = new Map([
  [1, 'tinyint'],
  [2, 'smallint'],
  [3, 'int'],
  [4, 'float'],
  [5, 'double'],
  [8, 'bigint'],
  [9, 'mediumint'],
]);
const OTHERS: ReadonlyMap<number, string> = new Map([
  [6, 'null'],
  [7, 'timestamp'],
  [10, 'date'],
  [11, 'time'],
  [12, 'datetime'],
  [13, 'year'],
  [BIT, 'bit'],
  [JSON_TYPE, 'json'],
  [247, 'enum'],
  [248, 'set'],
  [GEOMETRY, 'geometry'],
]);

export interface MysqlColumn extends Column {
  /** Bytes that are no text. */
  isBinary: boolean;
}

/** Of a column of a table, the table: its name there, and by which name it stands in this statement, as one may stand in it twice. */
export function tableOf(schema: string, table: string, alias: string): string {
  return JSON.stringify([schema, table, alias]);
}

export function readColumn(body: Buffer): MysqlColumn {
  const fields = new FieldReader(body);
  fields.measured();
  const [schema, alias, table, name, column] = Array.from({ length: 5 }, () => fields.measured().toString('utf8'));
  fields.size();
  const charset = fields.number(2);
  const length = fields.number(4);
  const code = fields.number(1);
  const flags = fields.number(2);
  const decimals = fields.number(1);
  const isText = [...TEXTS, ...BLOBS].includes(code);
  return {
    name: name ?? '',
    type: typeName({ code, flags, length, decimals, isBytes: charset === BINARY_CHARSET }),
    isBinary: (isText && charset === BINARY_CHARSET) || code === BIT || code === GEOMETRY,
    ...(table && column ? { source: { table: tableOf(schema ?? '', table, alias ?? ''), column } } : {}),
  };
}

interface ColumnFacts {
  code: number;
  flags: number;
  length: number;
  decimals: number;
  isBytes: boolean;
}

function typeName({ code, flags, length, decimals, isBytes }: ColumnFacts): string {
  const sign = (flags & UNSIGNED) === 0 ? '' : ' unsigned';
  if (flags & ENUM) return 'enum';
  if (flags & SET) return 'set';
  if (DECIMALS.includes(code)) {
    const digits = length - (decimals > 0 ? 1 : 0) - (sign === '' ? 1 : 0);
    return `decimal(${digits},${decimals})${sign}`;
  }
  const number = NUMBERS.get(code);
  if (number !== undefined) return number + sign;
  if (BLOBS.includes(code)) return blobName(length, isBytes);
  if (!TEXTS.includes(code)) return OTHERS.get(code) ?? `type ${code}`;
  if (isBytes) return `${code === 254 ? 'binary' : 'varbinary'}(${length})`;
  return `${code === 254 ? 'char' : 'varchar'}(${Math.floor(length / CHARACTER_BYTES)})`;
}

function blobName(length: number, isBytes: boolean): string {
  const size = length >= 0xffff_ffff ? 'long' : length >= 0xff_ffff ? 'medium' : '';
  return size + (isBytes ? 'blob' : 'text');
}
