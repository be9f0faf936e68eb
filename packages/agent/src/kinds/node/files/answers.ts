/** Builds the packets that answer requests. */
import type { Stats } from 'node:fs';
import { ANSWER, EXTENSION, SFTP_VERSION, STATUS, type Status } from '@gatehouse/contract/kinds/node/files/sftp';
import { attributesOf } from './attributes.ts';

/** Before the bytes of a file: length, type, request id, length of the bytes. */
const DATA_HEADER_BYTES = 13;
const MESSAGE_CHARACTERS = 500;

export interface NamedFile {
  name: Buffer;
  longName: Buffer;
  /** Absent where only the name was asked for. */
  stats?: Stats | undefined;
}

export function versionAnswer(): Buffer {
  const offered = Object.values(EXTENSION).flatMap((name) => [
    stringField(Buffer.from(name)),
    stringField(Buffer.from(name === EXTENSION.statvfs ? '2' : '1')),
  ]);
  return packet(ANSWER.version, [uint32Field(SFTP_VERSION), ...offered]);
}

export function statusAnswer(id: number, status: Status, message: string): Buffer {
  const words = Buffer.from(message.slice(0, MESSAGE_CHARACTERS));
  return packet(ANSWER.status, [
    uint32Field(id),
    uint32Field(status),
    stringField(words),
    stringField(Buffer.from('en')),
  ]);
}

export function okAnswer(id: number): Buffer {
  return statusAnswer(id, STATUS.ok, 'done');
}

export function handleAnswer(id: number, handle: Buffer): Buffer {
  return packet(ANSWER.handle, [uint32Field(id), stringField(handle)]);
}

export function attributesAnswer(id: number, stats: Stats): Buffer {
  return packet(ANSWER.attributes, [uint32Field(id), attributesOf(stats)]);
}

export function namesAnswer(id: number, files: readonly NamedFile[]): Buffer {
  const fields = files.flatMap(({ name, longName, stats }) => [
    stringField(name),
    stringField(longName),
    stats ? attributesOf(stats) : uint32Field(0),
  ]);
  return packet(ANSWER.name, [uint32Field(id), uint32Field(files.length), ...fields]);
}

export function extendedAnswer(id: number, values: readonly bigint[]): Buffer {
  const numbers = Buffer.alloc(values.length * 8);
  for (const [index, value] of values.entries()) numbers.writeBigUInt64BE(BigInt.asUintN(64, value), index * 8);
  return packet(ANSWER.extended, [uint32Field(id), numbers]);
}

/** Room for the answer to a read, so that the bytes of the file are never copied. */
export function dataRoom(count: number): { room: Buffer; answer(id: number, filled: number): Buffer } {
  const whole = Buffer.allocUnsafe(DATA_HEADER_BYTES + count);
  return {
    room: whole.subarray(DATA_HEADER_BYTES),
    answer(id, filled) {
      whole.writeUInt32BE(DATA_HEADER_BYTES - 4 + filled, 0);
      whole.writeUInt8(ANSWER.data, 4);
      whole.writeUInt32BE(id, 5);
      whole.writeUInt32BE(filled, 9);
      return whole.subarray(0, DATA_HEADER_BYTES + filled);
    },
  };
}

function packet(type: number, fields: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(
    fields.reduce((sum, field) => sum + field.length, 1),
    0,
  );
  head.writeUInt8(type, 4);
  return Buffer.concat([head, ...fields]);
}

function uint32Field(value: number): Buffer {
  const field = Buffer.alloc(4);
  field.writeUInt32BE(value >>> 0, 0);
  return field;
}

function stringField(bytes: Buffer): Buffer {
  return Buffer.concat([uint32Field(bytes.length), bytes]);
}
