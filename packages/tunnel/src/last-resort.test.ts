import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { onBehalfOf } from './contain.ts';
import { lastResort } from './last-resort.ts';

test('an error of nobody asks the process to end, one of a connection closes that alone', async () => {
  const source = new EventEmitter();
  const faults: string[] = [];
  const resort = lastResort(source, ({ message }) => faults.push(message));
  let cuts = 0;
  const cut = () => {
    cuts += 1;
  };

  await onBehalfOf({ where: 'test', cut }, async () => {
    await null;
    source.emit('uncaughtException', new Error('of a connection'), 'uncaughtException');
  });
  expect([cuts, faults]).toEqual([1, []]);
  source.emit('uncaughtException', 'of nobody', 'unhandledRejection');

  expect((await resort.failed).message).toBe('of nobody');
  expect([cuts, faults]).toEqual([1, ['of nobody']]);
  resort.release();
  expect(source.listenerCount('uncaughtException')).toBe(0);
});
