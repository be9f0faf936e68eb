import { expect, test } from 'vitest';
import type { QueryOptions, ResultSink, SqlClient } from '../thread/sql-client.ts';
import { changes, sourceOf } from './sqlserver-rows.ts';

/** A server that answers everything with these rows, in turn. */
function answering(...answers: (string | null)[][][]): SqlClient {
  const query = async (_sql: string, sink: ResultSink, _options?: QueryOptions) => {
    const rows = answers.shift() ?? [];
    for (const row of rows) sink.row(row, []);
    return { tag: '', rows: rows.length, more: false };
  };
  return { query } satisfies Pick<SqlClient, 'query'> as unknown as SqlClient;
}

const TABLE = { schema: 'd]bo', table: 'all kinds' };
const ROW = (name: string, value: string) => ({ what: 'update' as const, key: {}, old: { [name]: value }, values: {} });

test.each([
  ['int', '10', '0', '5', "[c] = CONVERT(int, N'5')"],
  ['decimal', '12', '3', '-1.250', "[c] = CONVERT(decimal(12, 3), N'-1.250')"],
  ['datetime', '23', '3', '2026-02-03 04:05:06.003', "[c] = CONVERT(datetime, N'2026-02-03 04:05:06.003', 121)"],
  ['datetime2', '27', '7', '2026-02-03 04:05:06', "[c] = CONVERT(datetime2(7), N'2026-02-03 04:05:06', 121)"],
  ['varbinary', '0', '0', '0x00ff', "CONVERT(varbinary(max), [c]) = CONVERT(varbinary(max), N'0x00ff', 1)"],
  [
    'varchar',
    '0',
    '0',
    "a' b ",
    "CONVERT(varbinary(max), CONVERT(nvarchar(max), [c])) = CONVERT(varbinary(max), CONVERT(nvarchar(max), N'a'' b '))",
  ],
])('a value of %s must be what was shown', async (type, precision, scale, value, wanted) => {
  const change = await changes(answering([['c', type, precision, scale]]), TABLE);

  expect(change(TABLE, ROW('c', value)).sql).toBe(`UPDATE [d]]bo].[all kinds] SET  WHERE ${wanted}`);
});

test('bytes, dates and decimals are written in the type of their column, other texts as they are, and nothing as NULL', async () => {
  const types = [
    ['a', 'image', '0', '0'],
    ['b', 'time', '16', '3'],
    ['c', 'xml', '0', '0'],
  ];
  const change = await changes(answering(types), TABLE);
  const values = { a: '0xab', b: '04:05:06.007', c: '<a/>', unknown: null };

  expect(change(TABLE, { what: 'insert', values }).sql).toBe(
    "INSERT INTO [d]]bo].[all kinds] ([a], [b], [c], [unknown]) VALUES (CONVERT(varbinary(max), N'0xab', 1), CONVERT(time(3), N'04:05:06.007', 121), N'<a/>', NULL)",
  );
  expect(change(TABLE, { what: 'insert', values: {} }).sql).toBe('INSERT INTO [d]]bo].[all kinds] DEFAULT VALUES');
});

const COLUMNS = [
  { name: 'id', type: 'int' },
  { name: 'other name', type: 'int' },
];
const described = (...more: (string | null)[][]) => [['dbo', 't', 'id', '0'], ['dbo', 't', 'note', '0'], ...more];

test('columns are those of the table, whatever the statement calls them', async () => {
  const side = answering(described(), [['id']]);

  expect(await sourceOf(side, COLUMNS, '-- a word\n select id, note as [other name] from t')).toEqual({
    ...{ schema: 'dbo', table: 't', columns: ['id', 'note'], key: ['id'] },
  });
});

test.each([
  ['it is no question', 'exec p', described(), [['id']]],
  ['the server cannot tell of a column', 'select 1', described().slice(1), [['note']]],
  [
    'columns are of two tables',
    'select 1',
    [
      ['dbo', 't', 'id', '0'],
      ['dbo', 'u', 'note', '0'],
    ],
    [['id']],
  ],
  [
    'a column is there twice',
    'select 1',
    [
      ['dbo', 't', 'id', '0'],
      ['dbo', 't', 'id', '0'],
    ],
    [['id']],
  ],
  [
    'a column is made of others',
    'select 1',
    [
      ['dbo', 't', 'id', '0'],
      ['dbo', 't', null, '0'],
    ],
    [['id']],
  ],
  ['there is no key', 'select 1', described(), []],
  ['a part of the key is not shown', 'select 1', described(), [['id'], ['day']]],
  ['another row of the table is in it', 'select 1', described(['dbo', 't', 'id', '1']), [['id']]],
])('rows are not edited where %s', async (_why, sql, rows, key) => {
  expect(await sourceOf(answering(rows, key), COLUMNS, sql)).toBeUndefined();
});

test('what the server would add beside the key, as the version of a row, is in nobody’s way', async () => {
  const side = answering(described(['dbo', 't', 'version', '1']), [['id']]);

  expect(await sourceOf(side, COLUMNS, 'with a as (select 1) select 2')).toBeDefined();
});
