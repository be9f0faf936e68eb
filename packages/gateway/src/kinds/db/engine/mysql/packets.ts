/** MySQL's packets, as bytes. */
import { DbFailure, malformed } from '../db-failure.ts';
import { FieldReader } from './field-reader.ts';

export const MAX_PART_BYTES = 0xff_ffff;

export const STATUS = {
  inTransaction: 0x1,
  moreResults: 0x8,
  cursorExists: 0x40,
  noBackslashEscapes: 0x200,
  stateChanged: 0x4000,
} as const;

/** One packet; texts end with a zero, bytes stand as they are. Nothing of ours is as long as two. */
export function packet(sequence: number, ...parts: readonly (string | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? zeroEnded(part) : part)));
  if (body.length >= MAX_PART_BYTES) throw malformed(`a packet of ${body.length} bytes is too long`);
  const head = Buffer.alloc(4);
  head.writeUIntLE(body.length, 0, 3);
  head[3] = sequence & 0xff;
  return Buffer.concat([head, body]);
}

/** A zero inside would end a text early, and begin another field. */
function zeroEnded(text: string): Buffer {
  if (text.includes('\0')) throw malformed('a text for the database holds a zero byte');
  return Buffer.from(`${text}\0`);
}

/** With its length before it. */
export function measured(bytes: Buffer): Buffer {
  const { length } = bytes;
  if (length < 0xfb) return Buffer.concat([Buffer.of(length), bytes]);
  if (length > 0xffff) throw malformed(`a field of ${length} bytes is too long`);
  return Buffer.concat([Buffer.of(0xfc, length & 0xff, length >>> 8), bytes]);
}

const STATES: Readonly<Record<number, string>> = { 1044: '42000', 1045: '28000', 1047: '08S01', 1053: '08S01' };

/** As the server itself would say it: clients show its words. */
export function errorPacket(sequence: number, code: number, text: string): Buffer {
  const head = Buffer.from([0xff, code & 0xff, code >>> 8]);
  return packet(sequence, head, Buffer.from(`#${STATES[code] ?? 'HY000'}${text.replaceAll('\0', '')}`));
}

export interface ServerError {
  code: string;
  message: string;
}

/** Before anybody has said what they can, it has no state between code and words. */
export function readServerError(body: Buffer): ServerError {
  const code = body.length >= 3 ? String(body.readUInt16LE(1)) : '';
  const words = body.toString('utf8', body[3] === 0x23 ? 9 : 3);
  return { code, message: words === '' ? 'an error without words' : words };
}

export function refusedBy({ code, message: words }: ServerError, next?: string): DbFailure {
  return new DbFailure('refused', words, { code, ...(next === undefined ? {} : { next }) });
}

export interface Done {
  affected: number;
  status: number;
  /** What the server says of it: `Records: 3  Duplicates: 0`. */
  info: string;
  /** The database that is used from now on, where the server tells it and the client understands that. */
  schema: string | undefined;
  warnings: number;
}

const SCHEMA_CHANGED = 1;

/** An OK, or what ends a result: an EOF, or an OK in its clothes. */
export function readDone(body: Buffer, tracks: boolean): Done {
  const fields = new FieldReader(body.subarray(1));
  if (body[0] === 0xfe && body.length <= 5) {
    if (body.length < 5) return { affected: 0, status: 0, info: '', schema: undefined, warnings: 0 };
    const warnings = fields.number(2);
    return { affected: 0, status: fields.number(2), info: '', schema: undefined, warnings };
  }
  const affected = fields.size();
  fields.size();
  const status = fields.number(2);
  const warnings = fields.number(2);
  if (fields.left === 0) return { affected, status, info: '', schema: undefined, warnings };
  const info = (tracks ? fields.measured() : withoutLength(fields.rest())).toString('utf8');
  const changes = tracks && (status & STATUS.stateChanged) !== 0 && fields.left > 0 ? fields.measured() : undefined;
  return { affected, status, info, schema: changes && schemaOf(changes), warnings };
}

/** The protocol has it as what is left, and servers write its length before it all the same. */
function withoutLength(info: Buffer): Buffer {
  return info[0] === info.length - 1 ? info.subarray(1) : info;
}

function schemaOf(changes: Buffer): string | undefined {
  const fields = new FieldReader(changes);
  let schema: string | undefined;
  while (fields.left > 0) {
    const what = fields.size();
    const data = fields.measured();
    if (what === SCHEMA_CHANGED) schema = new FieldReader(data).measured().toString('utf8');
  }
  return schema;
}
