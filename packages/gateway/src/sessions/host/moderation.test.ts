import { expect, test } from 'vitest';
import { bindAccess } from '../../access/bind-access.ts';
import { compileRole } from '../../access/compile-role.ts';
import { endsWhenUnmet, type JoinRule, joinRules, modesThatCount, needsOf, unmetRules, waysFor } from './moderation.ts';

type RulesHolder = Parameters<typeof joinRules>[0];
type Policy = ReturnType<typeof joinRules>[number]['ways'][number]['policy'];

const policy = (given: Partial<Policy>): Policy => ({
  name: 'four eyes',
  filter: 'contains(user.roles, "auditor")',
  kinds: ['ssh'],
  count: 1,
  modes: ['moderator'],
  on_leave: 'pause',
  ...given,
});
const rules = (roles: Record<string, Policy[]>, kind = 'ssh'): JoinRule[] => {
  const held = Object.entries(roles).map(([name, requiredJoins]) => ({ name, role: { requiredJoins } }));
  return joinRules({ roles: held } as unknown as RulesHolder, kind);
};
const NOW = Date.parse('2026-01-01T00:00:00Z');
/** Roles by their names alone; `past` ran out before now. */
const access = {
  of: ({ username, roles, traits }: Parameters<typeof waysFor>[1]) => {
    const held = roles.map((name) => ({
      kind: 'role' as const,
      version: 'v6' as const,
      metadata: { name, ...(name === 'past' ? { expires: '2025-12-31T00:00:00Z' } : {}) },
      spec: {},
    }));
    const live = held.map(compileRole).filter(({ expires = Number.POSITIVE_INFINITY }) => expires > NOW);
    return bindAccess(live, { username, traits });
  },
};
interface Someone {
  subject: Parameters<typeof waysFor>[1];
  mode: Parameters<typeof waysFor>[2]['mode'];
}
const present = (username: string, mode: Someone['mode'], roles = ['auditor']): Someone => ({
  subject: { username, roles, traits: {} },
  mode,
});
const decided = (given: JoinRule[], ...people: Someone[]) =>
  people.map(({ subject, mode }) => ({
    username: subject.username,
    counts: waysFor(given, subject, { mode, access }),
  }));
const isMet = (given: JoinRule[], ...people: Someone[]) =>
  unmetRules(given, 'ann', decided(given, ...people)).length === 0;

test('only who fits the filter, in a mode that counts, fulfils it', () => {
  const one = rules({ dev: [policy({})] });

  expect(isMet(one)).toBe(false);
  expect(isMet(one, present('bob', 'moderator'))).toBe(true);
  expect(isMet(one, present('bob', 'observer'))).toBe(false);
  expect(isMet(one, present('bob', 'moderator', ['dev']))).toBe(false);
});

test('the owner does not moderate themselves, and two windows are one person', () => {
  const two = rules({ dev: [policy({ count: 2 })] });

  expect(isMet(rules({ dev: [policy({})] }), present('ann', 'moderator'))).toBe(false);
  expect(isMet(two, present('bob', 'moderator'), present('bob', 'moderator'))).toBe(false);
  expect(isMet(two, present('bob', 'moderator'), present('eve', 'moderator'))).toBe(true);
});

test('every role must be content, each by any of its ways, and only about its kinds', () => {
  const peer = policy({ name: 'pair', modes: ['peer'] });
  const both = rules({ dev: [policy({}), peer], ops: [policy({ filter: 'equals(user.name, "eve")', modes: ['*'] })] });

  expect(isMet(both, present('bob', 'peer'))).toBe(false);
  expect(isMet(both, present('bob', 'peer'), present('eve', 'observer'))).toBe(true);
  expect(rules({ dev: [policy({ kinds: ['k8s'] })] })).toEqual([]);
  expect(needsOf(both, 'ann', decided(both, present('eve', 'moderator')))).toEqual([
    { role: 'dev', policy: 'four eyes', missing: 0, modes: ['moderator'] },
    { role: 'dev', policy: 'pair', missing: 1, modes: ['peer'] },
    { role: 'ops', policy: 'four eyes', missing: 0, modes: ['observer', 'moderator', 'peer'] },
  ]);
});

test('it ends with who leaves only where the way they fulfilled says so', () => {
  const [rule] = rules({ dev: [policy({}), policy({ name: 'pair', modes: ['peer'], on_leave: 'terminate' })] });
  if (!rule) throw new Error('no rule');

  expect(endsWhenUnmet(rule, 'ann', decided([rule], present('bob', 'moderator')))).toBe(false);
  expect(endsWhenUnmet(rule, 'ann', decided([rule], present('bob', 'peer')))).toBe(true);
  expect(endsWhenUnmet(rule, 'ann', undefined)).toBe(true);
  expect(modesThatCount([rule], present('bob', 'peer').subject, access)).toEqual(['moderator', 'peer']);
});

test('a filter knows people as all conditions do: by roles that count now, and by the names templates have for traits', () => {
  const past = rules({ dev: [policy({ filter: 'contains(user.roles, "past")' })] });
  const named = rules({ dev: [policy({ filter: 'contains(user.traits["db_users"], "dba")' })] });
  const bob = present('bob', 'moderator', ['past']);
  const dba = { ...bob, subject: { ...bob.subject, traits: { databaseUsers: ['dba'] } } };

  expect(isMet(past, bob)).toBe(false);
  expect(isMet(named, bob)).toBe(false);
  expect(isMet(named, dba)).toBe(true);
});
