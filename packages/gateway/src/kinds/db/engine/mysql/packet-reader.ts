/** Follows a stream of MySQL's packets in pieces, wherever they are cut: jumps over what nobody wants, keeps the beginning of the rest. */
import { createHash, type Hash } from 'node:crypto';
import { malformed } from '../db-failure.ts';
import { MAX_PART_BYTES } from './packets.ts';

const HEAD_BYTES = 4;
/** As the server itself has it, of all parts together. */
const MAX_PACKET_BYTES = 1024 * 1024 * 1024;
const FIRST_ROOM_BYTES = 512;
const LARGE_ROOM_BYTES = 64 * 1024;

/** What `begin` is asked about where there is no first byte. */
export const EMPTY = -1;

export interface ReadPacket {
  /** As much as is kept; valid until the next piece is fed. */
  body: Buffer;
  /** Of the whole. */
  length: number;
  /** Of all behind its first byte; only where not all is kept. */
  sha256?: string;
}

export interface WantedPacket {
  /** How much of it is kept. */
  keep: number;
  /** Where that is not all, the whole is told by a hash. */
  isHashed?: true;
}

export interface PacketReaderOptions {
  /** Once for each, at its first byte; undefined: it is jumped over. `length`: of its first part. */
  begin(first: number, sequence: number, length: number): WantedPacket | undefined;
  /** As much as is kept has come, and there is more. */
  filled?(body: Buffer): void;
  read(packet: ReadPacket): void;
}

export class PacketReader {
  readonly #options: PacketReaderOptions;
  readonly #head = Buffer.alloc(HEAD_BYTES);
  #headSize = 0;
  /** Of the part that is read now, and of the packet so far, with that part. */
  #left = 0;
  #length = 0;
  /** A part as long as can be is followed by another, be it empty. */
  #continues = false;
  #hasBegun = false;
  #sequence = 0;
  #wanted: WantedPacket | undefined;
  #isFilled = false;
  #kept = Buffer.alloc(0);
  #keptSize = 0;
  #hash: Hash | undefined;
  #seen = 0;
  #from = 0;

  constructor(options: PacketReaderOptions) {
    this.#options = options;
  }

  /** Bytes of everything so far, up to the end of what was read last. */
  get seen(): number {
    return this.#seen;
  }

  /** Where the packet that is read now, or was read last, begins among all bytes. */
  get from(): number {
    return this.#from;
  }

  /** Of the last part whose head was read. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Whether the last piece ended where a packet does. */
  get isBetween(): boolean {
    return this.#left === 0 && this.#headSize === 0 && !this.#continues;
  }

  /** Whether the first byte of what is read now has come. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  feed(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) {
      if (this.#left > 0) at = this.#takeBody(piece, at);
      else {
        if (this.#headSize === 0 && !this.#continues) at = this.#takeWhole(piece, at);
        if (at < piece.length && this.#left === 0) at = this.#takeHead(piece, at);
      }
    }
  }

  /** Feeds no more than the rest of the packet that has begun; gives how much of the piece that was. */
  feedRest(piece: Buffer): number {
    let at = 0;
    while (at < piece.length && !this.isBetween) {
      const next = piece.subarray(at, at + (this.#left > 0 ? this.#left : 1));
      this.feed(next);
      at += next.length;
    }
    return at;
  }

  /** The usual case in one tight loop: packets that are in the piece from beginning to end, rows above all. */
  #takeWhole(piece: Buffer, from: number): number {
    let at = from;
    while (piece.length - at > HEAD_BYTES) {
      const length = (piece[at] as number) | ((piece[at + 1] as number) << 8) | ((piece[at + 2] as number) << 16);
      const end = at + HEAD_BYTES + length;
      if (length === 0 || length === MAX_PART_BYTES || end > piece.length) return at;
      this.#from = this.#seen;
      this.#sequence = piece[at + 3] as number;
      const wanted = this.#options.begin(piece[at + HEAD_BYTES] as number, this.#sequence, length);
      this.#length = length;
      if (wanted !== undefined && wanted.keep < length) {
        // Longer than what is kept: part by part, as what is cut.
        this.#seen += HEAD_BYTES;
        this.#left = length;
        this.#start(wanted);
        return at + HEAD_BYTES;
      }
      this.#seen += HEAD_BYTES + length;
      at = end;
      if (wanted !== undefined) this.#options.read({ body: piece.subarray(end - length, end), length });
    }
    return at;
  }

  #takeHead(piece: Buffer, at: number): number {
    const size = Math.min(HEAD_BYTES - this.#headSize, piece.length - at);
    if (this.#headSize === 0 && !this.#continues) this.#from = this.#seen;
    piece.copy(this.#head, this.#headSize, at, at + size);
    this.#headSize += size;
    this.#seen += size;
    if (this.#headSize === HEAD_BYTES) {
      this.#headSize = 0;
      this.#beginPart(this.#head.readUIntLE(0, 3), this.#head[3] as number);
    }
    return at + size;
  }

  #beginPart(length: number, sequence: number): void {
    this.#sequence = sequence;
    this.#length = this.#continues ? this.#length + length : length;
    if (this.#length > MAX_PACKET_BYTES) throw malformed('a packet of more than a gigabyte');
    this.#left = length;
    this.#continues = length === MAX_PART_BYTES;
    if (length > 0) return;
    if (!this.#hasBegun) this.#start(this.#options.begin(EMPTY, sequence, 0));
    this.#finish();
  }

  #start(wanted: WantedPacket | undefined): void {
    this.#hasBegun = true;
    this.#wanted = wanted;
    this.#keptSize = 0;
    this.#isFilled = false;
  }

  #takeBody(piece: Buffer, at: number): number {
    const part = piece.subarray(at, at + this.#left);
    if (!this.#hasBegun) this.#start(this.#options.begin(part[0] as number, this.#sequence, this.#length));
    this.#left -= part.length;
    this.#seen += part.length;
    if (this.#wanted !== undefined) this.#keep(part, this.#wanted);
    if (this.#left === 0 && !this.#continues) this.#finish();
    return at + part.length;
  }

  /** Room is made for what has come, never for what is said to come. */
  #keep(part: Buffer, { keep, isHashed }: WantedPacket): void {
    const taken = part.subarray(0, keep - this.#keptSize);
    const size = this.#keptSize + taken.length;
    if (size > this.#kept.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, Math.min(keep, 2 * this.#keptSize), FIRST_ROOM_BYTES));
      this.#kept.copy(larger, 0, 0, this.#keptSize);
      this.#kept = larger;
    }
    taken.copy(this.#kept, this.#keptSize);
    this.#keptSize = size;
    const rest = part.subarray(taken.length);
    if (rest.length === 0) return;
    if (!this.#isFilled) {
      this.#isFilled = true;
      if (isHashed) this.#hash = createHash('sha256').update(this.#kept.subarray(1, size));
      this.#options.filled?.(this.#kept.subarray(0, size));
    }
    this.#hash?.update(rest);
  }

  #finish(): void {
    const [wanted, hash] = [this.#wanted, this.#hash];
    this.#hasBegun = false;
    this.#wanted = undefined;
    this.#hash = undefined;
    if (wanted === undefined) return;
    const body = this.#kept.subarray(0, this.#keptSize);
    this.#options.read({ body, length: this.#length, ...(hash ? { sha256: hash.digest('hex') } : {}) });
    // One giant statement does not keep its room for the rest of a connection.
    if (this.#kept.length > LARGE_ROOM_BYTES) this.#kept = Buffer.alloc(0);
  }
}
