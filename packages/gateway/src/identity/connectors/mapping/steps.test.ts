import { expect, test } from 'vitest';
import { atOnce, inTurns, type Steps } from './steps.ts';

function* count(to: number, seen: string[]): Steps<number> {
  for (let at = 0; at < to; at++) {
    seen.push('step');
    yield;
  }
  return to;
}

test('others have their turn between two steps', async () => {
  const seen: string[] = [];
  let isDone = false;
  const others = () => {
    seen.push('other');
    if (!isDone) setImmediate(others);
  };
  setImmediate(others);

  expect(await inTurns(count(3, seen))).toBe(3);
  isDone = true;

  const firsts = seen.map((what, at) => (what === 'step' ? seen[at + 1] : undefined)).filter((what) => what);
  expect(firsts).toEqual(['other', 'other', 'other']);
});

test('what is short is done at once, and what it throws is thrown', async () => {
  expect(atOnce(count(3, []))).toBe(3);
  const failing = (function* (): Steps<number> {
    yield;
    throw new Error('no');
  })();

  await expect(inTurns(failing)).rejects.toThrow('no');
});
