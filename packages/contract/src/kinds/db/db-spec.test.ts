import { expect, test } from 'vitest';
import { type DbProtocol, dbDialAddress, dbTitle, parseDbUri } from './db-address.ts';
import { dbName, dbServerKeys, dbSpec, signInOf, typeOf } from './db-spec.ts';

const told = (uri: string, protocol?: DbProtocol) => {
  const parsed = parseDbUri(uri, protocol);
  return 'wrong' in parsed
    ? parsed.wrong
    : `${parsed.protocol} ${parsed.address.hosts.map(dbDialAddress).join(' ')} ${parsed.address.replicaSet}`.trim();
};

test.each([
  ['postgres://127.0.0.1:5433', undefined, 'postgres 127.0.0.1:5433'],
  ['PostgreSQL://DB.inside', undefined, 'postgres db.inside:5432'],
  ['db.inside', 'postgres', 'postgres db.inside:5432'],
  ['db.inside:1', 'mysql', 'mysql db.inside:1'],
  ['mariadb://[::1]', undefined, 'mysql [::1]:3306'],
  ['rediss://cache/', undefined, 'redis cache:6379'],
  ['mssql://s', 'sqlserver', 'sqlserver s:1433'],
  ['mongodb://a,b:2,[fe80::1]:3?replicaSet=rs0', undefined, 'mongodb a:27017 b:2 [fe80::1]:3 rs0'],
] as const)('%s is where people mean', (uri, protocol, address) => {
  expect(told(uri, protocol)).toBe(address);
});

test.each([
  ['db.inside:5432', undefined, /names no protocol/],
  ['oracle://db', undefined, /begins with 'oracle:\/\/'/],
  ['mysql://db', 'postgres', /the protocol is 'postgres'/],
  ['postgres://app:secret@db', undefined, /holds a name or password/],
  ['postgres://app:sec/ret@db', undefined, /holds a name or password/],
  ['postgres://app:sec?ret=x@db', undefined, /holds a name or password/],
  ['postgres://db/shop', undefined, /holds a path/],
  ['postgres://db?sslmode=disable', undefined, /holds 'sslmode'/],
  ['postgres://db#x', undefined, /holds '#x'/],
  ['postgres://a,b', undefined, /only MongoDB/],
  ['mongodb+srv://a.example', undefined, /leaves the hosts to the DNS/],
  ['mongodb://a,,b', undefined, /HOST:PORT/],
  ['postgres://db:70000', undefined, /HOST:PORT/],
  ['postgres://db:0', undefined, /HOST:PORT/],
  ['postgres://', undefined, /HOST:PORT/],
  ['postgres://d b', undefined, /spaces/],
  ['postgres://dб', undefined, /characters that no address has/],
] as const)('%s is refused in words', (uri, protocol, words) => {
  expect(told(uri, protocol)).toMatch(words);
});

const parse = (fields: object) => dbSpec.safeParse({ protocol: 'postgres', uri: 'db.inside', ...fields });
const errors = (fields: object) =>
  (parse(fields).error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`);

test('what is left out is what is safe', () => {
  expect(parse({}).data).toMatchObject({
    tls: { mode: 'verify-full', ca: '', serverName: '' },
    limits: { webRows: 1_000, statementTimeoutMs: 0, initSql: [] },
    readOnly: false,
    values: 'kept',
    through: [],
  });
});

test.each([
  [{ uri: 'mysql://db' }, /^uri begins with/],
  [{ tls: { mode: 'off' } }, /^tls\.mode is off, and a certificate/],
  [{ tls: { mode: 'insecure' }, signIn: 'aws', uri: 'x.rds.amazonaws.com' }, /^tls\.mode is 'insecure'/],
  [{ tls: { mode: 'off', serverName: 'db.example' }, signIn: 'password' }, /^tls\.mode is off: an authority/],
  [{ signIn: 'aws' }, /^signIn is 'aws'/],
  [
    { signIn: 'aws', uri: 'x.c1.eu-west-1.rds.amazonaws.com', protocol: 'sqlserver' },
    /^signIn is 'aws', by which only PostgreSQL and MySQL/,
  ],
  [{ signIn: 'gcp' }, /^signIn is 'gcp'/],
  [{ database: 'c', names: ['a', 'b'] }, /^database 'c' is not among/],
  [{ protocol: 'redis', database: 'shop' }, /^database must be a number/],
  [{ protocol: 'redis', limits: { initSql: ['x'] } }, /^limits\.initSql is SQL/],
  [{ limits: { webRows: 1_000_000 } }, /^limits\.webRows/],
  [{ users: ['a\u202eb'] }, /^users\.0/],
  [{ tls: { mode: 'verify-ca' } }, /^tls\.ca is empty, and with 'verify-ca' anybody/],
  [{ tls: { ca: 'none' } }, /^tls\.ca holds no PEM/],
])('%j is refused at its field', (fields, words) => {
  expect(errors(fields).join('\n')).toMatch(words);
});

test.each([
  ['shop.c1.eu-west-1.rds.amazonaws.com', {}, 'rds', 'aws', 'RDS PostgreSQL'],
  ['shop.c1.eu-west-1.redshift.amazonaws.com', {}, 'redshift', 'aws', 'Redshift'],
  ['shop.c1.rds.cn-north-1.amazonaws.com.cn', {}, 'rds', 'aws', 'RDS PostgreSQL'],
  ['shop.c1.cn-northwest-1.redshift.amazonaws.com.cn', {}, 'redshift', 'aws', 'Redshift'],
  ['shop.rds.cn-north-1.amazonaws.com', {}, 'self-hosted', 'certificate', 'Self-hosted PostgreSQL'],
  ['10.0.0.5', { gcp: { project: 'p', instance: 'i' } }, 'gcp', 'gcp', 'Cloud SQL PostgreSQL'],
  ['db.inside', {}, 'self-hosted', 'certificate', 'Self-hosted PostgreSQL'],
  ['rds.amazonaws.com.evil.example', {}, 'self-hosted', 'certificate', 'Self-hosted PostgreSQL'],
])('%s is of its type', (uri, fields, type, signIn, title) => {
  const db = dbSpec.parse({ protocol: 'postgres', uri, ...fields });

  expect([typeOf(db), signInOf(db), dbTitle(typeOf(db), db.protocol)]).toEqual([type, signIn, title]);
});

test('its name becomes part of a host name', () => {
  expect(dbName.safeParse('shop-1').success).toBe(true);
  for (const name of ['Shop', '1shop', 'shop_1', 'a'.repeat(64), ''])
    expect(dbName.safeParse(name).success).toBe(false);
});

test('a server is told by its hosts alone: a certificate proves no port', () => {
  const keys = (uri: string, tls = {}) => dbServerKeys(uri, { protocol: 'mongodb', tls });
  expect(keys('db.inside:27017')).toEqual(keys('DB.inside:27018'));
  expect(keys('[::ffff:10.0.0.5]:1')).toEqual(keys('10.0.0.5'));
  expect(keys('[2001:db8::1]')).toEqual(keys('[2001:0db8:0::0:1]:9'));
  expect(keys('a.inside,b.inside:5', { serverName: 'c.inside' })).toEqual(['a.inside', 'b.inside', 'c.inside']);
});

test('loopback is told apart by an authority of its own or by a name, and not otherwise', () => {
  const keys = (uri: string, tls?: object) => dbServerKeys(uri, { protocol: 'postgres', ...(tls ? { tls } : {}) });
  expect(keys('localhost:5432', { ca: 'one' })).toEqual([]);
  expect(keys('127.1:5432', { ca: 'one' })).toEqual([]);
  expect(keys('localhost:5432')).toEqual(['localhost']);
  expect(keys('127.0.0.1:5432', { serverName: 'db.inside' })).toEqual(['db.inside']);
  expect(keys('127.0.0.1:5432', { serverName: 'db.localhost' })).toEqual(['127.0.0.1', 'db.localhost']);
});
