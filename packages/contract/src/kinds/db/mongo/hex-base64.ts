/** Bytes as digits and as base64, without what only browsers or only Node have. */

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export function base64OfHex(hex: string): string {
  const bits = [...hex].map((digit) => Number.parseInt(digit, 16).toString(2).padStart(4, '0')).join('');
  const groups = bits.match(/.{1,6}/g) ?? [];
  const text = groups.map((group) => DIGITS[Number.parseInt(group.padEnd(6, '0'), 2)] ?? '').join('');
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

export function hexOfBase64(base64: string): string {
  const bits = [...base64.replace(/=+$/, '')]
    .map((digit) => DIGITS.indexOf(digit).toString(2).padStart(6, '0'))
    .join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return bytes.map((byte) => Number.parseInt(byte, 2).toString(16).padStart(2, '0')).join('');
}
