import { expect, test } from 'vitest';
import { csvCell } from './csv-cell.ts';

test.each([
  '=1+1',
  '+cmd|x',
  '-x',
  '@SUM(A1)',
  '\t=1',
  ' =1',
  '\u00a0=1',
  '\n =1',
  '|calc',
  '%1',
  '\uff1d1',
  '\uff20x',
])('no spreadsheet runs %j', (value) => {
  expect(csvCell(value)).toMatch(/^"?'/);
});

test.each([
  [null, ''],
  ['', '""'],
  ['-5', '-5'],
  ['+1.5e3', '+1.5e3'],
  [' plain ', ' plain '],
  ['5 % of it', '5 % of it'],
  ['a "b", c', '"a ""b"", c"'],
])('%j is the cell %j', (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});
