import { expect, test } from 'vitest';
import { commandLine, shownValue } from './redis-words.ts';

test.each([
  [['GET', 'session:1'], 'GET session:1'],
  [['SET', 'a b', 'it"s\n'], String.raw`SET "a b" "it\"s\n"`],
  [['DEL', { base64: '/wA=' }], String.raw`DEL "\xff\x00"`],
  [['SET', 'k', ''], 'SET k ""'],
  [['SET', 'k', 'é'], String.raw`SET k "\xc3\xa9"`],
])('%j is typed as %s', (words, line) => {
  expect(commandLine(...words)).toBe(line);
});

test('answers are shown as in a terminal', () => {
  expect(
    shownValue({
      is: 'list',
      values: [
        { is: 'number', value: '1' },
        { is: 'list', values: [{ is: 'null' }, { is: 'text', value: 'a"b' }] },
        { is: 'list', values: [] },
        { is: 'error', value: 'ERR no' },
      ],
    }),
  ).toBe('1) (integer) 1\n2) 1) (nil)\n   2) "a\\"b"\n3) (empty array)\n4) (error) ERR no');
});
