/** The few things of BER and DER that RDP and CredSSP are written in. */
import { malformed } from '../desktop-link.ts';
import { FieldReader } from '../field-reader.ts';

export interface Tlv {
  tag: number;
  body: Buffer;
}

export function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const tagged = tag > 0xff ? [tag >> 8, tag & 0xff] : [tag];
  return Buffer.concat([Buffer.from([...tagged, ...lengthBytes(length)]), ...parts]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  if (length < 0x100) return [0x81, length];
  return [0x82, length >> 8, length & 0xff];
}

/** Tags of one byte. */
export function readTlv(reader: FieldReader): Tlv {
  const tag = reader.u8();
  return { tag, body: reader.take(readLength(reader)) };
}

export function readLength(reader: FieldReader): number {
  const first = reader.u8();
  if (first < 0x80) return first;
  let length = 0;
  const count = first & 0x7f;
  if (count === 0 || count > 4) throw malformed('a length is none of DER');
  for (let left = count; left > 0; left -= 1) length = length * 256 + reader.u8();
  return length;
}

/** The next, which must be this one. */
export function expectTlv(reader: FieldReader, tag: number, what: string): Buffer {
  const found = readTlv(reader);
  if (found.tag !== tag) throw malformed(`${what} is not there where it belongs`);
  return found.body;
}

/** The body of the only value in `bytes`. */
export function onlyTlv(bytes: Buffer, tag: number, what: string): Buffer {
  return expectTlv(new FieldReader(bytes, what), tag, what);
}

/** Where a DER value ends that begins here; undefined: that cannot be said yet. */
export function derLength(head: Buffer, max: number): number | undefined {
  if (head.length < 2) return undefined;
  const first = head[1]!;
  if (first < 0x80) return 2 + first;
  const count = first & 0x7f;
  if (count === 0 || count > 4) throw malformed('a length is none of DER');
  if (head.length < 2 + count) return undefined;
  const length = 2 + count + head.readUIntBE(2, count);
  if (length > max) throw malformed('a message is longer than any that is needed');
  return length;
}
