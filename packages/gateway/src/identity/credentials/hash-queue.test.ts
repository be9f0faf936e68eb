import { expect, test } from 'vitest';
import { createHashQueue } from './hash-queue.ts';

test('no more jobs run at once than allowed, and all of them get their turn in order', async () => {
  const queue = createHashQueue({ atOnce: 2, waitingMax: 100 });
  const started: number[] = [];
  let running = 0;
  let most = 0;

  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      queue.run(async () => {
        started.push(index);
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 1));
        running--;
      }),
    ),
  );

  expect(most).toBe(2);
  expect(started).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test('a newcomer cannot slip in while a place is handed over', async () => {
  const queue = createHashQueue({ atOnce: 1, waitingMax: 100 });
  let running = 0;
  let most = 0;
  const job = async () => {
    most = Math.max(most, ++running);
    await Promise.resolve();
    running--;
  };

  const first = queue.run(job);
  const second = queue.run(job);
  const newcomers = first.then(() => queue.run(job));
  await Promise.all([first, second, newcomers]);

  expect(most).toBe(1);
});

test('who finds the line full is told to come back, and the line goes on', async () => {
  const queue = createHashQueue({ atOnce: 1, waitingMax: 1 });
  const gate = Promise.withResolvers<string>();

  const running = queue.run(() => gate.promise);
  const waiting = queue.run(async () => 'second');
  await expect(queue.run(async () => 'third')).rejects.toMatchObject({ code: 'unavailable' });
  gate.resolve('first');

  expect(await Promise.all([running, waiting])).toEqual(['first', 'second']);
  expect(await queue.run(async () => 'fourth')).toBe('fourth');
});

test('a job that fails gives its place away', async () => {
  const queue = createHashQueue({ atOnce: 1, waitingMax: 10 });

  const failing = queue.run(async () => {
    throw new Error('no memory');
  });
  const next = queue.run(async () => 'fine');

  await expect(failing).rejects.toThrow('no memory');
  expect(await next).toBe('fine');
});
