import { expect, test } from 'vitest';
import { createRateLimit } from './rate-limit.ts';

const ADDRESS = '192.0.2.1';

function limitAt(time = { now: 0 }) {
  const limit = createRateLimit(() => time.now);
  const isTaken = () => {
    try {
      limit.take(ADDRESS);
      return true;
    } catch {
      return false;
    }
  };
  return { limit, time, isTaken };
}

test('twenty calls at once, and ten a minute from then on', () => {
  const { time, isTaken } = limitAt();
  expect(Array.from({ length: 30 }, isTaken).filter(Boolean)).toHaveLength(20);

  time.now = 60_000;

  expect(Array.from({ length: 30 }, isTaken).filter(Boolean)).toHaveLength(10);
});

test('whoever is refused and asks again each second is let in as often as whoever waits', () => {
  const { time, isTaken } = limitAt();
  while (isTaken());
  let taken = 0;

  for (time.now = 1_000; time.now <= 60_000; time.now += 1_000) if (isTaken()) taken += 1;

  expect(taken).toBe(10);
});

test('what is given back can be taken again, and never makes more than there were', () => {
  const { limit, isTaken } = limitAt();
  while (isTaken());

  limit.giveBack(ADDRESS);
  expect([isTaken(), isTaken()]).toEqual([true, false]);

  for (let times = 0; times < 50; times++) limit.giveBack(ADDRESS);
  expect(Array.from({ length: 30 }, isTaken).filter(Boolean)).toHaveLength(20);
});
