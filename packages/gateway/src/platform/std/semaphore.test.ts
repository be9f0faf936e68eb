import { expect, test } from 'vitest';
import { createSemaphore } from './semaphore.ts';

const refuse = () => new Error('come back later');

test('no more jobs run at once than allowed, and all of them get their turn in order', async () => {
  const queue = createSemaphore({ total: 2, waiting: 100, refuse });
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
  const queue = createSemaphore({ total: 1, waiting: 100, refuse });
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
  const queue = createSemaphore({ total: 1, waiting: 1, refuse });
  const gate = Promise.withResolvers<string>();

  const running = queue.run(() => gate.promise);
  const waiting = queue.run(async () => 'second');
  await expect(queue.run(async () => 'third')).rejects.toThrow('come back later');
  gate.resolve('first');

  expect(await Promise.all([running, waiting])).toEqual(['first', 'second']);
  expect(await queue.run(async () => 'fourth')).toBe('fourth');
});

test('a job that fails gives its place away', async () => {
  const queue = createSemaphore({ total: 1, waiting: 10, refuse });

  const failing = queue.run(async () => {
    throw new Error('no memory');
  });
  const next = queue.run(async () => 'fine');

  await expect(failing).rejects.toThrow('no memory');
  expect(await next).toBe('fine');
});

test('one key holds no more places than its share, and others pass it in the line', async () => {
  const places = createSemaphore({ total: 2, perKey: 1, waiting: 5, refuse });
  const releaseAnn = await places.take('ann');
  const annAgain = places.take('ann');
  const releaseBen = await places.take('ben');
  const cleo = places.take('cleo');
  expect([places.taken, places.inLine]).toEqual([2, 2]);

  releaseBen();
  await cleo;
  expect([places.taken, places.inLine]).toEqual([2, 1]);
  releaseAnn();
  await annAgain;
  expect([places.taken, places.inLine]).toEqual([2, 0]);
});

test('without a line nobody waits', async () => {
  const places = createSemaphore({ total: 1, refuse });
  const release = await places.take();

  await expect(places.take()).rejects.toThrow('come back later');
  release();
  await places.take();
});
