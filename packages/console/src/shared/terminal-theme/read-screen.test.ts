import { expect, test } from 'vitest';
import { readScreen } from './read-screen.ts';

const screen = (ansi: string, cols = 10, rows = 3) => readScreen({ cols, rows, ansi });
const texts = (ansi: string, cols?: number, rows?: number) =>
  screen(ansi, cols, rows).map((row) => Array.from(row, (cell) => cell?.text ?? ' ').join(''));

test('lines, moves and wrapping are where a terminal has them', () => {
  expect(texts('ab\r\ncd\u001b[3Cx')).toEqual(['ab', 'cd   x', '']);
  expect(texts('\u001b[2;4Hy\u001b[1;1Hz')).toEqual(['z', '   y', '']);
  expect(texts('0123456789ab')).toEqual(['0123456789', 'ab', '']);
  expect(texts('1\r\n2\r\n3\r\n4')).toEqual(['2', '3', '4']);
});

test('colours are kept: named, numbered, true, inverse and back to plain', () => {
  const [row = []] = screen('\u001b[31ma\u001b[1mb\u001b[0;38;5;200mc\u001b[38;2;1;2;255md\u001b[0;7me\u001b[0mf');

  expect(row.map((cell) => cell?.front)).toEqual([1, 9, 200, '#0102ff', 'back', undefined]);
  expect(row[4]?.back).toBe('front');
});

test('wide characters take two places', () => {
  expect(texts('漢a')).toEqual(['漢a', '', '']);
  expect(screen('漢a')[0]?.[2]?.text).toBe('a');
});

test('the other screen lies over the first', () => {
  expect(texts('below\u001b[?1049h\u001b[Habove')).toEqual(['above', '', '']);
});

test('whatever else is in it is not drawn, and nothing is too much', () => {
  expect(texts('a\u001b]0;title\u0007b\u001b[6nc\u001bPq#\u001b\\d\u0007e')).toEqual(['abcde', '', '']);
  expect(screen('x\u001b[999999999Cy\u001b[999999999;999999999Hz', 1_000_000, 1_000_000)).toHaveLength(150);
  expect(texts('\u001b[38;5m\u001b[38m\u001b[48;2;1ma')).toEqual(['a', '', '']);
});
