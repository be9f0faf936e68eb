import { expect, test } from 'vitest';
import { commandToAdd } from './add-dialog.tsx';

test.each([
  ['string', 'SET k v NX'],
  ['hash', 'HSETNX k p v'],
  ['list', 'RPUSH k v'],
  ['set', 'SADD k v'],
  ['zset', 'ZADD k NX p v'],
  ['stream', 'XADD k * p v'],
] as const)('a %s is added without writing over anything', (kind, line) => {
  expect(commandToAdd({ kind, name: 'k', part: 'p', value: 'v' })).toBe(line);
});

test('whatever is typed stays one word', () => {
  expect(commandToAdd({ kind: 'set', name: 'a b', part: '', value: 'x" y\r\nDEL a' })).toBe(
    String.raw`SADD "a b" "x\" y\r\nDEL a"`,
  );
});
