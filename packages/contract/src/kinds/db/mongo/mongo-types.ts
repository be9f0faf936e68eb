/** The types that a text names: Extended JSON as `{"$oid": "…"}`, and what people type as `ObjectId("…")`. Read, never run. */
import { base64OfHex } from './hex-base64.ts';
import { fieldOf, type MongoDocument, type MongoValue } from './mongo-value.ts';

const OID = /^[0-9a-f]{24}$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const WHOLE = /^[+-]?\d{1,19}$/;
const DECIMAL = /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,5})?|inf(?:inity)?|nan)$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const SUB_TYPE = /^[0-9a-f]{1,2}$/i;
const OPTIONS = /^[a-z]*$/;
const MIN_LONG = -(2n ** 63n);
const MAX_LONG = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 31n);
const MAX_INT = 2n ** 31n - 1n;
const UUID_TYPE = '04';

/** What is wrong, in words. */
export class WrongValue extends Error {}

type Read = (value: MongoValue, whole: MongoDocument) => MongoValue;

/** By the name of their first field. */
const EXTENDED: Readonly<Record<string, Read>> = {
  $oid: (value) => oid(textOf(value, '$oid')),
  $date: (value) => {
    if (value.is === 'text') return date(value.text);
    if (isWhole(value)) return { is: 'date', text: String(longOf(value.text)) };
    throw new WrongValue('$date needs a time as 2026-01-31T12:00:00Z');
  },
  $numberInt: (value) => int(textOf(value, '$numberInt')),
  $numberLong: (value) => long(textOf(value, '$numberLong')),
  $numberDouble: (value) => double(textOf(value, '$numberDouble')),
  $numberDecimal: (value) => decimal(textOf(value, '$numberDecimal')),
  $uuid: (value) => uuid(textOf(value, '$uuid')),
  $symbol: (value) => ({ is: 'symbol', text: textOf(value, '$symbol') }),
  $undefined: () => ({ is: 'undefined' }),
  $minKey: () => ({ is: 'minKey' }),
  $maxKey: () => ({ is: 'maxKey' }),
  $code(value, whole) {
    const scope = fieldOf(whole, '$scope');
    const text = textOf(value, '$code');
    if (scope === undefined) return { is: 'code', text };
    if (scope.is !== 'document') throw new WrongValue('$scope needs a document');
    return { is: 'scopedCode', text, scope };
  },
  $binary(value) {
    const base64 = fieldOf(value, 'base64');
    const subType = fieldOf(value, 'subType');
    if (base64?.is !== 'text' || subType?.is !== 'text')
      throw new WrongValue('$binary needs {"base64": "…", "subType": "00"}');
    return binary(base64.text, subType.text);
  },
  $regularExpression(value) {
    const pattern = fieldOf(value, 'pattern');
    const options = fieldOf(value, 'options');
    if (pattern?.is !== 'text' || (options && options.is !== 'text'))
      throw new WrongValue('$regularExpression needs {"pattern": "…", "options": "…"}');
    return regex(pattern.text, options?.text ?? '');
  },
  $timestamp: (value) => timestamp(fieldOf(value, 't'), fieldOf(value, 'i')),
  $dbPointer(value) {
    const ref = fieldOf(value, '$ref');
    const id = fieldOf(value, '$id');
    if (ref?.is !== 'text' || id?.is !== 'oid') throw new WrongValue('$dbPointer needs {"$ref": "…", "$id": …}');
    return { is: 'pointer', ref: ref.text, oid: id.text };
  },
};

/** How many fields it may have beside the one that names it. */
const MAX_FIELDS = 2;

/** What the document says it is; itself where it says nothing. */
export function extended(whole: MongoDocument): MongoValue {
  const [first] = whole.fields;
  if (!first || whole.fields.length > MAX_FIELDS || !Object.hasOwn(EXTENDED, first.name)) return whole;
  const isAlone = whole.fields.length === 1 || (first.name === '$code' && whole.fields[1]?.name === '$scope');
  return isAlone ? (EXTENDED[first.name] as Read)(first.value, whole) : whole;
}

type Call = (given: readonly MongoValue[]) => MongoValue;

const CALLS: Readonly<Record<string, Call>> = {
  ObjectId: (given) => oid(onlyText(given, 'ObjectId', '24 hexadecimal digits')),
  ISODate: (given) => date(onlyText(given, 'ISODate', 'a time')),
  Date: ([given]) => {
    if (given?.is === 'text') return date(given.text);
    if (given && isWhole(given)) return { is: 'date', text: String(longOf(given.text)) };
    throw new WrongValue('Date needs a time: the clock is not read here');
  },
  NumberInt: (given) => int(onlyNumber(given, 'NumberInt')),
  Int32: (given) => int(onlyNumber(given, 'Int32')),
  NumberLong: (given) => long(onlyNumber(given, 'NumberLong')),
  Long: (given) => long(onlyNumber(given, 'Long')),
  Double: (given) => double(onlyNumber(given, 'Double')),
  NumberDecimal: (given) => decimal(onlyNumber(given, 'NumberDecimal')),
  Decimal128: (given) => decimal(onlyNumber(given, 'Decimal128')),
  UUID: (given) => uuid(onlyText(given, 'UUID', 'a text as 123e4567-e89b-12d3-a456-426614174000')),
  BinData([subType, base64]) {
    if (!subType || !isWhole(subType) || base64?.is !== 'text')
      throw new WrongValue('BinData needs a number and a text in base64');
    return binary(base64.text, Number(subType.text).toString(16));
  },
  Timestamp([first, second]) {
    return first?.is === 'document' ? timestamp(fieldOf(first, 't'), fieldOf(first, 'i')) : timestamp(first, second);
  },
  RegExp([pattern, options]) {
    if (pattern?.is !== 'text' || (options && options.is !== 'text'))
      throw new WrongValue('RegExp needs a pattern, and options as a text');
    return regex(pattern.text, options?.text ?? '');
  },
  Code: (given) => ({ is: 'code', text: onlyText(given, 'Code', 'a text') }),
  MinKey: () => ({ is: 'minKey' }),
  MaxKey: () => ({ is: 'maxKey' }),
};

export function called(name: string, given: readonly MongoValue[]): MongoValue {
  if (!Object.hasOwn(CALLS, name))
    throw new WrongValue(`'${name}(…)' is not known here: ${Object.keys(CALLS).join(', ')} are`);
  return (CALLS[name] as Call)(given);
}

/** Without a point it is a whole number, of the kind it fits. */
export function numeral(text: string): MongoValue {
  if (!WHOLE.test(text)) return double(text);
  const value = BigInt(text);
  if (value >= MIN_INT && value <= MAX_INT) return { is: 'int', text: String(value) };
  return value >= MIN_LONG && value <= MAX_LONG ? { is: 'long', text: String(value) } : double(text);
}

export function regex(pattern: string, options: string): MongoValue {
  if (!OPTIONS.test(options)) throw new WrongValue(`'${options}' are no options of a regular expression`);
  if (pattern.includes('\0')) throw new WrongValue('a regular expression cannot hold a zero');
  return { is: 'regex', pattern, options: [...options].sort().join('') };
}

function oid(text: string): MongoValue {
  if (!OID.test(text)) throw new WrongValue('an ObjectId has 24 hexadecimal digits');
  return { is: 'oid', text: text.toLowerCase() };
}

function date(text: string): MongoValue {
  const ms = /^\d{4,}-\d{2}|^[+-]\d{6}-/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw new WrongValue(`'${text}' is no time as 2026-01-31T12:00:00Z`);
  return { is: 'date', text: String(ms) };
}

function int(text: string): MongoValue {
  const value = WHOLE.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value < MIN_INT || value > MAX_INT)
    throw new WrongValue(`'${text}' is no whole number of 32 bits`);
  return { is: 'int', text: String(value) };
}

function long(text: string): MongoValue {
  return { is: 'long', text: String(longOf(text)) };
}

function longOf(text: string): bigint {
  const value = WHOLE.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value < MIN_LONG || value > MAX_LONG)
    throw new WrongValue(`'${text}' is no whole number of 64 bits`);
  return value;
}

function double(text: string): MongoValue {
  const named = /^([+-]?)(inf(?:inity)?)$/i.exec(text);
  if (named) return { is: 'double', text: `${named[1] === '-' ? '-' : ''}Infinity` };
  if (/^nan$/i.test(text)) return { is: 'double', text: 'NaN' };
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isNaN(value)) throw new WrongValue(`'${text}' is no number`);
  return { is: 'double', text: doubleText(value) };
}

/** With a point or an exponent: a whole number would be taken for another kind. */
export function doubleText(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function decimal(text: string): MongoValue {
  if (!DECIMAL.test(text)) throw new WrongValue(`'${text}' is no decimal number`);
  return { is: 'decimal', text };
}

function binary(base64: string, subType: string): MongoValue {
  if (!BASE64.test(base64)) throw new WrongValue('that is no text in base64');
  if (!SUB_TYPE.test(subType)) throw new WrongValue(`'${subType}' is no kind of binary data`);
  return { is: 'binary', base64, subType: subType.toLowerCase().padStart(2, '0') };
}

function uuid(text: string): MongoValue {
  if (!UUID.test(text)) throw new WrongValue(`'${text}' is no UUID`);
  return { is: 'binary', base64: base64OfHex(text.replaceAll('-', '')), subType: UUID_TYPE };
}

function timestamp(t: MongoValue | undefined, i: MongoValue | undefined): MongoValue {
  const [seconds, count] = [partOf(t), partOf(i)];
  if (seconds === undefined || count === undefined)
    throw new WrongValue('a Timestamp needs two whole numbers, t and i');
  return { is: 'timestamp', t: seconds, i: count };
}

function partOf(value: MongoValue | undefined): number | undefined {
  const number = value && isWhole(value) ? Number(value.text) : -1;
  return number >= 0 && number < 2 ** 32 ? number : undefined;
}

function isWhole(value: MongoValue): value is Extract<MongoValue, { is: 'int' | 'long' }> {
  return value.is === 'int' || value.is === 'long';
}

function textOf(value: MongoValue, name: string): string {
  if (value.is !== 'text') throw new WrongValue(`${name} needs a text`);
  return value.text;
}

function onlyText([given]: readonly MongoValue[], name: string, what: string): string {
  if (given?.is !== 'text') throw new WrongValue(`${name} needs ${what}`);
  return given.text;
}

function onlyNumber([given]: readonly MongoValue[], name: string): string {
  if (given?.is === 'text' || given?.is === 'double' || (given && isWhole(given)))
    return given.text.replace(/\.0$/, '');
  throw new WrongValue(`${name} needs a number`);
}
