import { expect, test } from 'vitest';
import { comparisonOf, entriesIn, entryFor, isFound, isUsedBy, placeOf } from './mapping.ts';

const entry = (value: string) => ({ from: 'groups', value, roles: ['access'] });

test.each([
  ['payments', 'payments', true],
  ['payments', 'Payments', false],
  ['*-oncall', 'payments-oncall', true],
  ['*-oncall', '-oncall', true],
  ['emea-*', 'apac-finance', false],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'a-c', false],
  ['ab*ba', 'aba', false],
  ['*', '', true],
  // Expressions run at the gateway, where none can hang anybody's page.
  ['^(a+)+$', 'aaaa', false],
])('an entry for %s and a group %s: %s', (pattern, value, isUsed) => {
  expect(isUsedBy('oidc', entry(pattern), 'groups', value)).toBe(isUsed);
});

test('stars mean themselves where values are names', () => {
  expect(comparisonOf('github', 'plat*')).toBe('is');
  expect(comparisonOf('oidc', 'plat*')).toBe('like');
  expect(comparisonOf('saml', '^plat.*$')).toBe('fits');
});

test('a team that was seen becomes an entry of its organisation, and fits it', () => {
  const made = entryFor('github', 'teams', 'acme/platform');

  expect(made).toEqual({ from: 'acme', value: 'platform', roles: [] });
  expect(isFound('github', made, { teams: ['acme/platform'] })).toBe(true);
  expect(isFound('github', made, { teams: ['other/platform'] })).toBe(false);
});

test('what is not a list of entries is read as none, and a single role as a list', () => {
  expect(entriesIn('oidc', { spec: { claims_to_roles: 'x' } })).toEqual([]);
  expect(entriesIn('oidc', { spec: { claims_to_roles: [{ claim: 'groups', value: 7, roles: 'access' }] } })).toEqual([
    { from: 'groups', value: '7', roles: ['access'] },
  ]);
});

test('the place of an entry is read from how it is told', () => {
  expect(placeOf('claims_to_roles[12]')).toBe(12);
  expect(placeOf('somewhere')).toBe(undefined);
});
