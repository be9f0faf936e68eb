import { expect, test } from 'vitest';
import { splitStatements } from './split-statements.ts';

const PG = { backslashes: false, isMysql: false };

test.each([
  ['select 1; select [a;b]', ['select 1', 'select [a;b]']],
  ['select 1\nGO\nselect 2; -- x\n go 3 -- thrice\nselect 3', ['select 1', 'select 2', 'select 3']],
  ["select '\nGO\n', [\ngo\n] /*\nGO\n*/ go", ["select '\nGO\n', [\ngo\n] /*\nGO\n*/ go"]],
  ['declare @a int = 1; select @a; ', ['declare @a int = 1; select @a;']],
  ['select @@rowcount; select 2', ['select @@rowcount', 'select 2']],
  ['begin tran; update t set a = 1; commit', ['begin tran', 'update t set a = 1', 'commit']],
  ['begin select 1; end; select 2', ['begin select 1; end; select 2']],
  ['create proc p as select 1; select 2\nGO\nexec p', ['create proc p as select 1; select 2', 'exec p']],
  ['GO\r\n;\r\nGO\r\nselect 1\r\nGO', ['select 1']],
  ['select 1 as\ngo_on', ['select 1 as\ngo_on']],
])('of SQL Server, %j', (text, wanted) => {
  const found = splitStatements(text, { ...PG, isTsql: true });
  expect(found.map(({ sql }) => sql)).toEqual(wanted);
  for (const { sql, from, to } of found) expect(text.slice(from, to)).toBe(sql);
});

test.each([
  ['select 1; select 2', ['select 1', 'select 2']],
  ["select ';' ; ", ["select ';'"]],
  ['do $$ begin; end $$; x', ['do $$ begin; end $$', 'x']],
  ['-- a;\nselect "a;b"', ['-- a;\nselect "a;b"']],
  ['; ;-- nothing', []],
  [
    'create function f() begin atomic select 1; select case when true then 1 end; end; select 2',
    ['create function f() begin atomic select 1; select case when true then 1 end; end', 'select 2'],
  ],
])('%j', (text, wanted) => {
  const found = splitStatements(text, PG);
  expect(found.map(({ sql }) => sql)).toEqual(wanted);
  for (const { sql, from, to } of found) expect(text.slice(from, to)).toBe(sql);
});
