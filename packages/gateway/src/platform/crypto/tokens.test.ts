import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { hashToken, newToken, sameText } from './tokens.ts';

test('a token has 256 bits unless told otherwise, and survives an address', () => {
  expect(newToken()).toMatch(/^[0-9a-f]{64}$/);
  expect(newToken(16)).toMatch(/^[0-9a-f]{32}$/);
  expect(newToken(64)).toHaveLength(128);
});

test.each([0, -1, 15, 16.5, Number.NaN])('a token of %d bytes is not made', (bytes) => {
  expect(() => newToken(bytes)).toThrow(RangeError);
});

test('tokens do not repeat, and every bit of them is a fair coin', () => {
  const tokens = Array.from({ length: 4_000 }, () => newToken());
  expect(new Set(tokens).size).toBe(4_000);

  const ones = new Array<number>(256).fill(0);
  for (const token of tokens) {
    for (const [at, byte] of Buffer.from(token, 'hex').entries()) {
      for (let bit = 0; bit < 8; bit++) ones[at * 8 + bit]! += (byte >> bit) & 1;
    }
  }
  // Half of 4,000, give or take 32 a standard deviation: six of them happen to a fair coin once in two million runs.
  expect(Math.min(...ones)).toBeGreaterThan(1_800);
  expect(Math.max(...ones)).toBeLessThan(2_200);
});

test('what is stored of a token is its SHA-256', () => {
  expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test.each([
  ['empty', ''],
  ['missing', undefined],
  ['null', null],
  ['a number', 7],
  ['a list', ['abc']],
])('a token that is %s has no hash', (_, value) => {
  expect(() => hashToken(value as string)).toThrow('the token is missing');
});

test('the same text is the same, whatever its alphabet', () => {
  const token = newToken();
  expect(sameText(token, `${token}`)).toBe(true);
  expect(sameText('schlüssel', 'schlüssel')).toBe(true);
});

test.each([
  ['one letter off', 'abcdef', 'abcdeg'],
  ['a prefix', 'abcdef', 'abcde'],
  ['longer', 'abc', 'abcdef'],
  ['of as many letters but not bytes', 'aaa', 'aaä'],
  ['empty against something', '', 'abc'],
  ['empty on both sides', '', ''],
  ['missing on both sides', undefined, undefined],
  ['null on both sides', null, null],
  ['missing against empty', undefined, ''],
  ['not text on either side', 7, 7],
  ['a list that prints the same', ['abc'], 'abc'],
])('text that is %s is not the same', (_, a, b) => {
  expect(sameText(a as string, b as string)).toBe(false);
  expect(sameText(b as string, a as string)).toBe(false);
});

// A predictable generator has given away password-reset codes elsewhere; where it is nowhere, it is not in those either.
test('no source of contract, gateway or command line draws from a predictable generator', () => {
  const forbidden = new RegExp(['Math\\s*\\.\\s*random', 'pseudoRandomBytes'].join('|'));
  const sources = ['contract', 'gateway', 'cli'].flatMap((name) => {
    const folder = new URL(`../../../../${name}/src/`, import.meta.url);
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .map((file) => ({ file: `${name}/src/${file}`, text: readFileSync(new URL(file, folder), 'utf8') }));
  });

  expect(sources.length).toBeGreaterThan(40);
  expect(forbidden.test('const jitter = Math.random();')).toBe(true);
  expect(sources.filter(({ text }) => forbidden.test(text)).map(({ file }) => file)).toEqual([]);
});

test('the hash of a token is not the hash of another spelling of it', () => {
  const token = newToken();
  expect(hashToken(token)).toBe(createHash('sha256').update(token).digest('hex'));
  expect(hashToken(token.toUpperCase())).not.toBe(hashToken(token));
});
