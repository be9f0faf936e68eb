import { expect, test } from 'vitest';
import { databasesUsed, MAX_DATABASES, onlyReads, procedureName } from './tsql.ts';

test.each([
  ['use shop', ['shop']],
  ['select 1; USE [a]]b] select 2', ['a]b']],
  ['use "shop"', ['shop']],
  ['select 1 --use x\nuse y', ['y']],
  ['/* use /* use a */ use b */ use c', ['c']],
  ["select 'use x', N'use y', [use z]", []],
  ["select * from t option (use hint ('x'), use plan N'y')", []],
  ['use hint', ['hint']],
  ['if 1 = 1 use/**/x', ['x']],
  ['select abuse, use_me from t', []],
  ['select 0x0use x', ['x']],
  ['select 1use x', ['x']],
  ['select 1.5e-3use x', ['x']],
  ['select 1euse x', ['x']],
  ['select .5use x', ['x']],
  ['use n', ['n']],
  ['use [private  ]', ['private']],
])('%s changes to %j', (text, names) => expect(databasesUsed(text)).toEqual(names));

test.each([
  ['select 1', true],
  ["  -- x\n select 'insert', [delete] from t", true],
  ['with t as (select 1 as x) select * from t', true],
  ['declare @x int; set @x = 1; select @x', true],
  ['select * into t2 from t', false],
  ['sp_who', false],
  ['[sp_who]', false],
  ["exec('drop table t')", false],
  ['select 1 update t set x = 1', false],
  ['dbcc checkdb', false],
  ['if 1 = 1 truncate table t', false],
  ['select 1e0update t set x = 1', false],
  ['select 0xfdelete t', true],
  ['select 0x0insert t values (1)', false],
  ['select 1exec p', false],
])('%s only reads: %j', (text, is) => expect(onlyReads(text)).toBe(is));

test.each([
  ['sp_executesql', 'sp_executesql', ''],
  ['sys.sp_executesql', 'sp_executesql', ''],
  [' [sp_executesql] ;1', 'sp_executesql', ''],
  ['master..sp_executesql', 'sp_executesql', 'master'],
  ['[a.]]b ] . "dbo" . "sp;1"', 'sp;1', 'a.]b'],
  ['far.shop.dbo.p', 'p', 'shop'],
])('%s is the procedure %s in %j', (text, name, database) => expect(procedureName(text)).toEqual({ name, database }));

test('a database is given once, and of very many no more than are refused', () => {
  expect(databasesUsed('use a use b use a')).toEqual(['a', 'b']);
  const many = Array.from({ length: 5_000 }, (_, at) => `use d${at}`).join(' ');
  expect(databasesUsed(many)).toHaveLength(MAX_DATABASES + 1);
});
