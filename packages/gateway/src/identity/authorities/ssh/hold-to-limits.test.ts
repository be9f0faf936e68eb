import { expect, test } from 'vitest';
import { holdToLimits } from './hold-to-limits.ts';

const limits = { request: 'r', address: '192.0.2.7', server: 'web-1', login: 'root' };
const wanted = { login: 'root', server: 'web-1' };

function certificates() {
  const used = new Set<string>();
  return {
    used,
    async begin({ serial }: { serial: string }) {
      const isFirst = !used.has(serial);
      used.add(serial);
      return isFirst;
    },
  };
}

test('one without limits is held to none', async () => {
  const { used, ...held } = certificates();
  await holdToLimits(held, { serial: '1', limits: undefined }, undefined, '203.0.113.9');
  expect(used.size).toBe(0);
});

test('only that session, from there, and once; what is refused does not use it up', async () => {
  const held = certificates();
  const shown = { serial: '1', limits };
  for (const [other, from, words] of [
    [wanted, '192.0.2.8', 'another address'],
    [{ ...wanted, login: 'ann' }, '192.0.2.7', 'is for root@web-1'],
    [{ ...wanted, server: 'web-2' }, '192.0.2.7', 'is for root@web-1'],
    [undefined, '192.0.2.7', 'is for root@web-1'],
  ] as const)
    await expect(holdToLimits(held, shown, other, from)).rejects.toThrow(words);
  expect(held.used.size).toBe(0);
  await holdToLimits(held, shown, wanted, '192.0.2.7');
  await expect(holdToLimits(held, shown, wanted, '192.0.2.7')).rejects.toThrow('used already');
});
