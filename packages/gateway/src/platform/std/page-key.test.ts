import { expect, test } from 'vitest';
import { z } from 'zod';
import { readPageKey, writePageKey } from './page-key.ts';

const shape = z.tuple([z.number().int(), z.string().max(8)]);

test('a key that was given out leads to the same place', () => {
  expect(readPageKey(shape, writePageKey([7, 'web-1']))).toEqual([7, 'web-1']);
});

test.each([
  ['nothing', ''],
  ['no JSON', Buffer.from('{').toString('base64url')],
  ['another shape', writePageKey(['web-1', 7])],
  ['more than was given', writePageKey([7, 'a name of any length'])],
])('%s is refused as what the caller calls it', (_what, key) => {
  expect(() => readPageKey(shape, key)).toThrow('the start key is not one that was given out');
  expect(() => readPageKey(shape, key, 'place')).toThrow('the place is not one that was given out');
});
