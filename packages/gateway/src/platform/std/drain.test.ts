import { expect, test } from 'vitest';
import { closesWithinMs, createDrain } from './drain.ts';

function drainOf(seconds: number) {
  const clock = { now: 1_000 };
  return { clock, drain: createDrain(seconds, () => clock.now) };
}

test('people have most of the time, and some is kept back for writing down how things ended', () => {
  const { drain } = drainOf(30);
  drain.begin();
  expect(drain.peopleMs()).toBe(25_000);
  expect(drain.leftMs()).toBe(30_000);
});

test('of a short time a third is kept back', () => {
  const { drain } = drainOf(3);
  drain.begin();
  expect(drain.peopleMs()).toBe(2_000);
});

test('the time begins once, and is over at its end', () => {
  const { drain, clock } = drainOf(30);
  drain.begin();
  clock.now += 28_000;
  drain.begin();
  expect(drain.peopleMs()).toBe(0);
  expect(drain.leftMs()).toBe(2_000);
  clock.now += 5_000;
  expect(drain.leftMs()).toBe(0);
});

test('what others have used of it is not used again', () => {
  const { drain } = drainOf(30);
  drain.begin(24_000);
  expect(drain.leftMs()).toBe(24_000);
  expect(drain.peopleMs()).toBe(19_000);
});

test('without any time nobody is waited for, and what is ended is still written', () => {
  const { drain } = drainOf(0);
  drain.begin();
  expect(drain.peopleMs()).toBe(0);
  expect(drain.leftMs()).toBe(2_000);
  expect(closesWithinMs(0)).toBe(2_000);
  expect(closesWithinMs(30)).toBe(30_000);
});
