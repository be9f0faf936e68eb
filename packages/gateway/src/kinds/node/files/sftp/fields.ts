/** The fields of SFTP packets, written and read. What a server sends is read within its packet and never beyond. */

import { ATTRIBUTE } from '@gatehouse/contract/kinds/node/files/sftp';
import { SftpBroken } from './sftp-error.ts';
import { MAX_PACKET_BYTES } from './sftp-limits.ts';

/** number: 32 bits; bigint: 64 bits; bytes and text: with their length before them; raw: as they are. */
export type Field = number | bigint | string | Uint8Array | { raw: Uint8Array };

export interface FileAttributes {
  size: number;
  uid: number;
  gid: number;
  /** With the type of the file. */
  mode: number;
  /** In seconds since 1970. */
  modified: number;
}

export function encodePacket(type: number, fields: readonly Field[]): Buffer {
  const parts = fields.flatMap(encodeField);
  const length = parts.reduce((sum, part) => sum + part.length, 1);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length, 0);
  head[4] = type;
  return Buffer.concat([head, ...parts], length + 4);
}

function encodeField(field: Field): Uint8Array[] {
  if (typeof field === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(field >>> 0, 0);
    return [bytes];
  }
  if (typeof field === 'bigint') {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(field, 0);
    return [bytes];
  }
  if (typeof field === 'object' && 'raw' in field) return [field.raw];
  const bytes = typeof field === 'string' ? Buffer.from(field) : field;
  return [...encodeField(bytes.length), bytes];
}

/** Only what is given is set. */
export function encodeAttributes(wanted: { size?: number; permissions?: number }): { raw: Uint8Array } {
  const { size, permissions } = wanted;
  const flags = (size === undefined ? 0 : ATTRIBUTE.size) | (permissions === undefined ? 0 : ATTRIBUTE.permissions);
  const fields: Field[] = [flags];
  if (size !== undefined) fields.push(BigInt(size));
  if (permissions !== undefined) fields.push(permissions);
  return { raw: Buffer.concat(fields.flatMap(encodeField)) };
}

export class FieldReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(packet: Buffer, from: number) {
    this.#bytes = packet;
    this.#at = from;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#advance(4));
  }

  /** A size beyond what a number holds exactly is no size of a file. */
  uint64(): number {
    const value = this.#bytes.readBigUInt64BE(this.#advance(8));
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new SftpBroken('the server told of an impossible size');
    return Number(value);
  }

  bytes(): Buffer {
    const length = this.uint32();
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  attributes(): FileAttributes {
    const flags = this.uint32();
    const size = flags & ATTRIBUTE.size ? this.uint64() : 0;
    const [uid, gid] = flags & ATTRIBUTE.owner ? [this.uint32(), this.uint32()] : [0, 0];
    const mode = flags & ATTRIBUTE.permissions ? this.uint32() : 0;
    const [, modified] = flags & ATTRIBUTE.times ? [this.uint32(), this.uint32()] : [0, 0];
    if (flags & ATTRIBUTE.extended) {
      for (let left = this.uint32(); left > 0; left--) {
        this.bytes();
        this.bytes();
      }
    }
    return { size, uid, gid, mode, modified };
  }

  #advance(count: number): number {
    const start = this.#at;
    if (count > this.#bytes.length - start) throw new SftpBroken('a message of the server is cut short');
    this.#at = start + count;
    return start;
  }
}

const LENGTH_BYTES = 4;
/** Joined beyond this: thousands of single bytes weigh a hundred times their size. */
const MAX_PIECES = 1_000;

/** Cuts what the server sends into packets; holds one unfinished packet at most. */
export class PacketReader {
  #pieces: Buffer[] = [];
  #held = 0;
  #expected: number | undefined;

  *push(piece: Buffer): Generator<Buffer> {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#held += piece.length;
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [Buffer.concat(this.#pieces)];
    for (;;) {
      if (this.#expected === undefined) {
        if (this.#held < LENGTH_BYTES) return;
        this.#expected = lengthIn(this.#take(LENGTH_BYTES));
      }
      if (this.#held < this.#expected) return;
      const packet = this.#take(this.#expected);
      this.#expected = undefined;
      yield packet;
    }
  }

  #take(count: number): Buffer {
    const first = this.#pieces[0] ?? Buffer.alloc(0);
    // Joined once a packet is whole: joining at each piece would copy a large one over and over.
    const all = first.length >= count ? first : Buffer.concat(this.#pieces);
    if (all !== first) this.#pieces = [all];
    const rest = all.subarray(count);
    if (rest.length === 0) this.#pieces.shift();
    else this.#pieces[0] = rest;
    this.#held -= count;
    return all.subarray(0, count);
  }
}

function lengthIn(bytes: Buffer): number {
  const length = bytes.readUInt32BE(0);
  if (length < 1 || length > MAX_PACKET_BYTES)
    throw new SftpBroken(`the server announced a message of ${length} bytes, which is no SFTP`);
  return length;
}
