import { expect, test } from 'vitest';
import { matchTerms, matchText, readTerms } from './match-line.ts';

const marks = (line: string, text: string) => matchTerms(line, readTerms(text));

test.each([
  ['Connection refused by peer', 'refused', [[11, 7]]],
  [
    'Connection refused by peer',
    'peer CONNECTION',
    [
      [0, 10],
      [22, 4],
    ],
  ],
  ['Connection refused by peer', '"connection refused"', [[0, 18]]],
  ['Connection was refused', '"connection refused"', undefined],
  ['concatenate', 'cat', undefined],
  ['cat concatenate', 'cat', [[0, 3]]],
  ['kubernetes', 'kube*', [[0, 4]]],
  ['kubernetes', 'kube', undefined],
  ['GET /api/v1?x=10.0.0.1 200', '10.0.0.1', [[14, 8]]],
  ['the café is open', 'cafe', []],
  ['a "quoted', '"quoted', [[3, 6]]],
] as const)('in %j for %j the marks are %j', (line, text, expected) => {
  expect(marks(line, text)).toEqual(expected);
});

test('finding in one recording also finds inside of words, each place once', () => {
  expect(matchText('Concatenate CAT cat', 'cat')).toEqual([
    [3, 3],
    [12, 3],
    [16, 3],
  ]);
  expect(matchText('nothing', 'cat')).toEqual([]);
});
