import type { RoleDocument } from '@gatehouse/contract/access/roles/role-document';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as random from '../../testing/access/random-roles.ts';
import type { Action } from './action.ts';
import { bindAccess } from './bind-access.ts';
import { compileRole } from './compile-role.ts';
import { excessOver, type Person } from './containment.ts';
import { decide } from './decide.ts';

/** More runs find more: set PROPERTY_RUNS when containment itself is being changed. */
const RUNS = { numRuns: Number(process.env.PROPERTY_RUNS ?? 1_500) };

const roles = fc.tuple(random.roleNamed('r0'), random.roleNamed('r1'), random.roleNamed('r2'));
const held = fc.uniqueArray(fc.integer({ min: 0, max: 2 }), { maxLength: 3 });
/** Mostly somebody like the other: of two that have nothing to do with each other, nothing is contained. */
const people = fc
  .record({ one: random.user, other: random.user, isAlike: fc.boolean(), drops: held, of: held })
  .map(({ one, other, isAlike, drops, of }) => ({
    holder: one,
    given: isAlike ? { ...other, traits: one.traits } : other,
    holderRoles: of,
    givenRoles: of.filter((number) => !drops.includes(number)),
  }));

function personOf(documents: readonly RoleDocument[], numbers: readonly number[], user: random.RandomUser): Person {
  return {
    ...user,
    access: bindAccess(
      numbers.map((number) => compileRole(documents[number]!)),
      user,
    ),
  };
}

/** What is about oneself is about the other when the other does it. */
function turned(action: Action, from: string, to: string): Action {
  return JSON.parse(
    JSON.stringify(action)
      .replaceAll(`"${from}"`, '"\\u0000"')
      .replaceAll(`"${to}"`, `"${from}"`)
      .replaceAll('"\\u0000"', `"${to}"`),
  );
}

test('whoever is found to have no more may do nothing that the other may not', () => {
  const seen = { contained: 0, told: 0, allowed: 0 };
  fc.assert(
    fc.property(roles, people, fc.array(random.action, { minLength: 8, maxLength: 8 }), (documents, drawn, actions) => {
      const given = personOf(documents, drawn.givenRoles, drawn.given);
      const holder = personOf(documents, drawn.holderRoles, drawn.holder);
      if (excessOver(given, [holder])) {
        seen.told += 1;
        return;
      }
      seen.contained += 1;
      for (const action of actions) {
        if (!decide(given.access, action).allowed) continue;
        seen.allowed += 1;
        const same = action.type === 'verb' ? turned(action, given.username, holder.username) : action;
        const may = decide(holder.access, action).allowed || decide(holder.access, same).allowed;
        expect(may, JSON.stringify(action)).toBe(true);
      }
    }),
    RUNS,
  );

  // Refusing everything would hold too.
  expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(RUNS.numRuns / 20);
});

test('nobody has more than themselves, and who holds nothing has no more than anybody', () => {
  fc.assert(
    fc.property(roles, people, (documents, { holder, holderRoles, given }) => {
      const self = personOf(documents, holderRoles, holder);
      expect(excessOver(self, [self])).toBeUndefined();
      expect(excessOver(personOf(documents, [], given), [self])).toBeUndefined();
    }),
    RUNS,
  );
});
