import { expect, test } from 'vitest';
import { mergeLines } from './merge-lines.ts';

const BASE = 'a\nb\nc\nd\ne\n';

test('changes in different places come together', () => {
  expect(mergeLines(BASE, 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\nf\n')).toBe('A\nb\nc\nd\nE\nf\n');
  expect(mergeLines(BASE, 'b\nc\nd\ne\n', 'a\nb\nc\nx\nd\ne\n')).toBe('b\nc\nx\nd\ne\n');
});

test('the same change made twice counts once', () => {
  expect(mergeLines(BASE, 'a\nB\nc\nd\ne\n', 'a\nB\nc\nd\nE\n')).toBe('a\nB\nc\nd\nE\n');
});

test.each([
  ['a\nB\nc\nd\ne\n', 'a\nX\nc\nd\ne\n'],
  ['a\nB\nc\nd\ne\n', 'a\nb\nC\nd\ne\n'],
  ['a\nb\nc\nd\ne\nf\n', 'a\nb\nc\nd\ne\ng\n'],
])('changes that meet are left to people: %j and %j', (mine, theirs) => {
  expect(mergeLines(BASE, mine, theirs)).toBeUndefined();
});
