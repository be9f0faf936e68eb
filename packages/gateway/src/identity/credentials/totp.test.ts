import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { checkTotp, fromBase32, newTotpSecret, qrPng, toBase32, totpCode, totpUri } from './totp.ts';

const RFC_KEY = Buffer.from('12345678901234567890');
const SECRET = toBase32(RFC_KEY);
const NOW = 1_800_000_015_000;
const STEP = 60_000_000;

test.each([
  [59, '94287082'],
  [1111111109, '07081804'],
  [1111111111, '14050471'],
  [1234567890, '89005924'],
  [2000000000, '69279037'],
  [20000000000, '65353130'],
])('at %d s the code is the one of RFC 6238', (seconds, code) => {
  expect(totpCode(RFC_KEY, Math.floor(seconds / 30), 8)).toBe(code);
  expect(totpCode(RFC_KEY, Math.floor(seconds / 30))).toBe(code.slice(2));
});

test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('base32 of "%s" is the one of RFC 4648', (plain, text) => {
  expect(toBase32(Buffer.from(plain))).toBe(text);
  expect(fromBase32(text)?.toString()).toBe(plain);
});

test('a new secret has 160 bits and is never the same', () => {
  const secrets = Array.from({ length: 100 }, newTotpSecret);

  expect(new Set(secrets).size).toBe(100);
  for (const secret of secrets) expect(fromBase32(secret)).toHaveLength(20);
});

test('the code of now is taken, and tells its step', () => {
  expect(check(codeAt(STEP))).toEqual({ step: STEP });
});

test('a clock one step off either way is forgiven, two steps are not', () => {
  expect(check(codeAt(STEP - 1))).toEqual({ step: STEP - 1 });
  expect(check(codeAt(STEP + 1))).toEqual({ step: STEP + 1 });
  expect(check(codeAt(STEP - 2))).toBeUndefined();
  expect(check(codeAt(STEP + 2))).toBeUndefined();
});

test('a code works once', () => {
  const { step } = check(codeAt(STEP))!;

  expect(check(codeAt(STEP), { lastStep: step })).toBeUndefined();
  expect(check(codeAt(STEP - 1), { lastStep: step })).toBeUndefined();
  expect(check(codeAt(STEP + 1), { lastStep: step })).toEqual({ step: STEP + 1 });
});

test('a code of the step before is still good when only older ones were used', () => {
  expect(check(codeAt(STEP - 1), { lastStep: STEP - 2 })).toEqual({ step: STEP - 1 });
});

test('a code of another secret is refused', () => {
  expect(check(totpCode(Buffer.from('another secret of 20'), STEP))).toBeUndefined();
});

test.each([
  ['empty', ''],
  ['five digits', '12345'],
  ['seven digits', '1234567'],
  ['spaced', '123 456'],
  ['followed by a line break', `${codeAt(STEP)}\n`],
  ['with a sign', `+${codeAt(STEP).slice(1)}`],
  ['in other digits', '١٢٣٤٥٦'],
  ['a number', Number(codeAt(STEP))],
  ['a list', [codeAt(STEP)]],
  ['null', null],
])('a code that is %s is refused', (_, code) => {
  expect(check(code as string)).toBeUndefined();
});

test.each([
  ['empty', ''],
  ['too short to be safe', toBase32(Buffer.from('short'))],
  ['not base32', `${SECRET.slice(1)}!`],
])('with a secret that is %s no code is taken', (_, secret) => {
  const key = fromBase32(secret) ?? Buffer.alloc(0);

  expect(check(totpCode(key, STEP), { secret })).toBeUndefined();
});

test('a broken clock lets nobody in', () => {
  expect(check(codeAt(0), { now: Number.NaN })).toBeUndefined();
  expect(check(codeAt(0), { now: Number.POSITIVE_INFINITY })).toBeUndefined();
});

test('the address names issuer, account and secret so that apps agree on it', () => {
  const uri = new URL(totpUri({ issuer: 'Gate: house', account: 'ann & co@example.com', secret: SECRET }));

  expect(uri.protocol).toBe('otpauth:');
  expect(decodeURIComponent(uri.pathname.slice(1)).split(':')).toEqual(['Gate  house', 'ann & co@example.com']);
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    secret: SECRET,
    issuer: 'Gate: house',
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});

test('the QR code reads back to the address it was made of', async () => {
  const uri = totpUri({ issuer: 'Gatehouse', account: 'ann@example.com', secret: newTotpSecret() });

  const png = await qrPng(uri);

  expect(png.subarray(0, 8)).toEqual(Buffer.from('89504e470d0a1a0a', 'hex'));
  expect(png.length).toBeLessThan(16_384);
  const { data, width, height } = PNG.sync.read(png);
  expect(width).toBeGreaterThan(200);
  expect(height).toBe(width);
  expect(jsqr.default(new Uint8ClampedArray(data), width, height)?.data).toBe(uri);
});

function check(code: string, given: { secret?: string; now?: number; lastStep?: number } = {}) {
  return checkTotp({ secret: SECRET, now: NOW, lastStep: undefined, ...given, code });
}

function codeAt(step: number): string {
  return totpCode(RFC_KEY, step);
}
