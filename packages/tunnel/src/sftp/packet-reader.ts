/** Cuts the bytes of an SFTP client or server into packets, each with its length before it. Holds one unfinished packet at most. */

/** No more is taken: what is read or written at once ends at 256 KiB, with room for the rest of its message. */
export const MAX_PACKET_BYTES = 257 * 1024;

const LENGTH_BYTES = 4;
/** Joined beyond this: thousands of single bytes weigh a hundred times their size. */
const MAX_PIECES = 1_000;

export class PacketReader {
  #pieces: Buffer[] = [];
  #held = 0;
  /** Of the packet that has begun; undefined while its length is not all here. */
  #expected: number | undefined;
  readonly #refuse: (length: number) => Error;

  /** What is thrown when a length is announced that no packet has: nothing after that can be understood. */
  constructor(refuse: (length: number) => Error) {
    this.#refuse = refuse;
  }

  /** The packets that are complete with this piece. Read all of them before the next piece. */
  *push(piece: Buffer): Generator<Buffer> {
    if (piece.length === 0) return;
    this.#pieces.push(piece);
    this.#held += piece.length;
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [Buffer.concat(this.#pieces)];
    while (true) {
      this.#expected ??= this.#held < LENGTH_BYTES ? undefined : this.#length();
      if (this.#expected === undefined || this.#held < this.#expected) return;
      const packet = this.#take(this.#expected);
      this.#expected = undefined;
      yield packet;
    }
  }

  #take(count: number): Buffer {
    const first = this.#pieces[0] ?? Buffer.alloc(0);
    // Joined only once a packet is whole: joining at each piece would copy a large one over and over.
    const all = first.length >= count ? first : Buffer.concat(this.#pieces);
    if (all !== first) this.#pieces = [all];
    this.#pieces[0] = all.subarray(count);
    if (this.#pieces[0].length === 0) this.#pieces.shift();
    this.#held -= count;
    return all.subarray(0, count);
  }

  #length(): number {
    const length = this.#take(LENGTH_BYTES).readUInt32BE(0);
    if (length === 0 || length > MAX_PACKET_BYTES) throw this.#refuse(length);
    return length;
  }
}
