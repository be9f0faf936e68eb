import { expect, test } from 'vitest';
import { riskOf } from './risk-of.ts';

const PG = { backslashes: false, isMysql: false };
const TSQL = { ...PG, isTsql: true };

test.each([
  ['delete from [shop].[or ders]', 'DELETE or ders'],
  ['select [drop] from a; drop table [a;b]', 'DROP a;b'],
  ['update [t] set a = 1 where b = 2', undefined],
])('of SQL Server, %j asks for %j', (sql, asked) => {
  const risk = riskOf(sql, TSQL);
  expect(risk && `${risk.verb} ${risk.name}`).toBe(asked);
});

test.each([
  ['delete from shop.orders', 'DELETE orders'],
  ['DELETE FROM ONLY "Or ders" o', 'DELETE Or ders'],
  ['update orders set a = 1', 'UPDATE orders'],
  ["update orders set a = 'where b'", 'UPDATE orders'],
  ['update orders set a = 1 -- where b = 2', 'UPDATE orders'],
  ['update orders set a = (select b from c where d)', 'UPDATE orders'],
  ['truncate table a, b', 'TRUNCATE a'],
  ['drop table if exists public.orders cascade', 'DROP orders'],
  ['drop materialized view v', 'DROP v'],
  ['with old as (select 1) delete from orders', 'DELETE orders'],
  ['with gone as (delete from orders returning *) select * from gone', 'DELETE orders'],
  ['/* soft */ drop schema shop', 'DROP shop'],
  ['explain analyze delete from orders', 'DELETE orders'],
  ['explain (analyze, buffers) delete from orders', 'DELETE orders'],
])('%j asks for a name', (sql, asked) => {
  const risk = riskOf(sql, PG);
  expect(risk && `${risk.verb} ${risk.name}`).toBe(asked);
});

test.each([
  'select 1',
  'delete from orders where id = 1',
  'update orders o set a = 1 from b where b.id = o.id',
  'select * from orders for update',
  'insert into orders values (1) on conflict (id) do update set a = 1',
  'with gone as (delete from orders where id = 1 returning *) select * from gone',
  "select 'drop table orders'",
  'select "drop" from a',
  'alter table a drop column b',
  'explain delete from orders',
  'create table drops (a int)',
  '',
])('%j asks for nothing', (sql) => {
  expect(riskOf(sql, PG)).toBe(undefined);
});
