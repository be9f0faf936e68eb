import { expect, test } from 'vitest';
import { firstWord } from './first-word.ts';

test.each([
  ['  (( select 1', 'SELECT'],
  ['-- x\n/* y */ With', 'WITH'],
  ['/* /* */ select */ commit', 'COMMIT'],
  ['/*! commit */ select', undefined],
  ['; commit', undefined],
  ['select_x', undefined],
  ['select1', undefined],
  ['/* select', undefined],
  ['', undefined],
])('the first word of %j is %s', (sql, word) => {
  expect(firstWord(sql, { nested: true, hashes: false })).toBe(word);
});
