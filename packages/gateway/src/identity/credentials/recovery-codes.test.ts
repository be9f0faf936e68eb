import { expect, test } from 'vitest';
import { matchRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';

test('there are eight different codes of 100 bits in groups a person can read', () => {
  const { codes, hashes } = newRecoveryCodes();

  expect(codes).toHaveLength(8);
  expect(new Set(codes).size).toBe(8);
  for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/);
  expect(hashes).toHaveLength(8);
});

test('nothing of a code can be read in what is stored', () => {
  const { codes, hashes } = newRecoveryCodes();

  for (const hash of hashes) expect(hash).toMatch(/^[0-9a-f]{64}$/);
  for (const code of codes) expect(JSON.stringify(hashes).toUpperCase()).not.toContain(code.replaceAll('-', ''));
});

test('every character of the alphabet comes up equally often', () => {
  const counts = new Map<string, number>();
  for (let round = 0; round < 200; round++) {
    for (const letter of newRecoveryCodes().codes.join('').replaceAll('-', '')) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
  }

  expect(counts.size).toBe(32);
  // 32,000 draws: 1,000 each, give or take 31.
  expect(Math.min(...counts.values())).toBeGreaterThan(800);
  expect(Math.max(...counts.values())).toBeLessThan(1_200);
});

test('each code finds its own hash, and only that', () => {
  const { codes, hashes } = newRecoveryCodes();

  expect(codes.map((code) => matchRecoveryCode(code, hashes))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(newRecoveryCodes().codes.map((code) => matchRecoveryCode(code, hashes))).toEqual(Array(8).fill(undefined));
});

test.each([
  ['small letters', (code: string) => code.toLowerCase()],
  ['no dashes', (code: string) => code.replaceAll('-', '')],
  ['spaces for dashes', (code: string) => code.replaceAll('-', ' ')],
  ['the long dashes of a word processor', (code: string) => code.replaceAll('-', '–')],
  ['spaces around and a line break', (code: string) => `  ${code}\n`],
  ['O for 0 and l for 1', (code: string) => code.replaceAll('0', 'O').replaceAll('1', 'l')],
])('a code is taken with %s', (_, retype) => {
  const { codes, hashes } = newRecoveryCodes();

  expect(codes.map((code) => matchRecoveryCode(retype(code), hashes))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test.each(['', '-', '-'.repeat(23), 'U'.repeat(20), '0'.repeat(19), '0'.repeat(21), '0'.repeat(1_000_000)])(
  'text that is no code matches nothing (case %#)',
  (text) => {
    expect(matchRecoveryCode(text, newRecoveryCodes().hashes)).toBeUndefined();
  },
);

test('a used code is gone: empty or damaged hashes match nothing', () => {
  const { codes, hashes } = newRecoveryCodes();

  expect(matchRecoveryCode(codes[2]!, hashes.toSpliced(2, 1, ''))).toBeUndefined();
  expect(matchRecoveryCode('', ['', ''])).toBeUndefined();
  expect(matchRecoveryCode(codes[0]!, [])).toBeUndefined();
  expect(matchRecoveryCode(undefined as unknown as string, hashes)).toBeUndefined();
});
