import { expect, test } from 'vitest';
import { flattenClaims } from './flatten-claims.ts';

const flat = (...sources: object[]) => Object.fromEntries(flattenClaims(sources).claims);

test('texts, numbers, truths and lists become lists of texts, and what is not said is no value', () => {
  expect(flat({ name: 'Ann', level: 3, admin: true, groups: ['a', 7, null, { id: 1 }], none: null })).toEqual({
    name: ['Ann'],
    level: ['3'],
    admin: ['true'],
    groups: ['a', '7', '{"id":1}'],
    none: [],
  });
});

test('what lies deeper is called by its path', () => {
  expect(flat({ realm_access: { roles: ['a', 'b'] }, resource_access: { app: { roles: ['c'] } } })).toEqual({
    'realm_access.roles': ['a', 'b'],
    'resource_access.app.roles': ['c'],
  });
});

test('nobody reaches the name of another claim by a name with dots', () => {
  const { claims, notes } = flattenClaims([
    {
      profile: { 'x.roles': 'admin', x: { roles: 'mine' } },
      'realm_access.roles': ['real'],
      realm_access: { roles: ['path'] },
    },
  ]);

  expect(Object.fromEntries(claims)).toEqual({ 'profile.x.roles': ['mine'], 'realm_access.roles': ['real'] });
  expect(notes).toEqual([
    "1 claims were left out, 'profile.x.roles' among them: a name has a dot or is too long, or they are too many",
  ]);
});

test('the earlier source stands before the later', () => {
  expect(flat({ groups: ['signed'] }, { groups: ['userinfo'], email: 'a@b' })).toEqual({
    groups: ['signed'],
    email: ['a@b'],
  });
});

test('names that mean something to objects are names like others', () => {
  const hostile = JSON.parse('{"__proto__":["admin"],"constructor":"x","toString":{"__proto__":{"roles":["root"]}}}');
  const { claims } = flattenClaims([hostile]);

  expect([...claims]).toEqual([
    ['__proto__', ['admin']],
    ['constructor', ['x']],
    ['toString.__proto__.roles', ['root']],
  ]);
  expect(({} as { roles?: unknown }).roles).toBeUndefined();
});

test('what belongs to the token, and sources that hold tokens of their own, are no claims', () => {
  expect(
    flat({
      nonce: 'n',
      at_hash: 'h',
      iat: 1,
      exp: 2,
      sid: 's',
      jti: 'j',
      _claim_sources: { a: { access_token: 'secret' } },
    }),
  ).toEqual({});
});

test('groups that the provider left out are told', () => {
  const left = {
    _claim_names: { groups: 'src1', photo: 'src2' },
    _claim_sources: { src1: { endpoint: 'https://graph' } },
  };

  expect(flattenClaims([left]).notes).toEqual([
    'the provider left out the groups: there are more than 200',
    "the provider left out 'photo': it says to fetch it elsewhere, which is not done",
  ]);
  expect(flattenClaims([left, { groups: ['a'] }]).notes).toHaveLength(1);
});

test('at most 500 claims are taken, and the rest is told', () => {
  const { claims, notes } = flattenClaims([
    Object.fromEntries(Array.from({ length: 700 }, (_, at) => [`c${at}`, 'x'])),
  ]);

  expect(claims.size).toBe(500);
  expect(notes[0]).toContain('200 claims were left out');
});

test('a long path before many names costs no more than it is long', () => {
  const names = (write: (at: number) => string) =>
    Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [write(at), 1]));
  const long = 'p'.repeat(200_000);
  const sent = [
    { [long]: names((at) => `a.${at}`) },
    { p: { [long]: names((at) => `a${at}`) } },
    { ['p'.repeat(250)]: names((at) => `a.${at}`) },
  ];
  const before = process.threadCpuUsage();

  for (const source of sent) {
    const { claims, notes } = flattenClaims([source]);
    expect(claims.size).toBe(0);
    expect(notes[0]).toContain('claims were left out');
  }

  // Of this thread's own time. What grows with the square takes minutes.
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(2_000);
});

test('a name is at most as long as a mapping can name', () => {
  const claims = flattenClaims([{ ['n'.repeat(256)]: 1, ['n'.repeat(257)]: 2, a: { ['b'.repeat(254)]: 3 } }]).claims;

  expect([...claims.values()]).toEqual([['1'], ['3']]);
});

test('more than 1 MiB of claims is refused, 25,000 groups are not', () => {
  expect(() => flattenClaims([{ big: 'x'.repeat(1024 * 1024) }])).toThrow('more than 1 MiB of claims');
  const groups = Array.from({ length: 25_000 }, (_, at) => `group-${at}`);
  expect(flattenClaims([{ groups }]).claims.get('groups')).toHaveLength(25_000);
});

test('what no store takes is left out: a NUL, half a character', () => {
  expect(flat({ a: ['x\0y', 'fine'], b: '\ud800' })).toEqual({ a: ['fine'], b: ['\ufffd'] });
});

test('deep nesting ends as text, or as nothing, instead of in a deep stack', () => {
  const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);

  expect([...flattenClaims([{ deep: nested(7) }]).claims]).toEqual([['deep.a.a.a.a.a', ['{"a":{"a":1}}']]]);
  expect([...flattenClaims([{ deep: nested(150_000) }]).claims]).toEqual([['deep.a.a.a.a.a', []]]);
});
