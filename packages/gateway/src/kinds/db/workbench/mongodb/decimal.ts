/** Decimal numbers of MongoDB, which are 16 bytes (IEEE 754, binary integer form), as people write them, and back. */

const BIAS = 6_176n;
const MIN_EXPONENT = -6_176;
const MAX_EXPONENT = 6_111;
const MAX_DIGITS = 34;
const MAX_COEFFICIENT = 10n ** BigInt(MAX_DIGITS) - 1n;
const SIGN = 1n << 127n;
const INFINITY = 0b11110n << 122n;
const NAN = 0b11111n << 122n;
const WRITTEN = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:e([+-]?\d+))?$/i;

export function decimalText(bytes: Buffer): string {
  const bits = bytes.readBigUInt64LE(0) | (bytes.readBigUInt64LE(8) << 64n);
  const sign = bits & SIGN ? '-' : '';
  const kind = (bits >> 122n) & 0b11111n;
  if (kind === 0b11111n) return 'NaN';
  if (kind === 0b11110n) return `${sign}Infinity`;
  const isLarge = ((bits >> 125n) & 0b11n) === 0b11n;
  const exponent = Number(((bits >> (isLarge ? 111n : 113n)) & 0x3fffn) - BIAS);
  const stated = bits & ((1n << 113n) - 1n);
  // What has more digits than there are counts as nothing, in either form.
  const coefficient = isLarge || stated > MAX_COEFFICIENT ? 0n : stated;
  return sign + scientific(String(coefficient), exponent);
}

/** As the specification of decimals writes them: plain where that is short. */
function scientific(digits: string, exponent: number): string {
  const adjusted = exponent + digits.length - 1;
  if (exponent <= 0 && adjusted >= -6) {
    if (exponent === 0) return digits;
    const padded = digits.padStart(1 - exponent, '0');
    return `${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
  }
  const rest = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${digits[0]}${rest}E${adjusted < 0 ? '' : '+'}${adjusted}`;
}

/** Undefined where it has more digits than there is room for, or is too large or too small. */
export function decimalBytes(text: string): Buffer | undefined {
  if (/^[+-]?nan$/i.test(text)) return bytesOf(NAN);
  const named = /^([+-]?)inf(?:inity)?$/i.exec(text);
  if (named) return bytesOf(INFINITY | (named[1] === '-' ? SIGN : 0n));
  const [, sign, whole = '', part, fraction = part ?? '', power = '0'] = WRITTEN.exec(text) ?? [];
  if (sign === undefined) return undefined;
  let digits = (whole + fraction).replace(/^0+(?=.)/, '');
  let exponent = Number(power) - fraction.length;
  while ((digits.length > MAX_DIGITS || exponent < MIN_EXPONENT) && digits.length > 1 && digits.endsWith('0')) {
    digits = digits.slice(0, -1);
    exponent += 1;
  }
  if (/^0*$/.test(digits)) exponent = Math.max(MIN_EXPONENT, Math.min(MAX_EXPONENT, exponent));
  while (exponent > MAX_EXPONENT && digits.length < MAX_DIGITS) {
    digits += '0';
    exponent -= 1;
  }
  if (digits.length > MAX_DIGITS || exponent < MIN_EXPONENT || exponent > MAX_EXPONENT) return undefined;
  return bytesOf(BigInt(digits) | ((BigInt(exponent) + BIAS) << 113n) | (sign === '-' ? SIGN : 0n));
}

function bytesOf(bits: bigint): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeBigUInt64LE(bits & ((1n << 64n) - 1n), 0);
  bytes.writeBigUInt64LE(bits >> 64n, 8);
  return bytes;
}
