import { expect, test } from 'vitest';
import { hideRepeated, maskSecrets } from './mask-secrets.ts';

const POSTGRES = { backslashes: false, isMysql: false };
const MYSQL = { backslashes: true, isMysql: true };

test.each([
  ["alter role a password 'x'", "alter role a password '***'"],
  [
    "ALTER USER a WITH ENCRYPTED PASSWORD 'it''s' VALID UNTIL 'never'",
    "ALTER USER a WITH ENCRYPTED PASSWORD '***' VALID UNTIL '***'",
  ],
  ["alter role a password E'x\\'y'; drop table t", "alter role a password '***'; drop table t"],
  ['alter role a password $$x$$', "alter role a password '***'"],
  ['alter role a password $tag$ x $$ y $tag$; select 1', "alter role a password '***'; select 1"],
  ["alter role a password U&'\\0441'", "alter role a password U&'***'"],
  ["alter role a password /* 'no' */ 'x'", "alter role a password /* 'no' */ '***'"],
  ["alter role a password -- 'no'\n 'x'", "alter role a password -- 'no'\n '***'"],
  [
    "create user mapping for a server s options (user 'u', password 'x')",
    "create user mapping for a server s options (user 'u', password '***')",
  ],
  [
    "create subscription s connection 'host=h password=x' publication p",
    "create subscription s connection '***' publication p",
  ],
  ["do $$ begin execute 'alter role a password ''x'''; end $$", "do '***'"],
  ['select 1 where "password" = \'x\'', 'select 1 where "password" = \'***\''],
  ["alter role a /* /* */ ' */ password 'x'", "alter role a /* /* */ ' */ password '***'"],
  ["alter role a /* /* */ */ password 'x' /* ' */", "alter role a /* /* */ */ password '***' /* ' */"],
  ["alter role a password 'cut off", "alter role a password '***'"],
])('hides what is secret in %s', (statement, masked) => {
  expect(maskSecrets(statement, POSTGRES)).toEqual({ text: masked, hasSecret: true });
});

test.each([
  ["change master to MASTER_PASSWORD='x'", "change master to MASTER_PASSWORD='***'"],
  ["change replication source to source_password = 'x'", "change replication source to source_password = '***'"],
  ["select 1 /* /* */; alter user a identified by 'x'", "select 1 /* /* */; alter user a identified by '***'"],
  ["create user a identified by 'x'", "create user a identified by '***'"],
  ['create user a identified by "x"', "create user a identified by '***'"],
  ["set password for a = password('it\\'s'); select 'b'", "set password for a = password('***'); select 'b'"],
  ["create user a /*!50000 identified by 'x' */", "create user a /*!50000 identified by '***' */"],
  ["create user a /*M!100100 identified by 'x' */", "create user a /*M!100100 identified by '***' */"],
  ["select 5--2; alter user a identified by 'x'", "select 5--2; alter user a identified by '***'"],
  ["select 5 -- it's\n; alter user a identified by 'x'", "select 5 -- it's\n; alter user a identified by '***'"],
  [
    "select 1 # it's\n; alter user a identified with p as 'x'",
    "select 1 # it's\n; alter user a identified with p as '***'",
  ],
])('hides what is secret in %s, as MySQL reads it', (statement, masked) => {
  expect(maskSecrets(statement, MYSQL)).toEqual({ text: masked, hasSecret: true });
});

test.each(["select 'a' from t", 'create table passwords (n int)', "select 'b'; alter role a nologin -- password"])(
  'leaves %s as it is',
  (statement) => {
    expect(maskSecrets(statement, POSTGRES)).toEqual({ text: statement, hasSecret: false });
  },
);

test('what is run behind a secret stays to be read', () => {
  // Where a backslash stands for itself, the text ends before the second statement.
  const statement = "alter role a password '\\'; drop table t; --'";

  expect(maskSecrets(statement, POSTGRES).text).toBe("alter role a password '***'; drop table t; --'");
});

test.each([
  [
    "You have an error in your SQL syntax near ''x' 'y'' at line 1",
    "You have an error in your SQL syntax near '***' at line 1",
  ],
  ['syntax error at or near "\'x\'"', "syntax error at or near '***'"],
])('an error repeats no secret: %s', (error, hidden) => {
  expect(hideRepeated(error)).toBe(hidden);
});

test.each([
  ["/* /* password 'a' */ password 'b' */ password 'c'", "/* /* password 'a' */ password 'b' */ password '***'"],
  ["/*/**/ password 'a' */ password 'b'", "/*/**/ password 'a' */ password '***'"],
  ["/*/ password 'a' */ password 'b'", "/*/ password 'a' */ password '***'"],
  ["/* /* */ password 'a'", "/* /* */ password 'a'"],
])('comments inside each other end where the server says: %s', (statement, shown) => {
  expect(maskSecrets(statement, POSTGRES).text).toBe(shown);
});

test('no statement takes long, however many comments it opens', () => {
  const before = process.threadCpuUsage();
  maskSecrets(`secret ${'/* '.repeat(100_000)}*/`, POSTGRES);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(5_000);
});
