import { expect, test } from 'vitest';
import { databaseNamed, doorName } from './door-name.ts';

const HOST = 'gate.example.com';

test('a database is named under the name of the gateway, and found by it', () => {
  expect(doorName('cache', HOST)).toBe('cache.db.gate.example.com');
  expect(databaseNamed(doorName('cache', HOST), HOST)).toBe('cache');
  expect(databaseNamed('a.b.db.gate.example.com', HOST)).toBe('a.b');
});

test.each([
  '',
  HOST,
  'db.gate.example.com',
  '.db.gate.example.com',
  'cachedb.gate.example.com',
  'cache.gate.example.com',
  'cache.db.gate.example.com.evil.example',
  'cache.db.gate.example.com.',
])('%j is no name of a database', (host) => {
  expect(databaseNamed(host, HOST)).toBe(undefined);
});

test.each(['127.0.0.1', '[::1]', '::1'])('under the address %s there are no names', (address) => {
  expect(doorName('cache', address)).toBe('');
  expect(databaseNamed(`cache.db.${address}`, address)).toBe(undefined);
});
