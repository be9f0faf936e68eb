import { SOON_MS } from '@gatehouse/testkit/soon';
import { expect, test } from 'vitest';
import type { MappingEntry } from '../providers/provider.ts';
import { mapRoles } from './map-roles.ts';

const entry = (index: number, value: string, roles: string[], more: Partial<MappingEntry> = {}): MappingEntry => ({
  path: `claims_to_roles[${index}]`,
  claim: 'groups',
  value,
  roles,
  ...more,
});
const every = () => true;

test('roles are told with the entry that gave each', () => {
  const entries = [
    entry(0, 'dev', ['developer', 'reader']),
    entry(1, 'ops-*', ['operator', 'reader']),
    entry(2, 'nobody', ['admin']),
    entry(3, 'blue', ['blue'], { claim: 'team' }),
  ];
  const claims = new Map([
    ['groups', ['dev', 'ops-eu', 'ops-us']],
    ['team', ['red']],
  ]);

  expect(mapRoles(entries, claims, every)).toEqual({
    roles: ['developer', 'operator', 'reader'],
    given: [
      { role: 'developer', entry: 'claims_to_roles[0]', exists: true },
      { role: 'reader', entry: 'claims_to_roles[0]', exists: true },
      { role: 'operator', entry: 'claims_to_roles[1]', exists: true },
      { role: 'reader', entry: 'claims_to_roles[1]', exists: true },
    ],
    unmatched: ['claims_to_roles[2]', 'claims_to_roles[3]'],
  });
});

test.each([
  ['dev', 'dev', true],
  ['dev', 'Dev', false],
  ['dev*', 'dev-1', true],
  ['^(dev|ops)$', 'ops', true],
  ['^(dev|ops)$', 'devops', false],
  ['^dev$', 'dev\n', false],
  ['*', 'x'.repeat(1024), true],
  ['*', 'x'.repeat(1025), false],
])('the value %s and the group %s', (value, group, matches) => {
  expect(mapRoles([entry(0, value, ['r'])], new Map([['groups', [group]]]), every).roles).toEqual(matches ? ['r'] : []);
});

test('what is exact is no pattern', () => {
  const entries = [entry(0, '*', ['a'], { exact: true }), entry(1, '^.*$', ['b'], { exact: true })];

  expect(mapRoles(entries, new Map([['groups', ['dev']]]), every).roles).toEqual([]);
  expect(mapRoles(entries, new Map([['groups', ['*']]]), every).roles).toEqual(['a']);
});

test('a group of the expression makes the name of the role, and only roles that exist count', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the other spelling of $1
  const entries = [entry(0, '^team-(\\w+)-(\\w+)$', ['$1', '${2}-$1', 'member'])];
  const claims = new Map([['groups', ['team-blue-eu', 'team-red-us', 'team-', 'other']]]);
  const { roles, given } = mapRoles(entries, claims, (role) => ['blue', 'us-red', 'member'].includes(role));

  expect(roles).toEqual(['blue', 'member', 'us-red']);
  expect(given.filter(({ exists }) => !exists).map(({ role }) => role)).toEqual(['eu-blue', 'red']);
});

test('a group that took no part gives no role', () => {
  expect(mapRoles([entry(0, '^a(b)?$', ['$1'])], new Map([['groups', ['a']]]), every)).toMatchObject({ roles: [] });
});

test('what a provider says makes no expression: neither of a value nor of a role', () => {
  const claims = new Map([['groups', ['^.*$', '*', '$1', '(']]]);

  expect(mapRoles([entry(0, 'admin', ['admin'])], claims, every).roles).toEqual([]);
  expect(mapRoles([entry(0, '^(.*)$', ['$1'])], claims, (role) => role === '$1').roles).toEqual(['$1']);
});

test('a claim called like something every object has is a claim like others', () => {
  const claims = new Map([['__proto__', ['x']]]);

  expect(mapRoles([entry(0, 'x', ['r'], { claim: '__proto__' })], claims, every).roles).toEqual(['r']);
  expect(mapRoles([entry(0, '*', ['r'], { claim: 'constructor' })], claims, every).roles).toEqual([]);
});

test('25,000 groups that are all made into names of roles are told in part, and one that exists is found', () => {
  const groups = Array.from({ length: 25_000 }, (_, index) => `g-${index}`);
  const { roles, given } = mapRoles(
    [entry(0, '^g-(.*)$', ['role-$1'])],
    new Map([['groups', groups]]),
    (role) => role === 'role-24999',
  );

  expect(roles).toEqual(['role-24999']);
  expect(given.length).toBeLessThan(300);
});

const ids = Array.from(
  { length: 25_000 },
  (_, index) => `${index.toString(16).padStart(8, '0')}-4a1c-4f5e-9b7d-0123456789ab`,
);

test.each<[string, number, (index: number) => string]>([
  ['exact values', 1_000, (index) => `group-${index}`],
  ['patterns that begin alike', 1_000, (index) => `0000*-${index}-x`],
  ['patterns that look everywhere', 1_000, (index) => `*x${index}*`],
  ['expressions that begin with a word', 100, (index) => `^team-${index}-(.*)$`],
  ['expressions that begin with anything', 100, (index) => `^.*-x${index}-(.*)$`],
])('25,000 groups and entries of %s take little time', (_, count, written) => {
  const entries = Array.from({ length: count }, (__, index) => entry(index, written(index), ['r']));
  const began = performance.now();

  expect(mapRoles(entries, new Map([['groups', ids]]), every).unmatched).toHaveLength(count);
  expect(performance.now() - began).toBeLessThan(SOON_MS);
});
