import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { publicHalf } from '../key/key-store.ts';
import { readJws, signJws } from './jws.ts';
import { type PassportCheck, type PassportFacts, readPassport, writePassport } from './passports.ts';
import { createUsedByRoot, createUsedPassports } from './used-passports.ts';

const ROOT = '11111111-1111-4111-8111-111111111111';
const LEAF = '22222222-2222-4222-8222-222222222222';
const OTHER = '33333333-3333-4333-8333-333333333333';
const NOW = Date.UTC(2026, 0, 1);

const root = generateKeyPairSync('ed25519').privateKey;
const next = generateKeyPairSync('ed25519').privateKey;
const stranger = generateKeyPairSync('ed25519').privateKey;
const by = (key: KeyObject) => async (data: Buffer) => sign(null, data, key);

const FACTS: PassportFacts = {
  iss: ROOT,
  aud: LEAF,
  gateway: 'here',
  sub: 'ann',
  sid: 'sign-in-1',
  roles: ['dev'],
  traits: { logins: ['ann'] },
  authType: 'local',
  kind: 'browser',
  addr: '192.0.2.1',
  until: NOW / 1000 + 3600,
};
const write = (facts: Partial<PassportFacts> = {}, { key = root, now = NOW } = {}) =>
  writePassport({ ...FACTS, ...facts }, { now, sign: by(key) });
const check = (given: Partial<PassportCheck> = {}): PassportCheck => ({
  root: { id: ROOT, keys: [publicHalf(root), publicHalf(next)] },
  leafId: LEAF,
  gatewayId: 'here',
  now: NOW,
  used: createUsedPassports(() => given.now ?? NOW),
  ...given,
});

test('what the root says is read at the leaf, whichever of its two keys signed it', async () => {
  expect(readPassport(await write(), check()).claims).toMatchObject(FACTS);
  expect(readPassport(await write({}, { key: next }), check()).key).toBe(publicHalf(next));
});

test('one that was shown before, in the same minute, is refused', async () => {
  const used = createUsedPassports(() => NOW);
  const text = await write();
  readPassport(text, check({ used }));

  expect(() => readPassport(text, check({ used }))).toThrow('shown before');
});

test.each([
  ['another key', () => write({}, { key: stranger }), 'not signed'],
  ['another root', () => write({ iss: OTHER }), 'another root'],
  ['another gateway of it', () => write({ gateway: 'there' }), 'another gateway'],
  ['another leaf', () => write({ aud: OTHER }), 'another cluster'],
  ['time that is over', () => write({}, { now: NOW - 91_000 }), 'run out'],
  ['time to come', () => write({}, { now: NOW + 32_000 }), 'future'],
])('one of %s is refused', async (_, make, words) => {
  const text = await make();

  expect(() => readPassport(text, check())).toThrow(words);
});

test('clocks that are half a minute apart keep nobody out', async () => {
  for (const now of [NOW - 29_000, NOW + 29_000])
    expect(readPassport(await write({}, { now }), check()).claims.sub).toBe('ann');
});

test('one that would last longer than a minute is refused, and so is one with other claims', async () => {
  const iat = NOW / 1000;
  const long = { v: 1, ...FACTS, iat, exp: iat + 3600, jti: 'a'.repeat(22) };
  const text = await signJws('gatehouse-passport', long, by(root));
  expect(() => readPassport(text, check())).toThrow('longer');

  const odd = await signJws('gatehouse-passport', { ...long, exp: iat + 60, roles: 'dev' }, by(root));
  expect(() => readPassport(odd, check())).toThrow('shape');
});

test('one that a later release writes is refused with what to do, whatever else is in it', async () => {
  const later = await signJws('gatehouse-passport', { v: 2, subject: { name: 'ann' } }, by(root));
  expect(() => readPassport(later, check())).toThrow('version 2, and this cluster reads 1: bring both');
});

test('what was signed as something else is no passport, whatever it says about its algorithm', async () => {
  const iat = NOW / 1000;
  const claims = { v: 1, ...FACTS, iat, exp: iat + 60, jti: 'a'.repeat(22) };
  const keys = [publicHalf(root)];
  const announcement = await signJws('gatehouse-keys', claims, by(root));
  const [, payload, signature] = announcement.split('.') as [string, string, string];
  const header = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

  expect(readJws('gatehouse-keys', announcement, keys, 4096)).toMatchObject({ claims });
  for (const text of [
    announcement,
    `${header({ alg: 'none', typ: 'gatehouse-passport' })}.${payload}.`,
    `${header({ alg: 'EdDSA', typ: 'gatehouse-passport' })}.${payload}.${signature}`,
    `${header({ typ: 'gatehouse-passport', alg: 'EdDSA' })}.${payload}.${signature}`,
  ])
    expect(readJws('gatehouse-passport', text, keys, 4096)).toBeUndefined();
});

test('one signature has one writing: padded, cut, split or overlong texts are not read', async () => {
  const text = await write();
  const keys = [publicHalf(root)];
  const last = text.at(-1)!;
  const twin = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].filter((each) => each !== last);

  for (const other of [`${text}=`, `${text}.`, `${text}.e30`, text.slice(0, -1), ` ${text}`, text.replace('.', '..')])
    expect(readJws('gatehouse-passport', other, keys, 48_000)).toBeUndefined();
  for (const end of twin) expect(readJws('gatehouse-passport', text.slice(0, -1) + end, keys, 48_000)).toBeUndefined();
  expect(readJws('gatehouse-passport', text, keys, text.length - 1)).toBeUndefined();
});

test('when there is no room to remember more, nobody is let in until the first have run out', () => {
  let time = NOW;
  const used = createUsedPassports(() => time, 2);
  expect(used.use('a', NOW + 10)).toBe(true);
  expect(used.use('b', NOW + 20)).toBe(true);
  expect(used.use('c', NOW + 30)).toBe(false);
  time = NOW + 10;
  expect(used.use('b', NOW + 20)).toBe(false);
  expect(used.use('c', NOW + 30)).toBe(true);
});

test('a root that shows as many as can be remembered keeps nobody of another root out', () => {
  const usedBy = createUsedByRoot(() => NOW, 2);
  const shown = ['a', 'b', 'c'].map((id) => usedBy(ROOT).use(id, NOW + 1));

  expect(shown).toEqual([true, true, false]);
  expect(usedBy(OTHER).use('a', NOW + 1)).toBe(true);
});
