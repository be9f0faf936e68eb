import { expect, test } from 'vitest';
import { createMutex } from './mutex.ts';

test('work waits for the work before it, also when that fails', async () => {
  const inTurn = createMutex();
  const order: string[] = [];
  const slow = inTurn(async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    order.push('slow');
    throw new Error('failed');
  });
  const quick = inTurn(async () => order.push('quick'));

  await expect(slow).rejects.toThrow('failed');
  await quick;
  expect(order).toEqual(['slow', 'quick']);
});
