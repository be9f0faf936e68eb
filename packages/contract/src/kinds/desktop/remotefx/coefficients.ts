/** What a component of a tile of RemoteFX is packed as: runs of zeros and small numbers, of as few bits as what came before them needed. */

/** Of a component: 64 by 64. */
export const COEFFICIENTS = 4096;
const MAX_BYTES = 0xffff;
/** Parameters count in eighths. */
const EIGHTHS = 3;
const MAX_PARAMETER = 80;
const RUN_LONGER = 4;
const RUN_SHORTER = 6;
const NUMBERS_LONGER = 3;
const NUMBERS_SHORTER = 3;
const MAX_ONES = 4096;
const MAX_VALUE = 0x7fff;

/** So that the last bits are read as any others. */
const room = new Uint8Array(MAX_BYTES + 8);

/** From `at` on, the first of them uppermost. */
function bitsAt(at: number): number {
  const byte = at >>> 3;
  const shift = at & 7;
  const high =
    ((room[byte] as number) << 24) |
    ((room[byte + 1] as number) << 16) |
    ((room[byte + 2] as number) << 8) |
    (room[byte + 3] as number);
  return shift === 0 ? high : (high << shift) | ((room[byte + 4] as number) >>> (8 - shift));
}

/** How many bits of one kind there are before one of the other, or the end. */
function countBits(from: number, end: number, ones: boolean): number {
  let at = from;
  while (at < end) {
    const bits = bitsAt(at);
    const count = Math.clz32(ones ? ~bits : bits);
    at += count;
    if (count < 32) break;
  }
  return Math.min(at, end) - from;
}

/** `first`: one number after the other. `third`: two share a code. */
export type Entropy = 'first' | 'third';

/** Where the first that is not zero stands, and the last; both -1 where all are. */
export interface Extent {
  first: number;
  last: number;
}

/** Undefined where they are none that any host makes. What is not there at the end is zero. */
export function readCoefficients(bytes: Uint8Array, entropy: Entropy, into: Int16Array): Extent | undefined {
  if (bytes.length === 0 || bytes.length > MAX_BYTES) return undefined;
  room.set(bytes);
  room.fill(0, bytes.length, bytes.length + 8);
  into.fill(0);
  const end = bytes.length * 8;
  let at = 0;
  let put = 0;
  let [first, last] = [-1, -1];
  let [runParameter, run, codeParameter, code] = [1 << EIGHTHS, 1, 1 << EIGHTHS, 1];

  while (at < end && put < COEFFICIENTS) {
    const isRun = run > 0;
    let isNegative = false;
    if (isRun) {
      let longer = countBits(at, end, false);
      at += longer + 1;
      if (at > end) break;
      for (; longer > 0 && put < COEFFICIENTS; longer -= 1) {
        put += 1 << run;
        runParameter = Math.min(runParameter + RUN_LONGER, MAX_PARAMETER);
        run = runParameter >> EIGHTHS;
      }
      if (longer > 0 || at + run + 1 > end) break;
      put += run === 0 ? 0 : bitsAt(at) >>> (32 - run);
      at += run;
      isNegative = bitsAt(at) < 0;
      at += 1;
    }
    const ones = countBits(at, end, true);
    at += ones + 1;
    if (at + code > end) break;
    if (ones > MAX_ONES) return undefined;
    const coded = (ones << code) + (code === 0 ? 0 : bitsAt(at) >>> (32 - code));
    at += code;
    if (ones === 0) codeParameter = Math.max(0, codeParameter - 2);
    else if (ones > 1) codeParameter = Math.min(codeParameter + ones, MAX_PARAMETER);
    code = codeParameter >> EIGHTHS;

    if (isRun) {
      runParameter = Math.max(0, runParameter - RUN_SHORTER);
      run = runParameter >> EIGHTHS;
      if (coded >= MAX_VALUE) return undefined;
      if (put >= COEFFICIENTS) break;
      into[put] = isNegative ? -coded - 1 : coded + 1;
      if (first < 0) first = put;
      last = put;
      put += 1;
      continue;
    }
    let [one, other] = [coded, -1];
    if (entropy === 'first') {
      if (coded === 0) runParameter = Math.min(runParameter + NUMBERS_LONGER, MAX_PARAMETER);
      else runParameter = Math.max(0, runParameter - NUMBERS_SHORTER);
    } else {
      const width = 32 - Math.clz32(coded);
      if (at + width > end) break;
      one = width === 0 ? 0 : bitsAt(at) >>> (32 - width);
      at += width;
      other = coded - one;
      if (other < 0) return undefined;
      if (one !== 0 && other !== 0) runParameter = Math.max(0, runParameter - 2 * NUMBERS_SHORTER);
      else if (one === 0 && other === 0) runParameter = Math.min(runParameter + 2 * NUMBERS_LONGER, MAX_PARAMETER);
    }
    run = runParameter >> EIGHTHS;
    if (one >= 2 * MAX_VALUE || other >= 2 * MAX_VALUE) return undefined;
    if (one !== 0) {
      into[put] = signed(one);
      if (first < 0) first = put;
      last = put;
    }
    put += 1;
    if (other < 0 || put >= COEFFICIENTS) continue;
    if (other !== 0) {
      into[put] = signed(other);
      if (first < 0) first = put;
      last = put;
    }
    put += 1;
  }
  return { first, last };
}

/** The sign is the lowest bit. */
function signed(coded: number): number {
  return coded & 1 ? -((coded + 1) >> 1) : coded >> 1;
}
