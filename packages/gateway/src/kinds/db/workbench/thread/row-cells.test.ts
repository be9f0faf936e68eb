import { expect, test } from 'vitest';
import { readSize } from '../mysql/read-size.ts';
import { RowCells } from './row-cells.ts';

test('a row of nothing but missing values does not grow without end', () => {
  const cells = new RowCells(readSize, String);
  const nulls = Buffer.alloc(16 * 1024, 0xfb);
  expect(() => {
    for (let times = 0; times < 8; times += 1) cells.push(nulls);
  }).toThrow('a row of more values than any has');
});

test('the next row begins at nothing', () => {
  const cells = new RowCells(readSize, String);
  for (let row = 0; row < 3; row += 1) {
    cells.push(Buffer.alloc(40_000, 0xfb));
    expect(cells.end().cells).toHaveLength(40_000);
  }
});
