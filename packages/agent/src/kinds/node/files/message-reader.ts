/** Reads the fields of one packet in order. A field that is cut short fails this request, not the connection. */

import { STATUS } from '@gatehouse/contract/kinds/node/files/sftp';
import { SftpFailure } from './sftp-failure.ts';

const NUL = 0;

export class MessageReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(packet: Buffer, from = 0) {
    this.#bytes = packet;
    this.#at = from;
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#advance(4));
  }

  /** Sizes and offsets: no file reaches beyond what a number holds exactly. */
  uint64(): number {
    const value = this.#bytes.readBigUInt64BE(this.#advance(8));
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new SftpFailure(STATUS.badMessage, 'the offset is too large');
    return Number(value);
  }

  string(): Buffer {
    const length = this.uint32();
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Bytes, as file systems have them: a name need not be text. */
  path(): Buffer {
    const path = this.string();
    // The system ends a name there: another file than the one that was named would be meant.
    if (path.includes(NUL)) throw new SftpFailure(STATUS.badMessage, 'the path holds a zero byte');
    return path.length === 0 ? Buffer.from('.') : path;
  }

  #advance(count: number): number {
    const start = this.#at;
    if (count > this.#bytes.length - start) throw new SftpFailure(STATUS.badMessage, 'the message is cut short');
    this.#at = start + count;
    return start;
  }
}
