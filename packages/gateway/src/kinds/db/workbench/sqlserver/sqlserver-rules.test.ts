import { expect, test } from 'vitest';
import { whyNotReading, whyNotTried } from './sqlserver-rules.ts';

test.each([
  'select 1',
  '  -- drop\n select [drop], "insert", \'update\' from t;',
  'with a as (select 1 as x) select * from a order by x offset 0 rows fetch next 5 rows only',
  'select case when a = 1 then 2 end from t for json path',
  'use [shop]',
  'select send, move, login from t',
])('%j reads', (sql) => expect(whyNotReading(sql)).toBe(undefined));

test.each([
  '',
  '-- nothing',
  'insert into t values (1)',
  'exec p',
  'sp_who',
  '[sp_who]',
  "'sp_who'",
  'set nocount on',
  'declare @a int',
  'begin transaction',
  'commit',
  'rollback',
  'select 1; select 2',
  'select 1 drop table t',
  'select 1 exec p',
  'select 1exec p',
  'select * into t2 from t',
  'select next value for s',
  "select * from openrowset('x', 'y', 'z')",
  'with a as (select 1 as x) delete from a',
  'use shop drop table t',
  'use shop; select 1',
  'if 1 = 1 select 1',
  'waitfor (receive * from q)',
  'select 1 revert',
  'select 1 disable trigger x on t',
  'select 1 end conversation 2',
])('%j is not known to read', (sql) => expect(whyNotReading(sql)).toMatch(/only reading is allowed here/));

test.each([
  'update t set a = 1',
  'insert into t (login, server) values (1, 2)',
  'delete top (5) from t where a = 1',
  'with a as (select 1 as x) update t set b = 1 from a',
  'merge t using s on t.a = s.a when matched then update set b = 1;',
  'create table t (a int)',
  'drop index i on t',
  'truncate table t',
])('%j can be tried', (sql) => expect(whyNotTried(sql)).toBe(undefined));

test.each([
  'exec p',
  'insert into t exec p',
  'update t set a = 1 commit',
  'update t set a = 1; commit',
  'drop database shop',
  'create login eve with password = 1',
  'create procedure p as commit',
  'create or alter procedure p as select 1',
  'begin tran',
  'select 1 use shop',
  "insert into t select * from openquery(far, 'x')",
  'backup database shop to disk = 1',
  'insert into t values (1) set xact_abort on',
])('%j cannot be tried', (sql) => expect(whyNotTried(sql)).toMatch(/cannot be tried/));
