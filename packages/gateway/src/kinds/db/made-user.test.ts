/** Who has a database user made on the fly, and with which roles in the database. */
import type { RoleDocument } from '@gatehouse/contract/access/roles/role-document';
import { expect, test } from 'vitest';
import { bindAccess } from '../../access/bind-access.ts';
import { compileRole } from '../../access/compile-role.ts';
import { parseRole } from '../../access/document/role-document.ts';
import { madeUser } from './made-user.ts';

const resource = { name: 'shop', labels: { env: 'dev' } };
const CONNECT = { type: 'connect', kind: 'db', resource, dbUser: 'ann', dbName: 'shop' } as const;
const NAMES = { db_labels: { env: ['dev'] }, db_users: ['ann'], db_names: ['*'] };

function made(...specs: readonly RoleDocument['spec'][]) {
  const roles = specs.map((spec, at) =>
    compileRole({ kind: 'role', version: 'v6', metadata: { name: `r${at}` }, spec }),
  );
  return madeUser(bindAccess(roles, { username: 'ann', traits: { groups: ['auditor'] } }), CONNECT);
}

test('a role that says so has the user of the own name made, with the roles that it gives', () => {
  const allow = { ...NAMES, db_roles: ['writer', 'reader', '{{external.groups}}', 'any*', '*'] };

  expect(made({ allow })).toBeUndefined();
  expect(made({ allow, options: { create_db_user_mode: 'off', create_db_user: true } })).toBeUndefined();
  expect(made({ allow, options: { create_db_user_mode: 'keep' } })).toEqual({
    roles: ['auditor', 'reader', 'writer'],
    isDropped: false,
  });
});

test('create_db_user, as older documents have it, keeps users', () => {
  expect(made({ allow: NAMES, options: { create_db_user: true } })).toEqual({ roles: [], isDropped: false });
});

test('whoever keeps goes before whoever drops, and roles add up', () => {
  const drops = { allow: { ...NAMES, db_roles: ['a'] }, options: { create_db_user_mode: 'best_effort_drop' as const } };
  const keeps = { allow: { ...NAMES, db_roles: ['b'] }, options: { create_db_user_mode: 'keep' as const } };

  expect(made(drops)).toEqual({ roles: ['a'], isDropped: true });
  expect(made(drops, keeps)).toEqual({ roles: ['a', 'b'], isDropped: false });
});

test('what any role denies is not given, and what another one gives without making users neither', () => {
  const keeps = {
    allow: { ...NAMES, db_roles: ['reader', 'owner'] },
    options: { create_db_user_mode: 'keep' as const },
  };

  expect(made(keeps, { deny: { db_roles: ['own*'] } })?.roles).toEqual(['reader']);
  expect(made(keeps, { deny: { db_roles: ['*'] } })?.roles).toEqual([]);
  expect(made(keeps, { allow: { ...NAMES, db_roles: ['more'] } })?.roles).toEqual(['owner', 'reader']);
  expect(made(keeps, { deny: { db_users: ['ann'] } })).toBeUndefined();
  expect(made({ ...keeps, allow: { ...keeps.allow, db_labels: { env: ['prod'] } } })).toBeUndefined();
});

test('documents say false for off, and hear what gives nothing', () => {
  const role = (spec: object) =>
    parseRole(JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'x' }, spec }));

  expect(role({ options: { create_db_user_mode: false } }).document.spec.options?.create_db_user_mode).toBe('off');
  expect(role({ options: { create_db_user_mode: 'keep' } }).notes.join()).toMatch(/this role names none/);
  expect(role({ allow: { db_users: ['ann'], db_roles: ['x'] } }).notes.join()).toMatch(/this gives nothing/);
  expect(() => role({ options: { create_db_user_mode: 'always' } })).toThrow(/create_db_user_mode/);
});
