import { expect, test } from 'vitest';
import { bindAccess } from './bind-access.ts';
import { compileRole } from './compile-role.ts';
import { parseRole } from './document/role-document.ts';
import { missingTraits } from './missing-traits.ts';

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
