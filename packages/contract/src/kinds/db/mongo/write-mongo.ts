/** Values of MongoDB as its shell writes them. What is written is read as the same value again. */
import { hexOfBase64 } from './hex-base64.ts';
import type { MongoField, MongoValue } from './mongo-value.ts';

const WORD = /^[A-Za-z_$][\w$]*$/;
/** What Date writes with four digits of a year. */
const MIN_ISO = 0;
const MAX_ISO = Date.UTC(10_000, 0) - 1;
/** A document of few fields that fits a line stays on one. */
const LINE = 72;

/** On one line. */
export function writeMongo(value: MongoValue): string {
  if (value.is === 'document') {
    return value.fields.length === 0 ? '{}' : `{ ${value.fields.map((field) => named(field, writeMongo)).join(', ')} }`;
  }
  if (value.is === 'array') return `[${value.values.map(writeMongo).join(', ')}]`;
  return writeLeaf(value);
}

/** With a line for each field, where it does not fit one. */
export function writeMongoLines(value: MongoValue, indent = ''): string {
  const inner = `${indent}  `;
  const line = (each: MongoValue) => writeMongoLines(each, inner);
  if (value.is !== 'document' && value.is !== 'array') return writeLeaf(value);
  const short = isFlat(value) ? writeMongo(value) : undefined;
  if (short !== undefined && short.length + indent.length <= LINE) return short;
  const parts = value.is === 'document' ? value.fields.map((field) => named(field, line)) : value.values.map(line);
  if (parts.length === 0) return writeMongo(value);
  const [open, close] = value.is === 'document' ? ['{', '}'] : ['[', ']'];
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

export function writeName(name: string): string {
  return WORD.test(name) ? name : JSON.stringify(name);
}

function named({ name, value }: MongoField, write: (value: MongoValue) => string): string {
  return `${writeName(name)}: ${write(value)}`;
}

function isFlat(value: MongoValue): boolean {
  const parts =
    value.is === 'document' ? value.fields.map((field) => field.value) : value.is === 'array' ? value.values : [];
  return parts.every((part) => part.is !== 'document' && part.is !== 'array');
}

type Leaf = Exclude<MongoValue, { is: 'document' | 'array' }>;

export function writeLeaf(value: Leaf): string {
  switch (value.is) {
    case 'text':
      return JSON.stringify(value.text);
    case 'int':
    case 'double':
      return value.text;
    case 'long':
      return `NumberLong("${value.text}")`;
    case 'decimal':
      return `NumberDecimal("${value.text}")`;
    case 'oid':
      return `ObjectId("${value.text}")`;
    case 'date':
      return dateText(value.text);
    case 'bool':
      return String(value.value);
    case 'null':
    case 'undefined':
      return value.is;
    case 'minKey':
      return 'MinKey()';
    case 'maxKey':
      return 'MaxKey()';
    case 'binary':
      return binaryText(value.base64, value.subType);
    case 'regex':
      return `RegExp(${JSON.stringify(value.pattern)}, ${JSON.stringify(value.options)})`;
    case 'timestamp':
      return `Timestamp(${value.t}, ${value.i})`;
    case 'code':
      return `Code(${JSON.stringify(value.text)})`;
    case 'symbol':
      return `{ $symbol: ${JSON.stringify(value.text)} }`;
    case 'scopedCode':
      return `{ $code: ${JSON.stringify(value.text)}, $scope: ${writeMongo(value.scope)} }`;
    case 'pointer':
      return `{ $dbPointer: { $ref: ${JSON.stringify(value.ref)}, $id: ObjectId("${value.oid}") } }`;
    default:
      return value satisfies never;
  }
}

function dateText(text: string): string {
  const ms = Number(text);
  return ms >= MIN_ISO && ms <= MAX_ISO
    ? `ISODate("${new Date(ms).toISOString()}")`
    : `{ $date: NumberLong("${text}") }`;
}

function binaryText(base64: string, subType: string): string {
  const hex = subType === '04' ? hexOfBase64(base64) : '';
  return hex.length === 32
    ? `UUID("${hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')}")`
    : `BinData(${Number.parseInt(subType, 16)}, "${base64}")`;
}
