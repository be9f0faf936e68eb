import { expect, test } from 'vitest';
import { sampleEvent } from '../../testing/audit/sample-event.ts';
import { CSV_COLUMNS, csvCell, csvLine } from './csv.ts';
import { userLogin } from './sign-in-events.ts';

test.each(['=1+1', '+1', '-1', '@SUM(A1)', ' \t=cmd', '\r=1', '|calc', '＝1+1'])(
  'a cell that begins like a formula is text: %j',
  (text) => {
    expect(csvCell(text)).toMatch(/^"?'/);
  },
);

test.each(['\u001b]0;title\u0007', '\u009b31m', '\u0000=1', '\u200b=1', '\u2028', '\u202eevil', '\ud800'])(
  'a cell neither steers nor hides: %j',
  (text) => {
    expect(csvCell(text)).toMatch(/^"?\\u\{[0-9a-f]+\}[\x20-\x7e]*$/);
    expect(csvLine({ code: 'X', user: text })).toMatch(/^[\x20-\x7e]*\r\n$/);
  },
);

test('quotes, commas and line breaks stay inside their cell', () => {
  expect(csvCell('a "b", c\nd')).toBe('"a ""b"", c\nd"');
  expect(csvCell('plain')).toBe('plain');
});

test('an event is one line with every column', () => {
  const line = csvLine({ ...sampleEvent(userLogin), user: 'ann' });

  expect(line.split('"')[0]!.split(',').slice(0, 5)).toEqual([
    '2026-03-04T05:06:07.000Z',
    'info',
    'T1000I',
    'user.login',
    'ann',
  ]);
  expect(line.endsWith('\r\n')).toBe(true);
  expect(CSV_COLUMNS).toContain('json');
});

test.each([[undefined], [null], [42], [{ user: { toString: 1 } }], [{ code: '=1', user: '\u202eevil' }]])(
  'a broken event is a line as well: %j',
  (raw) => {
    expect(csvLine(raw)).toMatch(/\r\n$/);
  },
);
