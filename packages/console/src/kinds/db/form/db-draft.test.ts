import { expect, test } from 'vitest';
import { database, databaseDetails } from '../../../../testing/fake-databases.ts';
import {
  checkDraft,
  type DbDraft,
  draftOf,
  EMPTY_DRAFT,
  guessName,
  isElsewhere,
  protocolOf,
  testOf,
} from './db-draft.ts';

const DRAFT: DbDraft = { ...EMPTY_DRAFT, name: 'shop', uri: 'db.inside:5432' };

test('a name and an address are enough; the password comes along where it was typed', () => {
  expect(checkDraft(DRAFT).wanted).toMatchObject({
    database: { name: 'shop', protocol: 'postgres', uri: 'db.inside:5432', signIn: 'password', through: [] },
    secret: undefined,
  });
  expect(checkDraft({ ...DRAFT, dbUser: ' app ', password: ' p ' }).wanted?.secret).toEqual({
    dbUser: 'app',
    password: ' p ',
  });
});

test.each([
  ['name', { name: 'Shop!' }, /lower-case/],
  ['uri', { uri: 'me:secret@db.inside' }, /name or password/],
  ['uri', { uri: 'mysql://db.inside' }, /protocol is 'postgres'/],
  ['labels', { labels: ['prod'] }, /^prod$/],
  ['tls.ca', { ca: 'not a certificate' }, /no PEM certificate/],
  ['tls.serverName', { serverName: 'not a name' }, /host name/],
  ['tls.mode', { signIn: 'certificate', tlsMode: 'off' }, /shown inside TLS/],
  ['signIn', { signIn: 'aws' }, /none of RDS/],
  ['database', { database: 'shop', names: ['archive'] }, /not among the names/],
  ['database', { protocol: 'redis', database: 'shop' }, /must be a number/],
  ['dbUser', { password: 'secret' }, /whose password/],
  ['password', { dbUser: 'app' }, /password is missing/],
  ['limits.statementTimeoutMs', { statementTimeout: 'soon' }, /./],
  ['limits.webRows', { webRows: '0' }, /./],
  ['limits.initSql', { protocol: 'redis', initSql: 'SELECT 1' }, /does not speak/],
  ['aws.account', { aws: { ...EMPTY_DRAFT.aws, account: '12' } }, /12 digits/],
] as const)('what is wrong is said at %s', (field, change, words) => {
  const { faults } = checkDraft({ ...DRAFT, ...change } as DbDraft);

  expect(Object.keys(faults ?? {})).toEqual([field]);
  expect(faults?.[field]).toMatch(words);
});

test('what was saved comes back as it was typed', () => {
  const draft: DbDraft = {
    ...DRAFT,
    labels: ['env=prod', 'note=a=b'],
    tlsMode: 'insecure',
    database: 'shop',
    users: ['app'],
    statementTimeout: '30',
    initSql: 'SET a = 1\nSET b = 2',
    hidesValues: true,
    readOnly: true,
  };
  const saved = checkDraft(draft).wanted?.database;
  const details = { ...databaseDetails(database('shop')), ...saved, labels: { env: 'prod', note: 'a=b' } };

  expect(draftOf(details as ReturnType<typeof databaseDetails>)).toEqual(draft);
});

test.each([
  [true, 'another port', { uri: 'db.inside:5433' }],
  [true, 'another mode of TLS', { tlsMode: 'insecure' }],
  [true, 'another agent', { through: ['near'] }],
  [false, 'the usual port, written out', { uri: 'postgres://db.inside' }],
  [false, 'other labels and limits', { labels: ['a=b'], statementTimeout: '5', description: 'x' }],
] as const)('that passwords become void is %s of %s', (isVoid, _, change) => {
  expect(isElsewhere(DRAFT, { ...DRAFT, ...change } as DbDraft)).toBe(isVoid);
});

test('an authority that only TLS off leaves out makes it another place as well', () => {
  const before: DbDraft = { ...DRAFT, serverName: 'db.example.com' };

  expect(isElsewhere(before, { ...before, tlsMode: 'off' })).toBe(true);
});

test.each([
  ['shop.inside:5432', 'shop'],
  ['localhost', ''],
  ['10.0.0.5', ''],
  ['postgres://ledger', 'ledger'],
])('the address %s suggests the name %j', (uri, name) => {
  expect(guessName({ ...EMPTY_DRAFT, uri })).toBe(name);
});

test('a scheme says the protocol', () => {
  expect(protocolOf('mariadb://db.inside')).toBe('mysql');
  expect(protocolOf('db.inside')).toBe(undefined);
});

test('a sign-in is tried only with a user and a password, and what is not written yet need not be right', () => {
  const typing: DbDraft = { ...DRAFT, name: '', dbUser: 'app', password: '', labels: ['half'] };

  expect(testOf(typing)?.spec).not.toHaveProperty('dbUser');
  expect(testOf(typing)).toMatchObject({
    kind: 'db',
    spec: { uri: 'db.inside:5432', protocol: 'postgres', labels: [] },
  });
  expect(testOf({ ...typing, password: 'hunter2' })?.spec).toMatchObject({ dbUser: 'app', password: 'hunter2' });
  expect(testOf({ ...DRAFT, through: ['edge', 'far'] })).toMatchObject({ spec: { name: 'shop' }, through: 'edge' });
  expect(testOf({ ...typing, uri: 'a b' })).toBe(undefined);
});
