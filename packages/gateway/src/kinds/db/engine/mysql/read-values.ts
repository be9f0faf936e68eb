/** The values of a prepared statement that is run, as far as they are told. */
import { MAX_BINARY_BYTES, MAX_VALUE_CHARACTERS, MAX_VALUES } from '../statement.ts';
import type { FieldReader } from './field-reader.ts';

/** What is known of a statement that was prepared. */
export interface Prepared {
  query: string;
  parameters: number;
  /** Of its values, as the client told them last: later runs leave them out. */
  types: readonly number[];
  /** Values that were sent before, piece by piece, and are not in the packet. */
  sentBefore: Set<number>;
}

const MAX_PARAMETERS = 65_535;
export const UNSIGNED = 0x80;
const SEND_TYPES = 0x80;
const INDICATOR = { none: 0, null: 1 } as const;

/** Behind the number of the statement. What cannot be read is not told, and left to the server. */
export function executedValues(fields: FieldReader, prepared: Prepared): readonly string[] {
  const { parameters, sentBefore } = prepared;
  fields.take(5);
  if (parameters === 0) return [];
  const nulls = fields.take((parameters + 7) >> 3);
  if (fields.number(1) === 1) prepared.types = readTypes(fields, parameters);
  const values: string[] = [];
  for (let at = 0; at < parameters && at < MAX_VALUES; at += 1) {
    if (sentBefore.has(at)) values.push('(sent before)');
    else if (((nulls[at >> 3] ?? 0) >> (at & 7)) & 1) values.push('NULL');
    else values.push(readValue(fields, prepared.types[at] ?? 0));
  }
  if (values.length < parameters) values.push('…');
  return values;
}

/** Of all rows, one after the other, as many as are told. */
export function bulkValues(fields: FieldReader, prepared: Prepared): readonly string[] {
  const { parameters } = prepared;
  const flags = fields.number(2);
  if (parameters === 0) return [];
  if ((flags & SEND_TYPES) !== 0) prepared.types = readTypes(fields, parameters);
  const values: string[] = [];
  for (let at = 0; fields.left > 0; at = (at + 1) % parameters) {
    if (values.length === MAX_VALUES) return [...values, '…'];
    const indicator = fields.number(1);
    if (indicator === INDICATOR.none) values.push(readValue(fields, prepared.types[at] ?? 0));
    else values.push(indicator === INDICATOR.null ? 'NULL' : 'DEFAULT');
  }
  return values;
}

function readTypes(fields: FieldReader, parameters: number): readonly number[] {
  const bytes = fields.take(2 * Math.min(parameters, MAX_PARAMETERS));
  return Array.from({ length: parameters }, (_, at) => bytes.readUInt16LE(2 * at));
}

/** The type in the low byte, and whether it has no sign in the high one. `text`: how what is no number or time is written. */
export function readValue(fields: FieldReader, type: number, text = shown): string {
  const isUnsigned = type >> 8 === UNSIGNED;
  switch (type & 0xff) {
    case 1:
      return String(isUnsigned ? fields.number(1) : fields.take(1).readInt8(0));
    case 2:
    case 13:
      return String(isUnsigned ? fields.number(2) : fields.take(2).readInt16LE(0));
    case 3:
    case 9:
      return String(isUnsigned ? fields.number(4) : fields.take(4).readInt32LE(0));
    case 4:
      return String(fields.take(4).readFloatLE(0));
    case 5:
      return String(fields.take(8).readDoubleLE(0));
    case 6:
      return 'NULL';
    case 8:
      return String(isUnsigned ? fields.take(8).readBigUInt64LE(0) : fields.take(8).readBigInt64LE(0));
    case 7:
    case 10:
    case 12:
      return dateOf(fields.take(fields.number(1)));
    case 11:
      return timeOf(fields.take(fields.number(1)));
    default:
      return text(fields.measured());
  }
}

const two = (number: number | undefined): string => String(number ?? 0).padStart(2, '0');

function dateOf(bytes: Buffer): string {
  if (bytes.length < 4) return '0000-00-00';
  const date = `${String(bytes.readUInt16LE(0)).padStart(4, '0')}-${two(bytes[2])}-${two(bytes[3])}`;
  if (bytes.length < 7) return date;
  return `${date} ${two(bytes[4])}:${two(bytes[5])}:${two(bytes[6])}${fractionOf(bytes.subarray(7))}`;
}

function timeOf(bytes: Buffer): string {
  if (bytes.length < 8) return '00:00:00';
  const hours = 24 * bytes.readUInt32LE(1) + (bytes[5] ?? 0);
  const time = `${two(hours)}:${two(bytes[6])}:${two(bytes[7])}`;
  return `${bytes[0] === 1 ? '-' : ''}${time}${fractionOf(bytes.subarray(8))}`;
}

function fractionOf(bytes: Buffer): string {
  return bytes.length < 4 ? '' : `.${String(bytes.readUInt32LE(0)).padStart(6, '0')}`;
}

/** Drivers send texts and bytes alike: what is no text in UTF-8 is told as bytes. */
function shown(bytes: Buffer): string {
  // Four bytes a character at most: the rest need not be read.
  const beginning = bytes.subarray(0, 4 * MAX_VALUE_CHARACTERS);
  const text = beginning.toString('utf8');
  if (text.slice(0, -1).includes('\ufffd') || text.includes('\0'))
    return `\\x${beginning.toString('hex', 0, Math.min(beginning.length, MAX_BINARY_BYTES))}`;
  return text.slice(0, MAX_VALUE_CHARACTERS);
}
