import { expect, test } from 'vitest';
import { flagsOf } from './statement-flags.ts';

const of = (protocol: string, text: string, more: { what?: string; isCut?: boolean } = {}) =>
  flagsOf(protocol, { what: 'query', isCut: false, text, ...more }).join(' ');

test.each([
  ['drop table orders', 'drops'],
  ['select 1; DROP TABLE orders; select 2', 'drops'],
  ['truncate orders', 'empties'],
  ['delete from orders', 'no-where'],
  ['delete from orders; select 1 from b where c', 'no-where'],
  ["update orders set note = 'where'", 'no-where'],
  ['explain analyze delete from orders', 'no-where'],
  ['grant all on orders to mallory', 'rights'],
  ['create role mallory login', 'rights'],
  ["ALTER USER app PASSWORD '***'", 'rights secret'],
  ['drop role mallory', 'drops rights'],
  ['alter default privileges in schema public grant select on tables to app', 'rights'],
  ['SELECT pg_terminate_backend(20114)', 'ends'],
  ["copy orders to program 'curl x'", 'programs'],
  ["copy orders to '/tmp/orders'", 'files'],
  ["select pg_read_file('/etc/passwd')", 'files'],
  ['alter system set fsync = off', 'settings'],
])('PostgreSQL: %j has the flags %j', (sql, flags) => expect(of('postgres', sql)).toBe(flags));

test.each([
  'select 1',
  'delete from orders where id = 1',
  'explain delete from orders',
  'prepare gone as delete from orders',
  "select 'drop table orders'",
  'select * from drops',
  'select "drop" from orders',
  'copy orders to stdout',
  'copy orders from stdin',
  "select '***'",
  "select '***' as password",
  "insert into notes (text) values ('***')",
  'select pg_terminate_backend from facts',
  'select "grant" from rights',
  '-- drop table orders\nselect 1',
  'set search_path = a',
  'begin',
])('PostgreSQL: %j has none', (sql) => expect(of('postgres', sql)).toBe(''));

test('of what only its beginning was kept, nothing is said that the rest could make wrong', () => {
  expect(of('postgres', 'delete from orders', { isCut: true })).toBe('');
  expect(of('postgres', 'drop table orders', { isCut: true })).toBe('drops');
  expect(of('postgres', `update orders set a = '${'x'.repeat(30_000)}' where id = 1`)).toBe('');
  expect(of('mongodb', '{"delete":"a","deletes":[{"q":{},"limit":0}]}', { what: 'delete', isCut: true })).toBe('');
});

test.each([
  ['KILL 7', 'ends'],
  ['kill connection 7', 'ends'],
  ['kill query 7', ''],
  ["select * from a into outfile '/tmp/a'", 'files'],
  ["create user ann identified by '***'", 'rights secret'],
  ['create or replace user ann', 'rights'],
  ['set global max_connections = 1', 'settings'],
  ['set names utf8', ''],
  ['delete from a # where b', 'no-where'],
  ['select `drop` from a', ''],
])('MySQL: %j has the flags %j', (sql, flags) => expect(of('mysql', sql)).toBe(flags));

test.each([
  ['FLUSHALL', 'empties'],
  ['"flushdb" "async"', 'empties'],
  ['CONFIG SET maxmemory 1', 'settings'],
  ['CONFIG GET maxmemory', ''],
  ['ACL SETUSER ann on', 'rights'],
  ['CLIENT KILL ID 7', 'ends'],
  ['CLIENT LIST', ''],
  ['SET FLUSHALL 1', ''],
  ['GET "drop table a"', ''],
])('Redis: %j has the flags %j', (text, flags) => expect(of('redis', text)).toBe(flags));

test.each([
  ['drop', '{"drop":"a","$db":"shop"}', 'drops'],
  ['delete', '{"delete":"a","deletes":[{"q":{},"limit":0}]}', 'no-filter'],
  ['delete', '{"delete":"a","deletes":[{"q":{},"limit":1}]}', ''],
  ['delete', '{"delete":"a","deletes":[{"q":{"b":1},"limit":0}]}', ''],
  ['update', '{"update":"a","updates":[{"q":{},"u":{"$set":{"b":1}},"multi":true}]}', 'no-filter'],
  ['update', '{"update":"a","updates":[{"q":{},"u":{"$set":{"b":1}}}]}', ''],
  ['delete', '{"delete":"a","deletes":', ''],
  ['createUser', '{"createUser":"ann"}', 'rights'],
  ['find', '{"find":"drop"}', ''],
])('MongoDB: %s %s has the flags %j', (what, text, flags) => expect(of('mongodb', text, { what })).toBe(flags));
