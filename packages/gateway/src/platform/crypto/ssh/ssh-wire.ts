/** The few shapes SSH gives to bytes (RFC 4251, section 5). */

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(value);
  return bytes;
}

export function sshString(value: string | Buffer): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([uint32(bytes.length), bytes]);
}

/** Reads on from where it stopped; throws a RangeError on bytes that end too early. */
export class SshReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get position(): number {
    return this.#at;
  }

  get atEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  uint32(): number {
    const value = this.#bytes.readUInt32BE(this.#at);
    this.#at += 4;
    return value;
  }

  uint64(): bigint {
    const value = this.#bytes.readBigUInt64BE(this.#at);
    this.#at += 8;
    return value;
  }

  bytes(): Buffer {
    const length = this.uint32();
    if (this.#at + length > this.#bytes.length) throw new RangeError('the bytes end too early');
    const value = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += length;
    return value;
  }

  text(): string {
    return this.bytes().toString('utf8');
  }

  /** A number without the zero byte that keeps it positive. */
  magnitude(): Buffer {
    const bytes = this.bytes();
    return bytes[0] === 0 ? bytes.subarray(1) : bytes;
  }
}
