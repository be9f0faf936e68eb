import { expect, test } from 'vitest';
import { createBudget } from './budget.ts';
import { compileMapping, mapRoles } from './map-roles.ts';
import { mapTraits } from './map-traits.ts';
import { inTurns } from './steps.ts';

/** Each look at the clock is a tenth of a second later. */
function fastClock(): () => number {
  let time = 0;
  return () => {
    time += 100;
    return time;
  };
}
const groups = Array.from({ length: 25_000 }, (_, at) => `group-${at}`);
const claims = new Map([['groups', groups]]);
const slow = (at: number) => ({
  path: `claims_to_roles[${at}]`,
  claim: 'groups',
  value: `^.*-[a-f]{${at}}$`,
  roles: ['a'],
});

test('roles that take too long to be found are an error, not a gateway that stands still', () => {
  const entries = Array.from({ length: 50 }, (_, at) => slow(at + 1));
  const find = () => mapRoles(entries, claims, () => true, createBudget(fastClock()));

  expect(find).toThrow('takes too long');
});

test('so are traits', () => {
  const mappings = [{ from: 'groups', value: '^.*-[a-f]$', to: 'team' }];

  expect(() => mapTraits(mappings, claims, new Set(), createBudget(fastClock()))).toThrow('takes too long');
});

test('a long mapping lets others have their turn, and counts only what it ran itself', async () => {
  let time = 0;
  // A millisecond for each look; whoever has a turn in between takes a minute.
  const budget = createBudget(() => ++time);
  const entries = Array.from({ length: 2 }, (_, at) => slow(at + 1));
  let turns = 0;
  const steps = compileMapping(entries)(claims, () => true, budget);
  const counted = (function* () {
    for (let next = steps.next(); ; next = steps.next()) {
      if (next.done) return next.value;
      turns++;
      time += 60_000;
      yield;
    }
  })();

  expect((await inTurns(counted)).unmatched).toHaveLength(2);
  expect(turns).toBeGreaterThan(100);
});

test('what is exact is free', () => {
  const entries = groups.slice(0, 1_000).map((value, at) => ({ ...slow(at), value }));

  expect(mapRoles(entries, claims, () => true, createBudget(fastClock())).roles).toEqual(['a']);
});
