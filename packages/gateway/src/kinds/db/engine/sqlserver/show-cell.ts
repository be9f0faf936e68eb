/** Values of results of SQL Server in words, as its own programs write them. */
import { type ColumnType, TYPE_CODE as T } from './column-types.ts';

const WIDE: ReadonlySet<number> = new Set([T.nvarchar, T.nchar, T.ntext, T.xml]);
const NARROW: ReadonlySet<number> = new Set([T.varchar, T.char, T.text, T.oldVarchar, T.oldChar]);
const DECIMALS: ReadonlySet<number> = new Set([T.decimal, T.numeric, T.oldDecimal, T.oldNumeric]);
const INTEGERS: ReadonlySet<number> = new Set([T.tinyint, T.bit, T.smallint, T.int, T.bigint, T.intn, T.bitn]);
const FLOATS: ReadonlySet<number> = new Set([T.real, T.float, T.floatn]);
const MONEY: ReadonlySet<number> = new Set([T.money, T.smallmoney, T.moneyn]);
const DATETIMES: ReadonlySet<number> = new Set([T.smalldatetime, T.datetime, T.datetimen]);
const DAY_MS = 86_400_000;
const FROM_1900 = Date.UTC(1900, 0, 1);
const FROM_0001 = new Date(0).setUTCFullYear(1, 0, 1);
/** Of the finest that times are kept in. */
const MAX_SCALE = 7;

type CellType = Pick<ColumnType, 'code' | 'scale' | 'encoding'>;

/** Of a text its whole characters, where it was cut. */
export function showCell(bytes: Buffer, type: CellType): string {
  const { code, scale, encoding } = type;
  if (WIDE.has(code)) return wide(bytes);
  if (NARROW.has(code)) return narrow(bytes, encoding);
  return known(bytes, code, scale) ?? `0x${bytes.toString('hex')}`;
}

/** Undefined: bytes that are no value of their type, or have none that is written otherwise. */
function known(bytes: Buffer, code: number, scale: number): string | undefined {
  const { length } = bytes;
  if (INTEGERS.has(code) && length > 0 && length <= 8) return String(integer(bytes, length > 1));
  if (FLOATS.has(code) && length === 4) return single(bytes.readFloatLE());
  if (FLOATS.has(code) && length === 8) return String(bytes.readDoubleLE());
  if (DECIMALS.has(code) && length > 1) return decimal(integer(bytes.subarray(1), false), scale, bytes[0] === 0);
  if (MONEY.has(code) && (length === 4 || length === 8)) return money(bytes);
  if (DATETIMES.has(code) && length === 4) return minutes(bytes.readUInt16LE(0), bytes.readUInt16LE(2));
  if (DATETIMES.has(code) && length === 8) return ticks(bytes.readInt32LE(0), bytes.readUInt32LE(4));
  if (code === T.guid && length === 16) return guid(bytes);
  if (code === T.date && length === 3) return day(bytes.readUIntLE(0, 3));
  if (scale > MAX_SCALE) return undefined;
  if (code === T.time && length >= 3 && length <= 5) return clock(bytes.readUIntLE(0, length), scale);
  if (code === T.datetime2 && length >= 6 && length <= 8) return moment(bytes, scale, 0);
  if (code === T.datetimeOffset && length >= 8 && length <= 10) return withOffset(bytes, scale);
  return code === T.variant ? variant(bytes) : undefined;
}

function wide(bytes: Buffer): string {
  const text = bytes.toString('utf16le');
  const last = text.charCodeAt(text.length - 1);
  // The first half of a character whose other half was cut off.
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}

const decoders = new Map<string, TextDecoder>();
function narrow(bytes: Buffer, encoding: string): string {
  const decoder = decoders.get(encoding) ?? new TextDecoder(encoding || 'windows-1252', { ignoreBOM: true });
  decoders.set(encoding, decoder);
  // What is told to go on keeps the beginning of a character for the next time: it is asked for nothing then.
  const text = decoder.decode(bytes, { stream: true });
  decoder.decode();
  return text;
}

function integer(bytes: Buffer, isSigned: boolean): bigint {
  const value = bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return isSigned ? BigInt.asIntN(bytes.length * 8, value) : value;
}

/** With no more digits than it needs. */
function single(value: number): string {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return String(short);
  }
  return String(value);
}

function decimal(value: bigint, scale: number, isNegative: boolean): string {
  const digits = String(value).padStart(scale + 1, '0');
  const whole = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return isNegative ? `-${whole}` : whole;
}

function money(bytes: Buffer): string {
  const value =
    bytes.length === 4
      ? BigInt(bytes.readInt32LE())
      : (BigInt(bytes.readInt32LE(0)) << 32n) | BigInt(bytes.readUInt32LE(4));
  return decimal(value < 0n ? -value : value, 4, value < 0n);
}

const two = (value: number) => String(value).padStart(2, '0');

function dayOf(time: number): string {
  const date = new Date(time);
  const year = date.getUTCFullYear();
  return Number.isNaN(year)
    ? 'no date'
    : `${String(year).padStart(4, '0')}-${two(date.getUTCMonth() + 1)}-${two(date.getUTCDate())}`;
}
const day = (days: number) => dayOf(FROM_0001 + days * DAY_MS);

function minutes(days: number, count: number): string {
  return `${dayOf(FROM_1900 + days * DAY_MS)} ${two(Math.floor(count / 60))}:${two(count % 60)}:00`;
}

/** Of which 300 are a second. */
function ticks(days: number, count: number): string {
  return `${dayOf(FROM_1900 + days * DAY_MS)} ${clock(Math.round((count * 10) / 3), 3)}`;
}

/** In parts of a second. */
function clock(count: number, scale: number): string {
  const unit = 10 ** scale;
  const seconds = Math.floor(count / unit);
  const part = scale === 0 ? '' : `.${String(count % unit).padStart(scale, '0')}`;
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${part}`;
}

/** Further on by so many minutes than it is kept. */
function moment(bytes: Buffer, scale: number, offset: number): string {
  const timeBytes = bytes.length - 3;
  const unit = 10 ** scale;
  const perDay = 86_400 * unit;
  const count = bytes.readUIntLE(0, timeBytes) + offset * 60 * unit;
  const days = Math.floor(count / perDay);
  return `${day(bytes.readUIntLE(timeBytes, 3) + days)} ${clock(count - days * perDay, scale)}`;
}

function withOffset(bytes: Buffer, scale: number): string {
  const offset = bytes.readInt16LE(bytes.length - 2);
  const far = Math.abs(offset);
  const shown = `${offset < 0 ? '-' : '+'}${two(Math.floor(far / 60))}:${two(far % 60)}`;
  return `${moment(bytes.subarray(0, -2), scale, offset)} ${shown}`;
}

/** The first three of its parts have their bytes the other way round. */
function guid(bytes: Buffer): string {
  const turned = [bytes.subarray(0, 4), bytes.subarray(4, 6), bytes.subarray(6, 8)].map((part) =>
    Buffer.from(part).reverse().toString('hex'),
  );
  return [...turned, bytes.toString('hex', 8, 10), bytes.toString('hex', 10)].join('-').toUpperCase();
}

/** Of what type it is stands before it, with what else there is to say of that. */
function variant(bytes: Buffer): string | undefined {
  const [code, more] = [bytes[0], bytes[1]];
  if (code === undefined || more === undefined || code === T.variant || bytes.length < 2 + more) return undefined;
  const about = bytes.subarray(2, 2 + more);
  const scale = DECIMALS.has(code) ? (about[1] ?? 0) : WIDE.has(code) || NARROW.has(code) ? 0 : (about[0] ?? 0);
  return showCell(bytes.subarray(2 + more), { code, scale, encoding: 'windows-1252' });
}
