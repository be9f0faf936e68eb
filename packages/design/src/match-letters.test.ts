import { expect, test } from 'vitest';
import { matchLetters } from './match-letters.ts';

const marked = (text: string, query: string) =>
  matchLetters(text, query)?.ranges.map(([start, end]) => text.slice(start, end));

test.each([
  ['payments-api-02', 'api', ['api']],
  ['payments-api-02', 'PAY 02', ['pay', '02']],
  ['payments-api-02', 'pa2', ['pa', '2']],
  ['Žluťoučký kůň', 'zlut', ['Žluť']],
  ['capacity-api', 'api', ['api']],
  ['anything', '', []],
])('in %s the letters %s are found as %j', (text, query, found) => {
  expect(marked(text, query)).toEqual(found);
});

test('letters that are missing or in the wrong order do not match', () => {
  expect(matchLetters('payments', 'yap')).toBeUndefined();
  expect(matchLetters('payments', 'payz')).toBeUndefined();
});

test('the beginning of a text fits better than a later word, and that better than scattered letters', () => {
  const scores = ['api-gateway', 'payments-api', 'a-p-i'].map((text) => matchLetters(text, 'api')?.score ?? 0);

  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  expect(new Set(scores).size).toBe(3);
});
