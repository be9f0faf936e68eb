import { expect, test } from 'vitest';
import { splitStatements } from './split-statements.ts';

const PG = { backslashes: false, isMysql: false };

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
