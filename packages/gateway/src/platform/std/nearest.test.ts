import { expect, test } from 'vitest';
import { nearest } from './nearest.ts';

test.each([
  ['lsiten', 'listen'],
  ['LISTEN', 'listen'],
  ['stroage', 'storage'],
  ['storages', 'storage'],
])('%s is taken for %s', (given, meant) => {
  expect(nearest(given, ['listen', 'storage', 'tls'])).toBe(meant);
});

test('a word that resembles nothing gets no suggestion', () => {
  expect(nearest('kubernetes', ['listen', 'storage', 'tls'])).toBeUndefined();
});
