import { expect, test } from 'vitest';
import type { MappingEntry } from '../providers/provider.ts';
import { givenByEntries, wrongWithMapping } from './check-mapping.ts';

const entry = (value: string, roles: string[], more: Partial<MappingEntry> = {}): MappingEntry => ({
  path: 'claims_to_roles[3]',
  claim: 'groups',
  value,
  roles,
  ...more,
});

test('what each entry gives by name is told apart', () => {
  expect(givenByEntries([entry('a', ['dev', 'ops']), entry('b*', ['dev', 'admin'])])).toEqual({
    roles: [
      ['dev', 'ops'],
      ['dev', 'admin'],
    ],
    composed: [],
  });
});

// biome-ignore lint/suspicious/noTemplateCurlyInString: the other spelling of $1
test.each(['$1', 'team-$2', '${1}', 'x$0'])('%s lets the provider make up names of roles', (role) => {
  expect(givenByEntries([entry('^(a)(b)$', ['dev', role])])).toEqual({ roles: [['dev']], composed: [role] });
});

test('where values are exact, $1 is a name like others', () => {
  expect(givenByEntries([entry('a', ['$1'], { exact: true })])).toEqual({ roles: [['$1']], composed: [] });
  expect(wrongWithMapping([entry('^(', ['$1'], { exact: true })], undefined)).toEqual([]);
});

test.each([
  ['^(a$', ['dev'], 'is not a regular expression'],
  ['^(a{1000}){1000}$', ['dev'], 'is a regular expression with too many repetitions'],
  ['^a$', ['$1'], 'has no group 1'],
  ['^(a)$', ['x-$2'], 'has no group 2'],
  ['a*', ['$1'], "has no group for '$1'"],
  ['a', ['$1'], "has no group for '$1'"],
])('the value %s with the roles %j is refused where it stands', (value, roles, message) => {
  expect(wrongWithMapping([entry('ok', ['dev']), entry(value, roles)], undefined)).toEqual([
    { path: ['spec', 'claims_to_roles', 3, 'value'], message: expect.stringContaining(message) },
  ]);
});

test('mappings of traits are held to the same', () => {
  const traits = [
    { from: 'a', to: 'logins' },
    { from: 'a', value: '^(', to: 'logins' },
    { from: 'a', value: 'x', to: 'logins', as: '$1' },
    { from: 'a', to: 'internal.logins' },
  ];

  expect(wrongWithMapping([], traits)).toEqual([
    { path: ['spec', 'traits', 2, 'value'], message: expect.stringContaining("has no group for '$1'") },
    { path: ['spec', 'traits', 3, 'to'], message: "is the name of the trait alone: 'logins'" },
  ]);
});

test('a value that is blank is refused at its place', () => {
  expect(wrongWithMapping([entry(' ', ['dev'])], [{ from: 'groups', value: ' ', to: 'logins' }])).toEqual([
    { path: ['spec', 'claims_to_roles', 3, 'value'], message: 'is blank, and would match nobody' },
    { path: ['spec', 'traits', 0, 'value'], message: 'is blank, and would match nobody' },
  ]);
});

test.each([
  ['my login', 'a blank'],
  ['root;id', "';'"],
  ['`id`', "'`'"],
])('%s is refused as a login', (as, what) => {
  expect(wrongWithMapping([], [{ from: 'groups', to: 'logins', as }])).toEqual([
    { path: ['spec', 'traits', 0, 'as'], message: `is no login: it holds ${what}` },
  ]);
});

test.each(['deploy', 'ann.smith@acme.example', 'ACME\\ann', 'svc-$1', 'host$'])('%s may be a login', (as) => {
  expect(wrongWithMapping([], [{ from: 'groups', value: '^(a)$', to: 'logins', as }])).toEqual([]);
});

test('other traits may hold anything', () => {
  expect(wrongWithMapping([], [{ from: 'groups', to: 'motto', as: 'more & more' }])).toEqual([]);
});
