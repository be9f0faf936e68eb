import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { isThisMachine } from './this-machine.ts';

test('the machine itself is known in every notation', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'].every(isThisMachine)).toBe(true);
  expect(isThisMachine('203.0.113.9')).toBe(false);
});

test('so are the addresses of its interfaces', () => {
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);

  expect(own.filter((address) => !isThisMachine(address) || !isThisMachine(address.toUpperCase()))).toEqual([]);
});
