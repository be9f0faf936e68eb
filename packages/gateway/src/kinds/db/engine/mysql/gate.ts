/** Lets the bytes of packets through as they come, holds one back until somebody has decided about it, or drops it whole. */
import type { PacketReader } from './packet-reader.ts';

const NOTHING = Buffer.alloc(0);

export class Gate {
  readonly #reader: PacketReader;
  /** What has come and is not decided about; it begins at `#heldFrom` among all bytes. */
  #held: Buffer[] = [];
  #heldFrom = 0;
  #isHolding = false;
  /** From where on everything is dropped, up to the end of the packet. */
  #dropFrom: number | undefined;
  /** What is passed on in its place. */
  #instead: Buffer | undefined;
  /** Dropped already, of what is still here. */
  #dropped: { from: number; to: number; instead?: Buffer | undefined }[] = [];

  constructor(reader: PacketReader) {
    this.#reader = reader;
  }

  /** Nothing of the packet that begins now is passed on before `letGo`. */
  hold(): void {
    this.#isHolding = true;
  }

  letGo(): void {
    this.#isHolding = false;
  }

  /** Nothing of the packet that is read now is passed on, of which nothing was. */
  drop(): void {
    this.#isHolding = false;
    this.#dropFrom = this.#reader.from;
  }

  /** In place of the packet that is read now, of which nothing was passed on and which has come whole, another is. */
  replace(bytes: Buffer): void {
    this.drop();
    this.#instead = bytes;
  }

  /** The packet that is read now has come to its end. */
  endOfPacket(): void {
    if (this.#dropFrom !== undefined)
      this.#dropped.push({ from: this.#dropFrom, to: this.#reader.seen, instead: this.#instead });
    this.#dropFrom = undefined;
    this.#instead = undefined;
  }

  /** Feeds the reader, which decides; gives what is passed on. */
  pass(piece: Buffer): Buffer {
    const before = this.#reader.seen;
    const end = before + piece.length;
    this.#reader.feed(piece);
    const from = this.#held.length > 0 ? this.#heldFrom : before;
    const decided = this.#isUndecided() ? this.#reader.from : end;
    if (decided === from && this.#held.length > 0) {
      this.#held.push(piece);
      return NOTHING;
    }
    const all = this.#held.length > 0 ? Buffer.concat([...this.#held, piece]) : piece;
    this.#held = decided < end ? [all.subarray(decided - from)] : [];
    this.#heldFrom = decided;
    return this.#without(all, from, decided);
  }

  /** A packet whose first byte has not come may be anything. */
  #isUndecided(): boolean {
    return !this.#reader.isBetween && (this.#isHolding || !this.#reader.hasBegun);
  }

  #without(all: Buffer, from: number, to: number): Buffer {
    const dropped = this.#dropped;
    this.#dropped = [];
    if (this.#dropFrom !== undefined) {
      dropped.push({ from: this.#dropFrom, to });
      this.#dropFrom = to;
    }
    if (dropped.length === 0) return to - from === all.length ? all : all.subarray(0, to - from);
    const parts: Buffer[] = [];
    let at = from;
    for (const each of dropped) {
      parts.push(all.subarray(at - from, each.from - from));
      if (each.instead) parts.push(each.instead);
      at = each.to;
    }
    parts.push(all.subarray(at - from, to - from));
    return Buffer.concat(parts);
  }
}
