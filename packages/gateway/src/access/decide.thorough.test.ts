import type { RoleDocument } from '@gatehouse/contract/access/roles/role-document';
import { rows } from '@gatehouse/contract/kinds/kinds';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyChanges } from '../../testing/access/apply-change.ts';
import * as random from '../../testing/access/random-roles.ts';
import { aclOf, mayAlways, mayEver } from './acl-of.ts';
import type { Action } from './action.ts';
import { type Access, bindAccess } from './bind-access.ts';
import { compileRole } from './compile-role.ts';
import { decide } from './decide.ts';
import { explain } from './explain.ts';
import { principalsFor } from './principals-for.ts';
import { smallestChange } from './smallest-change.ts';

/** More runs find more: set PROPERTY_RUNS when the decision itself is being changed. */
const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 300) };

const accessOf = (roles: readonly RoleDocument[], user: random.RandomUser): Access =>
  bindAccess(roles.map(compileRole), user);

test('the world of these tests allows and denies often enough to mean something', () => {
  const seen = { allowed: 0, denied: 0, undecided: 0 };
  fc.assert(
    fc.property(random.roles, random.user, random.action, (roles, user, action) => {
      const { allowed, cited } = decide(accessOf(roles, user), action);
      seen[allowed ? 'allowed' : cited.length > 0 ? 'denied' : 'undecided'] += 1;
    }),
    RUNS,
  );

  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(RUNS.numRuns / 20);
});

test('the order of roles, and a role held twice, change nothing', () => {
  fc.assert(
    fc.property(random.roles, random.user, random.action, fc.nat(), (roles, user, action, by) => {
      const turned =
        roles.length === 0 ? [] : [...roles.slice(by % roles.length), ...roles.slice(0, by % roles.length), roles[0]!];

      expect(explain(accessOf(turned, user), action)).toEqual(explain(accessOf(roles, user), action));
      expect(explain(accessOf([...roles].reverse(), user), action)).toEqual(explain(accessOf(roles, user), action));
    }),
    RUNS,
  );
});

test('the smallest change turns the decision round, and no part of it can be left out', () => {
  fc.assert(
    fc.property(random.roles, random.user, random.action, (roles, user, action) => {
      const access = accessOf(roles, user);
      const { allowed } = decide(access, action);
      const changes = smallestChange(access, action);
      const after = (taken: typeof changes) => {
        const world = applyChanges({ roles, user }, taken);
        return decide(accessOf(world.roles, world.user), action).allowed;
      };

      if (roles.length === 0) {
        expect(changes).toEqual([{ type: 'give-role' }]);
        return;
      }
      expect(after(changes)).toBe(!allowed);
      for (const left of changes.keys()) expect(after(changes.toSpliced(left, 1))).toBe(allowed);
    }),
    RUNS,
  );
});

test('the cited clauses of what is allowed are all that allows it', () => {
  fc.assert(
    fc.property(random.roles, random.user, random.action, (roles, user, action) => {
      const { allowed, cited } = decide(accessOf(roles, user), action);
      fc.pre(allowed);
      const world = applyChanges(
        { roles, user },
        cited.map(({ role, path }) => ({ type: 'remove-clause', role, path })),
      );

      expect(decide(accessOf(world.roles, world.user), action)).toEqual({ allowed: false, cited: [] });
    }),
    RUNS,
  );
});

test('deny wins over whatever else the user holds', () => {
  fc.assert(
    fc.property(random.roles, random.user, random.action, (roles, user, action) => {
      const deny = accessOf([...roles, denying(action)], user);

      expect(decide(deny, action).allowed).toBe(false);
    }),
    RUNS,
  );
});

test('another role without a denial never takes anything away', () => {
  fc.assert(
    fc.property(random.roles, random.roleNamed('extra'), random.user, random.action, (roles, extra, user, action) => {
      // A condition may ask which roles the user holds, and so be undone by one more.
      fc.pre(!JSON.stringify(roles).includes('user.roles'));
      const before = decide(accessOf(roles, user), action).allowed;
      const more = accessOf([...roles, { ...extra, spec: { allow: extra.spec.allow } }], user);

      if (before) expect(decide(more, action).allowed).toBe(true);
    }),
    RUNS,
  );
});

test('the names offered for a resource are those the decision allows', () => {
  const names = ['root', 'ann', 'ROOT', 'bob', 'eve'];
  fc.assert(
    fc.property(random.roles, random.user, random.resource, (roles, user, resource) => {
      const access = accessOf(roles, user);
      const connects = (login: string) => decide(access, { type: 'connect', kind: 'node', resource, login }).allowed;
      const desktop = (login: string) => decide(access, { type: 'connect', kind: 'desktop', resource, login }).allowed;

      expect(principalsFor(access, 'node', resource.labels, 'logins')).toEqual(names.filter(connects).sort());
      expect(principalsFor(access, 'desktop', resource.labels, 'windows_desktop_logins')).toEqual(
        names.filter(desktop).sort(),
      );
    }),
    RUNS,
  );
});

test('the acl says yes to everything that is allowed for some object, and to all objects only when no condition stands', () => {
  fc.assert(
    fc.property(random.roles, random.user, random.action, (roles, user, action) => {
      if (action.type !== 'verb') return;
      const access = accessOf(roles, user);
      const { allowed } = decide(access, action);

      if (allowed) expect(mayEver(access, action.resource, action.verb)).toBe(true);
      if (mayAlways(access, action.resource, action.verb)) expect(allowed).toBe(true);
      const acl = aclOf(access);
      expect(acl.nodes.list).toBe(mayEver(access, 'node', 'list'));
    }),
    RUNS,
  );
});

/** A role that denies exactly this. */
function denying(action: Action): RoleDocument {
  const everything = { '*': ['*'] };
  const deny =
    action.type === 'verb'
      ? { rules: [{ resources: [action.resource as 'node'], verbs: [action.verb] }] }
      : action.type === 'join'
        ? { join_sessions: [{ name: 'j', roles: ['*'], kinds: ['*' as const], modes: ['*' as const] }] }
        : Object.fromEntries(rows.map(({ labels }) => [labels, everything]));
  return { kind: 'role', version: 'v6', metadata: { name: 'zz' }, spec: { deny } };
}
