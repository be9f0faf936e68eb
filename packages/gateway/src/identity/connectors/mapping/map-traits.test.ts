import { SOON_MS } from '@gatehouse/testkit/soon';
import { expect, test } from 'vitest';
import { mapTraits } from './map-traits.ts';

const wanted = (...keys: string[]) => new Set(keys);
const claims = (given: Record<string, string[]>) => new Map(Object.entries(given));

test('only what some role asks for is kept, and the rest is told', () => {
  const said = claims({ team: ['blue'], email: ['ann@acme.example'] });

  expect(mapTraits(undefined, said, wanted('team'))).toEqual({
    traits: { team: ['blue'] },
    dropped: [{ claim: 'email', why: 'no role asks for it' }],
  });
});

test.each(['logins', 'db_users', 'databaseUsers', 'kubernetes_groups', 'kubeGroups', 'azure_identities'])(
  'a claim called %s sets nothing that user records hold',
  (claim) => {
    const said = claims({ [claim]: ['root'] });
    const everything = wanted(
      'logins',
      'db_users',
      'databaseUsers',
      'kubernetes_groups',
      'azure_identities',
      'kubeGroups',
    );

    const { traits, dropped } = mapTraits([], said, everything);
    expect(traits).toEqual({});
    expect(dropped).toEqual([{ claim, why: expect.stringContaining(`to: ${claim}`) }]);
    expect(mapTraits([], said, wanted(`external.${claim}`)).traits).toEqual({ [`external.${claim}`]: ['root'] });
  },
);

test('a claim that looks like the key of another has a key of its own', () => {
  const said = claims({ 'external.logins': ['root'], logins: ['ann'] });

  expect(mapTraits([], said, wanted('external.logins')).traits).toEqual({ 'external.logins': ['ann'] });
  expect(mapTraits([], said, wanted('external.external.logins')).traits).toEqual({
    'external.external.logins': ['root'],
  });
});

test.each([
  ['logins', 'logins'],
  ['db_users', 'databaseUsers'],
  ['databaseUsers', 'databaseUsers'],
  ['external.logins', 'external.logins'],
  ['external.team', 'team'],
  ['team', 'team'],
])('a mapping to %s fills %s', (to, kept) => {
  expect(mapTraits([{ from: 'x', to }], claims({ x: ['ann'] }), wanted()).traits).toEqual({ [kept]: ['ann'] });
});

test('a mapping takes the values that match, as they are or written otherwise', () => {
  const said = claims({ groups: ['unix-ann', 'unix-root', 'other'] });

  expect(
    mapTraits([{ from: 'groups', value: '^unix-(\\w+)$', to: 'logins', as: '$1' }], said, wanted()).traits,
  ).toEqual({
    logins: ['ann', 'root'],
  });
  expect(mapTraits([{ from: 'groups', value: 'unix-*', to: 'logins' }], said, wanted()).traits).toEqual({
    logins: ['unix-ann', 'unix-root'],
  });
  expect(mapTraits([{ from: 'groups', value: 'other', to: 'logins', as: 'guest' }], said, wanted()).traits).toEqual({
    logins: ['guest'],
  });
});

test('several mappings fill one trait', () => {
  const mappings = [
    { from: 'a', to: 'logins' },
    { from: 'b', to: 'logins' },
  ];

  expect(mapTraits(mappings, claims({ a: ['x', 'y'], b: ['y', 'z'] }), wanted()).traits).toEqual({
    logins: ['x', 'y', 'z'],
  });
});

test('what a mapping sifts does not come in beside it', () => {
  const said = claims({ team: ['blue', 'root'] });

  expect(mapTraits([{ from: 'team', value: 'blue', to: 'team' }], said, wanted('team')).traits).toEqual({
    team: ['blue'],
  });
  expect(mapTraits([{ from: 'absent', to: 'team' }], said, wanted('team')).traits).toEqual({});
});

test('a claim that is used is not told as left out', () => {
  expect(mapTraits([{ from: 'groups', to: 'team' }], claims({ groups: ['a'] }), wanted()).dropped).toEqual([]);
});

test('of many values the first 500 are kept, and it is told', () => {
  const groups = Array.from({ length: 25_000 }, (_, index) => `g${index}`);
  const { traits, dropped } = mapTraits([{ from: 'groups', to: 'logins' }], claims({ groups }), wanted('groups'));

  expect(Object.values(traits).map(({ length }) => length)).toEqual([500, 500]);
  expect(dropped.map(({ why }) => why)).toEqual([
    "has 25000 values: 'logins' keeps the first 500",
    "has 25000 values: 'groups' keeps the first 500",
  ]);
});

test('hostile names and values are left out', () => {
  const said = new Map([
    ['__proto__', ['x']],
    ['constructor', ['y']],
    ['team', ['', 'x'.repeat(1025), 'blue']],
  ]);
  const { traits } = mapTraits([], said, wanted('__proto__', 'team'));

  expect(traits).toEqual({ team: ['blue'] });
  expect(Object.keys(traits)).toEqual(['team']);
});

test('many mappings of many values take little time', () => {
  const groups = Array.from({ length: 25_000 }, (_, index) => `group-${index}`);
  const mappings = Array.from({ length: 128 }, (_, index) => ({
    from: 'groups',
    value: `^.*-x${index}(.*)$`,
    to: `t${index}`,
    as: '$1',
  }));
  const began = performance.now();

  expect(mapTraits(mappings, claims({ groups }), wanted()).traits).toEqual({});
  expect(performance.now() - began).toBeLessThan(SOON_MS);
});
