/** Reads the fields of one SFTP packet in order, within it and never beyond. */
export abstract class PacketFields {
  readonly #bytes: Buffer;
  #at: number;

  constructor(packet: Buffer, from: number) {
    this.#bytes = packet;
    this.#at = from;
  }

  /** A field reaches beyond its packet. */
  protected abstract cutShort(): Error;
  /** A size or an offset that no file has. */
  protected abstract tooLarge(): Error;

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  uint32(): number {
    return this.#bytes.readUInt32BE(this.#advance(4));
  }

  /** No file reaches beyond what a number holds exactly. */
  uint64(): number {
    const value = this.#bytes.readBigUInt64BE(this.#advance(8));
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw this.tooLarge();
    return Number(value);
  }

  /** With their length before them. */
  bytes(): Buffer {
    const length = this.uint32();
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  #advance(count: number): number {
    const start = this.#at;
    if (count > this.#bytes.length - start) throw this.cutShort();
    this.#at = start + count;
    return start;
  }
}
