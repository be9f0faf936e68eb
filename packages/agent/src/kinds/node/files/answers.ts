/** Builds the packets that answer requests. */
import type { Stats } from 'node:fs';
import { ANSWER, EXTENSION, SFTP_VERSION, STATUS, type Status } from '@gatehouse/contract/kinds/node/files/sftp';
import { encodePacket, type Field } from '@gatehouse/tunnel/sftp/encode-packet';
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
  const offered = Object.values(EXTENSION).flatMap((name) => [name, name === EXTENSION.statvfs ? '2' : '1']);
  return encodePacket(ANSWER.version, [SFTP_VERSION, ...offered]);
}

export function statusAnswer(id: number, status: Status, message: string): Buffer {
  return encodePacket(ANSWER.status, [id, status, message.slice(0, MESSAGE_CHARACTERS), 'en']);
}

export function okAnswer(id: number): Buffer {
  return statusAnswer(id, STATUS.ok, 'done');
}

export function handleAnswer(id: number, handle: Buffer): Buffer {
  return encodePacket(ANSWER.handle, [id, handle]);
}

export function attributesAnswer(id: number, stats: Stats): Buffer {
  return encodePacket(ANSWER.attributes, [id, { raw: attributesOf(stats) }]);
}

export function namesAnswer(id: number, files: readonly NamedFile[]): Buffer {
  const fields = files.flatMap(({ name, longName, stats }): Field[] => [
    name,
    longName,
    stats ? { raw: attributesOf(stats) } : 0,
  ]);
  return encodePacket(ANSWER.name, [id, files.length, ...fields]);
}

export function extendedAnswer(id: number, values: readonly bigint[]): Buffer {
  return encodePacket(ANSWER.extended, [id, ...values.map((value) => BigInt.asUintN(64, value))]);
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
