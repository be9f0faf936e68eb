import type { AppDetails } from '@gatehouse/contract/kinds/app/apps';
import { expect, test } from 'vitest';
import { checkDraft, draftOf, EMPTY_DRAFT, guessName, schemeOf } from './app-draft.ts';

const DRAFT = { ...EMPTY_DRAFT, name: 'grafana', uri: 'http://grafana.inside:3000' };

test('a name and an address are enough', () => {
  expect(checkDraft(DRAFT).wanted).toMatchObject({
    name: 'grafana',
    uri: 'http://grafana.inside:3000',
    publicAddr: '',
    labels: {},
    through: [],
    rewrite: { redirect: [], headers: [], jwt: 'roles-and-traits' },
  });
});

test('an address without a scheme means HTTP', () => {
  expect(checkDraft({ ...DRAFT, uri: ' 10.0.0.5:8080 ' }).wanted?.uri).toBe('http://10.0.0.5:8080');
  expect(schemeOf({ ...DRAFT, uri: 'db.inside:5432' })).toBe('http');
  expect(schemeOf({ ...DRAFT, uri: 'tcp://db.inside:5432' })).toBe('tcp');
  expect(schemeOf({ ...DRAFT, uri: '' })).toBeUndefined();
});

test('to whoever said that it is a TCP service an address without a scheme means TCP, and one with a scheme what it says', () => {
  const tcp = { ...DRAFT, scheme: 'tcp' as const };
  expect(checkDraft({ ...tcp, uri: 'db.inside:5432' }).wanted?.uri).toBe('tcp://db.inside:5432');
  expect(guessName({ ...tcp, uri: 'cache.inside:6379' })).toBe('cache');
  expect(schemeOf({ ...tcp, uri: 'https://grafana.inside' })).toBe('https');
});

test.each([
  ['name', { name: 'Grafana!' }, /lower-case/],
  ['uri', { uri: 'ftp://x' }, /must look like/],
  ['uri', { uri: 'http://me:secret@x' }, /name or password/],
  ['publicAddr', { publicAddr: 'https://x.example.com' }, /host name in lower case/],
  ['serverName', { serverName: 'not a name' }, /host name/],
  ['ca', { ca: 'not a certificate' }, /no PEM certificate/],
  ['labels', { labels: ['prod'] }, /^prod$/],
  ['header-1-name', { headers: [header(0, 'X-Team', 'a'), header(1, 'X-Forwarded-For', 'b')] }, /gateway itself/],
  ['header-0-value', { headers: [header(0, 'X-Team', 'a\nb')] }, /no header carries/],
])('what is wrong is said at %s', (field, change, words) => {
  const { faults } = checkDraft({ ...DRAFT, ...change });

  expect(Object.keys(faults ?? {})).toEqual([field]);
  expect(faults?.[field]).toMatch(words);
});

test('what was saved comes back as it was typed', () => {
  const draft = {
    ...DRAFT,
    labels: ['env=prod', 'note=a=b'],
    headers: [header(0, 'X-User', '{{internal.username}}')],
    redirect: ['old.inside'],
    jwt: 'none' as const,
    externalId: 'x-1',
  };
  const { name, labels, ...rest } = checkDraft(draft).wanted ?? ({} as never);

  expect(draftOf({ app: { name }, labels, ...rest } as AppDetails)).toEqual(draft);
});

test('a value that is stored and not shown stays until another is typed, or the header has another name', () => {
  const kept = { ...header(0, 'Authorization', ''), kept: 'Authorization' };
  const headersOf = (change: object) =>
    checkDraft({ ...DRAFT, headers: [{ ...kept, ...change }], keepsExternalId: true }).wanted?.rewrite.headers;

  expect(headersOf({})).toEqual([{ name: 'Authorization', value: '', kept: true }]);
  expect(headersOf({ value: 'x' })).toEqual([{ name: 'Authorization', value: 'x' }]);
  expect(headersOf({ name: 'X-Other' })).toEqual([{ name: 'X-Other', value: '' }]);
  expect(checkDraft({ ...DRAFT, keepsExternalId: true }).wanted?.aws).toEqual({ externalId: '', kept: true });
});

test.each([
  ['http://grafana.inside:3000', 'grafana'],
  ['wiki', 'wiki'],
  ['http://localhost:3000', ''],
  ['http://10.0.0.5', ''],
  ['https://www.example.com', ''],
])('the address %s suggests the name %j', (uri, name) => {
  expect(guessName({ uri, scheme: 'http' })).toBe(name);
});

function header(key: number, name: string, value: string) {
  return { key, name, value };
}
