/** MD4 and RC4, which NTLM is made of and OpenSSL no longer has. For nothing else: neither is safe by itself. */

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by));

interface Md4Round {
  mix(x: number, y: number, z: number): number;
  constant: number;
  order: readonly number[];
  shifts: readonly [number, number, number, number];
}

const ROUNDS: readonly Md4Round[] = [
  {
    mix: (x, y, z) => (x & y) | (~x & z),
    constant: 0,
    order: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    shifts: [3, 7, 11, 19],
  },
  {
    mix: (x, y, z) => (x & y) | (x & z) | (y & z),
    constant: 0x5a827999,
    order: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    shifts: [3, 5, 9, 13],
  },
  {
    mix: (x, y, z) => x ^ y ^ z,
    constant: 0x6ed9eba1,
    order: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    shifts: [3, 9, 11, 15],
  },
];
const BLOCK_BYTES = 64;

export function md4(message: Buffer): Buffer {
  const padded = Buffer.alloc((Math.floor((message.length + 8) / BLOCK_BYTES) + 1) * BLOCK_BYTES);
  message.copy(padded);
  padded[message.length] = 0x80;
  padded.writeUInt32LE(message.length * 8, padded.length - 8);
  let state: [number, number, number, number] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let block = 0; block < padded.length; block += BLOCK_BYTES) {
    let [a, b, c, d] = state;
    for (const { mix, constant, order, shifts } of ROUNDS) {
      for (const [step, word] of order.entries()) {
        const sum = (a + mix(b, c, d) + padded.readUInt32LE(block + 4 * word) + constant) | 0;
        [a, b, c, d] = [d, rotate(sum, shifts[step % 4]!), b, c];
      }
    }
    state = [(state[0] + a) | 0, (state[1] + b) | 0, (state[2] + c) | 0, (state[3] + d) | 0];
  }
  const digest = Buffer.alloc(16);
  for (const [at, word] of state.entries()) digest.writeInt32LE(word, 4 * at);
  return digest;
}

/** Goes on where it stopped: each message changes what the next is mixed with. */
export class Rc4 {
  readonly #state = Uint8Array.from({ length: 256 }, (_, at) => at);
  #i = 0;
  #j = 0;

  constructor(key: Buffer) {
    const state = this.#state;
    for (let i = 0, j = 0; i < 256; i += 1) {
      j = (j + state[i]! + key[i % key.length]!) & 0xff;
      [state[i], state[j]] = [state[j]!, state[i]!];
    }
  }

  run(bytes: Buffer): Buffer {
    const state = this.#state;
    const out = Buffer.alloc(bytes.length);
    for (const [at, byte] of bytes.entries()) {
      this.#i = (this.#i + 1) & 0xff;
      this.#j = (this.#j + state[this.#i]!) & 0xff;
      [state[this.#i], state[this.#j]] = [state[this.#j]!, state[this.#i]!];
      out[at] = byte ^ state[(state[this.#i]! + state[this.#j]!) & 0xff]!;
    }
    return out;
  }
}
