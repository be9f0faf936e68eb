import { expect, test } from 'vitest';
import { databasesUsed, filesAsked, MAX_DATABASES } from './named-in-text.ts';

test.each([
  ['use other', ['other']],
  ['USE\tOther ;', ['Other']],
  [' /* so */ use `od``d`', ['od`d']],
  ['-- so\nuse 1db', ['1db']],
  ['# so\nuse/**/other', ['other']],
  ['select 1; use a; select 2; use b', ['a', 'b']],
  ['/*!50000 use other */', ['other']],
  ['/*M! use other */', ['other']],
  ['select 1 as $$; use other; select 1 as $$', ['other']],
  ['use "other"', ['other']],
  ['use /*!50000 other */', ['/*!50000 other */']],
])('%s changes the database', (text, names) => {
  expect(databasesUsed(text, true)).toEqual(names);
});

test.each([
  "select 'a; use other'",
  'select 1 from t use index (i)',
  'select use',
  'user other',
  'select 1 -- \\n; use x',
])('%s does not', (text) => {
  expect(databasesUsed(text, true)).toEqual([]);
});

test('where a text ends is as the server says it does', () => {
  const text = "select '\\'; use other; -- '";
  expect([databasesUsed(text, true), databasesUsed(text, false)]).toEqual([[], ['other']]);
});

test('files that a statement asks for are known by their names', () => {
  const names = (text: string) => [...filesAsked(text, true)];
  expect(names("load data local infile '/a b' into table t")).toEqual(['/a b']);
  expect(names('LOAD DATA LOW_PRIORITY LOCAL INFILE "it\\"s" replace into table t')).toEqual(['it"s']);
  expect(names("load xml local infile 'it''s' into table t; load data local infile 'b' into table t")).toEqual([
    "it's",
    'b',
  ]);
  expect(names("load data infile '/etc/passwd' into table t -- local")).toEqual([]);
  expect(names("select 'load data local infile' , '/etc/passwd'")).toEqual([]);
});

test('a quote that may be escaped or not, as the characters of the session have it, hides no USE', () => {
  const gbk = Buffer.concat([Buffer.from("select '\\'"), Buffer.of(0xbf, 0x5c), Buffer.from("'; use hidden; -- '")]);

  expect(databasesUsed(gbk.toString('utf8'), true)).toContain('hidden');
});

test.each(['\n', '\n(', '; ', ' use', '*/', '/*!'])('no statement takes long: many of %j', (many) => {
  const before = process.threadCpuUsage();
  databasesUsed(`select 1${many.repeat(200_000)}`, true);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(5_000);
});

test('a database is given once, and of very many no more than are refused', () => {
  expect(databasesUsed('use a; use b; use a', true)).toEqual(['a', 'b']);
  const many = Array.from({ length: 5_000 }, (_, at) => `use d${at}`).join(';');
  expect(databasesUsed(many, true)).toHaveLength(MAX_DATABASES + 1);
});
