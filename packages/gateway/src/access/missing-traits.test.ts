import { TRAITS } from '@gatehouse/contract/identity/users/traits';
import { rows } from '@gatehouse/contract/kinds/kinds';
import { expect, test } from 'vitest';
import { bindAccess } from './bind-access.ts';
import { compileRole } from './compile-role.ts';
import { parseRole } from './document/role-document.ts';
import { missingTraits, unmappedTraitNotes } from './missing-traits.ts';

const role = (name: string, allow: string) =>
  compileRole(parseRole(`kind: role\nversion: v6\nmetadata: {name: ${name}}\nspec:\n  allow: ${allow}\n`).document);
const OWN = role('own', "{logins: ['{{internal.logins}}'], node_labels: {'*': '*'}}");
const MIXED = role('mixed', "{logins: ['{{internal.logins}}', deploy], node_labels: {'*': '*'}}");
const FIXED = role('fixed', "{logins: [root], node_labels: {'*': '*'}}");
const APPS = role('apps', "{logins: ['{{internal.logins}}'], app_labels: {'*': '*'}}");

const missing = (roles: Parameters<typeof bindAccess>[0], traits = {}) =>
  missingTraits(bindAccess(roles, { username: 'ann', traits }));

test('a role that takes all its logins from a user without any is named', () => {
  expect(missing([OWN, FIXED])).toEqual([{ trait: 'logins', roles: ['own'] }]);
  expect(missing([OWN], { logins: ['ann'] })).toEqual([]);
});

test('one that has others, asks for none or reaches no server is not', () => {
  expect(missing([MIXED, FIXED, APPS])).toEqual([]);
});

test('of everybody who comes through a connector it is told with what the mapping would have to say', () => {
  expect(unmappedTraitNotes(bindAccess([OWN, FIXED], { username: '', traits: {} }))).toEqual([
    "role 'own' would use people's logins, and no entry of 'traits' gives any (to: logins): without any they sign in to no server by it",
  ]);
});

test('every trait of user records holds names of some kind, and rows name no other', () => {
  const named = rows.flatMap(({ principals }) => principals).flatMap(({ userTrait }) => userTrait ?? []);

  expect(named.toSorted()).toEqual(TRAITS.toSorted());
});
