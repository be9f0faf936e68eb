import { expect, test } from 'vitest';
import { notOneOf, onlyOne } from './only-one.ts';

test('the only one is taken, and of several one must be named', () => {
  expect(onlyOne(['app'], 'user', '--db-user')).toBe('app');
  expect(() => onlyOne(['app', 'report'], 'user', '--db-user')).toThrow('--db-user: you may use app, report');
  expect(() => onlyOne(['*'], 'user', '--db-user')).toThrow('your roles name none');
});

test.each([
  [['app', 'report'], 'app', undefined],
  // Some servers take them for one.
  [['App'], 'app', undefined],
  [['*'], 'anybody', undefined],
  [[], 'anybody', undefined],
  [['app', 'report'], 'root', "no role of yours gives the user 'root': you may use app, report"],
])('of %j, %j is told as %j', (names, wanted, told) => {
  expect(notOneOf(names, wanted, 'user')).toBe(told);
});
