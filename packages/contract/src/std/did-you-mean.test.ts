import { expect, test } from 'vitest';
import { didYouMean } from './did-you-mean.ts';

test.each([
  ['lsiten', 'listen'],
  ['LISTEN', 'listen'],
  ['stroage', 'storage'],
  ['storages', 'storage'],
])('%s is taken for %s', (given, meant) => {
  expect(didYouMean(given, ['listen', 'storage', 'tls'])).toBe(meant);
});

test('a word that resembles nothing gets no suggestion', () => {
  expect(didYouMean('kubernetes', ['listen', 'storage', 'tls'])).toBeUndefined();
});
