import { expect, test } from 'vitest';
import { database } from '../../../../testing/fake-databases.ts';
import { firstChoice, isOnlyChoice, lacks, nameChoices, userChoices } from './db-choices.ts';

test('the default of the database is offered first', () => {
  const shop = database('shop', { names: ['archive', 'shop'], standard: 'shop' });

  expect(nameChoices(shop)).toEqual({ named: ['shop', 'archive'], isAny: false });
});

test('a default that roles do not give is not offered', () => {
  expect(nameChoices(database('shop', { names: ['archive'], standard: 'shop' })).named).toEqual(['archive']);
});

test('a star lets others be typed, and is none of the names', () => {
  expect(userChoices(database('shop', { users: ['*', 'app'] }))).toEqual({ named: ['app'], isAny: true });
});

test.each([
  ['user', { users: [] }],
  ['name', { names: [] }],
  [undefined, { users: ['*'], names: ['*'] }],
] as const)('what is lacking is %s', (lacking, facts) => {
  expect(lacks(database('shop', facts))).toBe(lacking);
});

test('what was used last is chosen again, unless roles have taken it', () => {
  const shop = database('shop', { users: ['app', 'report'], names: ['shop', 'archive'] });

  expect(firstChoice(shop, { dbUser: 'report', dbName: 'archive' })).toEqual({ dbUser: 'report', dbName: 'archive' });
  expect(firstChoice(shop, { dbUser: 'owner', dbName: 'secret' })).toEqual({ dbUser: 'app', dbName: 'shop' });
});

test.each([
  [true, { users: ['app'], names: ['shop'] }],
  [false, { users: ['app', 'report'], names: ['shop'] }],
  [false, { users: ['app'], names: ['shop', '*'] }],
] as const)('whether nothing is left to choose is %s', (isOnly, facts) => {
  expect(isOnlyChoice(database('shop', facts))).toBe(isOnly);
});
