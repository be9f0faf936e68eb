import { expect, test } from 'vitest';
import { guessLayout, LAYOUTS } from './layouts.ts';

const KEYS = ['KeyQ', 'KeyY', 'KeyA', 'Semicolon', 'Quote', 'BracketLeft', 'Minus', 'Backslash'];
const mapOf = (written: string) => new Map(KEYS.map((code, index) => [code, [...written][index] as string]));

test('what the keys write counts for more than the language of the browser', () => {
  expect(guessLayout(['en-US'], mapOf('qzaöäüß#'))?.name).toBe('German');
  expect(guessLayout(['de-DE'], mapOf("qya;'[-\\"))?.name).toBe('English (US)');
});

test('of several that write the same, the language decides', () => {
  expect(guessLayout(['fi', 'sv'], mapOf("qyaöäå+'"))?.name).toBe('Finnish');
  expect(guessLayout(['sv-FI'], mapOf("qyaöäå+'"))?.name).toBe('Swedish');
});

test('a key or two of somebody’s own make it no other layout, a strange keyboard is none of ours', () => {
  expect(guessLayout(['en-US'], mapOf('qzaöäü_*'))?.name).toBe('German');
  expect(guessLayout(['en-US'], mapOf("',as-[\\x"))).toBeUndefined();
});

test('without a map the language is all there is', () => {
  expect(guessLayout(['fr-CH', 'en'])?.name).toBe('French (Switzerland)');
  expect(guessLayout(['en-NZ'])?.name).toBe('English (US)');
  expect(guessLayout(['eo'])).toBeUndefined();
  expect(guessLayout(['de'], new Map())?.name).toBe('German');
});

test('each layout has a number of its own and says what every probed key writes', () => {
  expect(new Set(LAYOUTS.map(({ id }) => id)).size).toBe(LAYOUTS.length);
  expect(LAYOUTS.filter(({ writes }) => [...writes].length !== KEYS.length)).toEqual([]);
});
