import { expect, test } from 'vitest';
import { RowBuffer } from '../workbench/bench/row-buffer.ts';
import { linesOf } from './document-lines.ts';
import { Documents, tableOf } from './document-rows.ts';

function documentsOf(...texts: string[]) {
  const rows = new RowBuffer();
  rows.append(
    texts.map((text) => [text]),
    [{ row: 0, column: 0, bytes: 99 }],
  );
  return new Documents(rows);
}

const shown = (list: ReturnType<typeof linesOf>) =>
  Array.from({ length: list.total }, (_, at) => list.at(at)).map(
    (line) => line && `${'-'.repeat(line.depth)}${line.name}`,
  );

test('the first documents are open, what is in them is not until somebody opens it', () => {
  const documents = documentsOf('{"a": {"b": [1, 2]}, "c": 1}', '{}');
  expect(shown(linesOf(documents, 2, new Set()))).toEqual(['', '-a', '-c', '']);
  const list = linesOf(documents, 2, new Set(['0.0', '0.0.0']));
  expect(shown(list)).toEqual(['', '-a', '--b', '---0', '---1', '-c', '']);
  expect(list.find('0.0.0')).toBe(2);
  expect(list.find('0.7')).toBe(-1);
  expect(list.at(2)).toMatchObject({ position: 1, neighbours: 1, isOpen: true });
  expect(shown(linesOf(documents, 2, new Set(['0'])))).toEqual(['', '']);
});

test('of very many documents only those that are looked at are read', () => {
  const rows = new RowBuffer();
  rows.append(
    Array.from({ length: 50_000 }, (_, n) => [n < 6 || n > 49_990 ? `{"n": ${n}}` : 'not read']),
    [],
  );
  const list = linesOf(new Documents(rows), 50_000, new Set());
  expect(list.total).toBe(50_005);
  expect(list.at(50_004)).toMatchObject({ index: 49_999, depth: 0 });
});

test('a table has a column for each field, with what documents have there', () => {
  const documents = documentsOf(
    '{"_id": 1, "a": "x"}',
    '{"_id": {"$oid": "65a000000000000000000001"}, "b": null, "c": [1]}',
  );
  const { names, types, rows } = tableOf(documents, 2);
  expect(names).toEqual(['_id', 'a', 'b', 'c']);
  expect(types).toEqual(['int, oid', 'text', 'null', 'array']);
  expect([...rows.rows()]).toEqual([
    ['1', 'x', '', ''],
    ['ObjectId("65a000000000000000000001")', '', null, '[1]'],
  ]);
  expect(documents.cutAt(0)).toBe(99);
});
