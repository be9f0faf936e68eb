import { INTERNAL_TRAITS } from '@gatehouse/contract/access/roles/vocabulary';
import { TRAITS } from '@gatehouse/contract/identity/users/traits';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTemplate } from './match/template.ts';
import { externalKey } from './match/trait-keys.ts';
import { recordTraits, templateTraits } from './user-traits.ts';

const read = (template: string, written: Record<string, string[]>) =>
  parseTemplate(template)?.expand(templateTraits(recordTraits(written)));

test.each([
  ['logins', '{{internal.logins}}', ['x']],
  ['logins', '{{external.logins}}', []],
  ['external.logins', '{{external.logins}}', ['x']],
  ['external.logins', '{{internal.logins}}', []],
  ['db_users', '{{internal.db_users}}', ['x']],
  ['databaseUsers', '{{internal.db_users}}', ['x']],
  ['external.databaseUsers', '{{external.databaseUsers}}', ['x']],
  ['external.databaseUsers', '{{internal.db_users}}', []],
  ['team', '{{external.team}}', ['x']],
  ['external.team', '{{external.team}}', ['x']],
])('what is written as %s is read by %s as %j', (name, template, values) => {
  expect(read(template, { [name]: ['x'] })).toEqual(values);
});

test('what is written by two names of one trait is all there', () => {
  expect(recordTraits({ db_users: ['a'], databaseUsers: ['b', 'a'], team: ['c'], 'external.team': ['d'] })).toEqual({
    databaseUsers: ['a', 'b'],
    team: ['c', 'd'],
  });
});

test('whatever a provider calls a claim, it shares no key with another claim nor with a record', () => {
  const name = fc.oneof(
    fc.constantFrom(...INTERNAL_TRAITS, ...TRAITS, 'external.', 'team'),
    fc.string({ maxLength: 12 }),
  );
  const prefixed = fc.tuple(fc.constantFrom('', 'external.', 'external.external.'), name).map(([a, b]) => `${a}${b}`);
  fc.assert(
    fc.property(prefixed, prefixed, (one, other) => {
      expect([...INTERNAL_TRAITS, ...TRAITS]).not.toContain(externalKey(one));
      expect(externalKey(one) === externalKey(other)).toBe(one === other);
    }),
    { numRuns: 2000 },
  );
});
