import { expect, test } from 'vitest';
import { type FoundUser, findUsers, userQuery } from './find-users.ts';

const user = (name: string, more: Partial<FoundUser> = {}): FoundUser => ({
  name,
  roles: ['access'],
  authType: 'local',
  factors: ['app'],
  state: 'active',
  ...more,
});

const PEOPLE = [
  user('ada', { roles: ['access', 'dba'], lastSignIn: '2026-11-15T03:00:00Z' }),
  user('bo', { factors: [], state: 'invited', invited: true }),
  user('cy', { factors: [], lastSignIn: '2026-11-14T03:00:00Z' }),
  user('di', { authType: 'github', factors: [], roles: ['auditor'] }),
  user('ed', { state: 'locked', roles: ['dba'] }),
];

const find = (query: Record<string, string>, people: readonly FoundUser[] = PEOPLE) =>
  findUsers(people, userQuery.parse(query));
const names = (query: Record<string, string>) => find(query).items.map(({ name }) => name);

test('words are looked for in names, in roles and in where people come from, and all must be met', () => {
  expect(names({ search: 'DBA' })).toEqual(['ada', 'ed']);
  expect(names({ search: 'dba ad' })).toEqual(['ada']);
  expect(names({ search: 'github' })).toEqual(['di']);
  expect(names({ name: 'ed' })).toEqual(['ed']);
});

test('a search in names alone passes over roles and where people come from', () => {
  expect(names({ nameHas: 'D' })).toEqual(['ada', 'di', 'ed']);
  expect(names({ nameHas: 'local' })).toEqual([]);
  expect(names({ nameHas: 'd', search: 'dba' })).toEqual(['ada', 'ed']);
});

test('filters go together, and whoever proves themselves elsewhere or has not begun is not without a second factor', () => {
  expect(names({ factor: 'none' })).toEqual(['cy']);
  expect(names({ state: 'invited' })).toEqual(['bo']);
  expect(names({ role: 'dba', state: 'locked' })).toEqual(['ed']);
  expect(names({ type: 'sso' })).toEqual(['di']);
});

test('whoever came through a connector that is gone is no local user who lacks a second factor', () => {
  const left = user('fay', { state: 'left-behind', formerConnector: 'okta', factors: [], roles: [] });
  const among = (query: Record<string, string>) => find(query, [...PEOPLE, left]).items.map(({ name }) => name);

  expect(among({ state: 'left-behind' })).toEqual(['fay']);
  expect(among({ type: 'sso' })).toEqual(['di', 'fay']);
  expect(among({ factor: 'none' })).toEqual(['cy']);
  expect(among({ search: 'okta' })).toEqual(['fay']);
});

test('each choice is counted as if it were taken, the search and the other choices staying', () => {
  const { counts, totalCount, everybody } = find({ role: 'dba' });

  expect({ totalCount, everybody }).toEqual({ totalCount: 2, everybody: 5 });
  expect(counts.states).toEqual({ active: 1, invited: 0, locked: 1, 'locked-out': 0, 'left-behind': 0 });
  expect(counts.types).toEqual({ local: 2, sso: 0 });
  expect(counts.roles).toEqual([
    { name: 'access', count: 3 },
    { name: 'dba', count: 2 },
    { name: 'auditor', count: 1 },
  ]);
});

test('whoever has no value comes last in both directions', () => {
  expect(names({ sort: 'last:asc' })).toEqual(['cy', 'ada', 'bo', 'di', 'ed']);
  expect(names({ sort: 'last:desc' })).toEqual(['ada', 'cy', 'bo', 'di', 'ed']);
});

test.each(['name:asc', 'name:desc', 'last:asc', 'last:desc', 'roles:desc', 'state:asc'])(
  'pages sorted by %s hold everybody once, also when somebody is deleted between them',
  (sort) => {
    const many = Array.from({ length: 57 }, (_, at) =>
      user(at % 2 ? `User${at}` : `user${at}`, {
        ...(at % 3 ? { lastSignIn: `2026-11-0${1 + (at % 5)}T00:00:00Z` } : {}),
      }),
    );
    const whole = find({ sort, limit: '500' }, many).items.map(({ name }) => name);
    let people = many;
    const seen: string[] = [];
    let startKey = '';
    do {
      const page = find({ sort, limit: '10', ...(startKey ? { startKey } : {}) }, people);
      seen.push(...page.items.map(({ name }) => name));
      startKey = page.startKey;
      people = people.filter(({ name }) => name !== seen.at(-1));
    } while (startKey !== '');

    expect(seen).toEqual(whole);
  },
);

test('a page is bounded, and a sort or a key that is none does no harm', () => {
  expect(() => find({ limit: '501' })).toThrow();
  expect(() => find({ sort: 'password:asc' })).toThrow();
  expect(names({ startKey: '{"value":{},"name":1}' })).toHaveLength(5);
});
