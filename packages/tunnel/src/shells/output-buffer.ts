/** What a shell has printed and nobody has stored yet, by byte offset, and a little from before. */
import { collectAfter } from './collect-garbage.ts';

/** From before the last stored byte: who comes back without a recording at hand still sees a screen. */
export const TAIL_BYTES = 256 * 1024;
const FIRST_SEGMENT_BYTES = 4 * 1024;
const SEGMENT_BYTES = 64 * 1024;

interface Segment {
  at: number;
  bytes: Buffer;
  used: number;
}

/** Copies into segments: thousands of single characters as they come from a terminal would weigh a hundred times their size. */
export class OutputBuffer {
  #segments: Segment[] = [];
  #end: number;
  #kept: number;

  /** Later than 0 where somebody else had what came before. */
  constructor(start = 0) {
    this.#end = start;
    this.#kept = start;
  }

  /** The first byte that can still be had. */
  get start(): number {
    return this.#segments[0]?.at ?? this.#end;
  }

  /** One beyond the last. */
  get end(): number {
    return this.#end;
  }

  get unkept(): number {
    return this.#end - this.#kept;
  }

  append(bytes: Uint8Array): void {
    collectAfter(bytes.length);
    for (let at = 0; at < bytes.length; ) {
      const segment = this.#room();
      const part = bytes.subarray(at, at + segment.bytes.length - segment.used);
      segment.bytes.set(part, segment.used);
      segment.used += part.length;
      this.#end += part.length;
      at += part.length;
    }
  }

  /** From `from` on, as much as lies together; empty at the end. The bytes never change afterwards. */
  read(from: number, most: number): Buffer {
    const segment = this.#segments.findLast(({ at }) => at <= from);
    if (!segment) return Buffer.alloc(0);
    return segment.bytes.subarray(from - segment.at, Math.min(segment.used, from - segment.at + most));
  }

  /** Stored elsewhere up to here. What lies before the tail is forgotten. */
  keep(offset: number): void {
    this.#kept = Math.min(this.#end, Math.max(this.#kept, offset));
    this.#forget();
  }

  #forget(): void {
    const first = this.#segments.findIndex(({ at, used }) => at + used > this.#kept - TAIL_BYTES);
    // The last one stays: its room is still to be filled.
    this.#segments.splice(0, first < 0 ? this.#segments.length - 1 : first);
  }

  #room(): Segment {
    const last = this.#segments.at(-1);
    if (last && last.used < last.bytes.length) return last;
    const size = last ? Math.min(SEGMENT_BYTES, last.bytes.length * 2) : FIRST_SEGMENT_BYTES;
    const segment = { at: this.#end, bytes: Buffer.allocUnsafeSlow(size), used: 0 };
    this.#segments.push(segment);
    return segment;
  }
}
