import { expect, test } from 'vitest';
import { Jobs } from './jobs.ts';

function started() {
  const told: { id: number; type: string; message?: string }[] = [];
  const jobs = new Jobs((text) => void told.push(JSON.parse(text)));
  return { jobs, told };
}

const never = () => new Promise<void>(() => {});

test('what is cancelled again is cancelled once: each is a connection of its own', () => {
  const { jobs } = started();
  void jobs.do({ id: 1 }, never);
  let cancelled = 0;
  const cancel = () => {
    cancelled += 1;
  };
  Object.assign(jobs.get(1) ?? {}, { cancel });
  for (let times = 0; times < 3; times += 1) jobs.cancel(1);

  expect(cancelled).toBe(1);
  expect(jobs.get(1)?.isCancelled).toBe(true);
});

test('what waits is bounded by its size, and one alone is not', async () => {
  const { jobs, told } = started();
  const changes = Array.from({ length: 5 }, () => ({ values: { a: 'x'.repeat(1_000_000), b: null } }));
  const large = (id: number) => ({ id, type: 'edit', changes });
  void jobs.do(large(1), never);
  await jobs.do(large(2), never);
  expect(told).toMatchObject([{ id: 2, type: 'failed', message: 'too much is asked at once' }]);
  void jobs.do({ id: 3 }, never);
  expect(jobs.get(3)).toBeDefined();
  jobs.done(1);
  jobs.done(3);
  void jobs.do({ id: 4, changes: [...changes, ...changes] } as { id: number }, never);
  expect(jobs.get(4)).toBeDefined();
});
