import { expect, test } from 'vitest';
import { type Typed, TypedInput } from './typed-input.ts';

const text = (typed: readonly Typed[]) => typed.map(({ bytes }) => String(bytes)).join('');
const bytes = (given: string) => Buffer.from(given);

test('by the flag: what is typed is kept after a moment, and forgotten when it turns out to be hidden', () => {
  const input = new TypedInput('flag');
  input.typed(bytes('ls -l\r'), 0);
  expect(text(input.settled(100))).toBe('');
  expect(text(input.settled(600))).toBe('ls -l\r');
  input.typed(bytes('hunter2\r'), 1_000);
  input.echo(false);
  input.typed(bytes('more\r'), 1_100);
  expect(text(input.settled(5_000))).toBe('');
  input.echo(true);
  input.typed(bytes('id\r'), 6_000);

  expect(text(input.settled(7_000))).toBe('id\r');
});

test('by what is seen: only keys that come back at once, in order, whatever colours are around them', () => {
  const input = new TypedInput('seen');
  const kept: Typed[] = [];
  for (const key of 'whoami') {
    input.typed(bytes(key), 0);
    kept.push(...input.heard(bytes(`\u001b[1m${key}\u001b[0m`), 10));
  }
  input.typed(bytes('\r'), 20);
  kept.push(...input.heard(bytes('\r\nroot\r\n$ '), 30));

  expect(text(kept)).toBe('whoami\r');
});

test('by what is seen: passwords, stars and what is never answered are not kept', () => {
  for (const answer of ['\r\nwelcome, hunter2 is not told\r\n', '*******\r\n', '']) {
    const input = new TypedInput('seen');
    input.typed(bytes('hunter2\r'), 0);
    expect(text(input.heard(bytes(answer), 10))).toBe('');
    expect(text(input.settled(10_000))).toBe('');
    expect(text(input.heard(bytes('hunter2'), 20_000))).toBe('');
  }
});

test('at the end, what might have been hidden is not kept, and nothing fills the memory', () => {
  const input = new TypedInput('flag');
  input.typed(Buffer.alloc(1_000_000, 'x'), 0);
  expect(input.isWaiting).toBe(false);
  input.typed(bytes('hunter2'), 0);

  expect(text(input.rest())).toBe('');
  expect(input.isWaiting).toBe(false);
});
