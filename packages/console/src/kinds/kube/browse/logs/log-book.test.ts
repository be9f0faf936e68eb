import { expect, test } from 'vitest';
import { LogBook, levelOf, MAX_LINE, MAX_LINES, plainText } from './log-book.ts';

const at = (second: number, text: string) => `2026-11-17T12:00:0${second}.000000000Z ${text}\n`;
const texts = (book: LogBook) => book.lines.map(({ source, text }) => `${source} ${text}`);

test('lines of several containers stand in the order of their times', () => {
  const book = new LogBook();
  book.add(0, at(1, 'a') + at(4, 'd') + at(6, 'f'));
  book.add(1, at(2, 'b') + at(3, 'c') + at(5, 'e'));
  book.add(0, at(7, 'g'));
  expect(texts(book)).toEqual(['0 a', '1 b', '1 c', '0 d', '1 e', '0 f', '0 g']);
});

test('a line that comes in pieces is one, and the last needs no end', () => {
  const book = new LogBook();
  book.add(0, '2026-11-17T12:00:01Z he');
  expect(book.lines).toEqual([]);
  book.add(1, at(2, 'other'));
  book.add(0, 'llo\n2026-11-17T12:00:03Z last');
  book.end(0);
  expect(texts(book)).toEqual(['0 hello', '1 other', '0 last']);
});

test('what one container wrote and writes again, as on a new connection, stands there once', () => {
  const book = new LogBook();
  book.add(0, at(1, 'a') + at(3, 'c'));
  book.add(1, `${at(2, 'b')}2026-11-17T12:00:04Z half`);
  const before = book.size;

  book.beginAnew(1);
  book.add(1, at(2, 'b'));

  expect(texts(book)).toEqual(['0 a', '1 b', '0 c']);
  expect(book.size).toBe(before);
  book.beginAnew(1);
  expect(book.size).toBe(2);
});

test('the oldest lines go where they are too many, and a line without an end does not grow for ever', () => {
  const book = new LogBook(1_000);
  for (let turn = 0; turn < 300; turn += 1) book.add(0, `${'x'.repeat(10)}\n`);
  expect(book.size).toBeLessThanOrEqual(1_000);
  expect(book.lines.length + book.dropped).toBe(300);

  const endless = new LogBook();
  for (let turn = 0; turn < 100; turn += 1) endless.add(0, 'y'.repeat(1_000));
  expect(endless.lines.length).toBeGreaterThan(4);
  expect(Math.max(...endless.lines.map(({ text }) => text.length))).toBe(MAX_LINE);
});

test('colours are taken out, and characters that would be drawn as something else', () => {
  expect(plainText('\u001b[31mred\u001b[0m \u001b]0;title\u0007done\r')).toBe('red done');
  expect(plainText('a\u202eb\u0000c')).toBe('a�b�c');
  expect(plainText('tab\tstays, größer 日本')).toBe('tab\tstays, größer 日本');
});

test('what is an error is known by its first words', () => {
  const level = (text: string) => levelOf({ at: '', source: 0, text });
  expect([level('ERROR out'), level('level=warn x'), level('[WARNING] x'), level('panic: x'), level('fine')]).toEqual([
    ...['error', 'warn', 'warn', 'error', undefined],
  ]);
});

test('no more lines are kept than a page can be high, however short they are', () => {
  const book = new LogBook();
  const piece = `${Array.from({ length: 10_000 }, () => 'x').join('\n')}\n`;
  for (let at = 0; at < MAX_LINES / 10_000 + 2; at += 1) book.add(0, piece);

  expect(book.lines.length).toBeLessThanOrEqual(MAX_LINES);
  expect(book.lines.length + book.dropped).toBe(MAX_LINES + 20_000);
});
