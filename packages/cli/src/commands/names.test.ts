import { expect, test } from 'vitest';
import { namesToTell } from './names.ts';

test('names are told as they are, and those that steer a terminal or take two lines are not', () => {
  const plain = ['web-1', 'x$(touch)', 'x`y`', "o'brien", 'a;b', 'äöü', '漢字', 'a b', '-x'];
  const steering = [
    'a\nb',
    'a\rb',
    'a\tb',
    'a\0b',
    '\u001b[2J',
    'a\u009b2J',
    'a\u007f',
    'a\u202eb',
    'a\u2066b',
    'a\u200fb',
  ];

  expect(namesToTell([...plain, ...steering])).toEqual(plain);
});
