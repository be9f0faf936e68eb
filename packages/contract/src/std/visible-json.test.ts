import { expect, test } from 'vitest';
import { visibleJson } from './visible-json.ts';

const STEERING = [
  '\u001b]0;title\u0007',
  '\u009b31m',
  '\u007f',
  '\u0085',
  '\u2028',
  '\u2029',
  '\u202e',
  '\u200b',
  '\u{e0041}',
  '\ud800',
];

test.each(STEERING)('%j is written as an escape, in values and names, and read back as it was', (mark) => {
  const value = { name: `a${mark}b`, [`key${mark}`]: [mark] };

  const text = visibleJson(value);

  expect(text).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(text)).toEqual(value);
});

test('writing of all languages stays as it is', () => {
  expect(visibleJson({ name: 'größe 開発 שלום 🙂' })).toBe('{"name":"größe 開発 שלום 🙂"}');
});

test('what has no JSON is null', () => {
  expect(visibleJson(undefined)).toBe('null');
});
