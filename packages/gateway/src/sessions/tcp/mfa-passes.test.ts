import { expect, test } from 'vitest';
import { createMfaPasses } from './mfa-passes.ts';

const HOUR = 60 * 60_000;
const holder = { signIn: 's-1', kind: 'app', name: 'orders' } as const;

test('a pass serves the sign-in that got it and the one thing it was given for, for an hour', () => {
  let now = 0;
  const passes = createMfaPasses(() => now);
  const pass = passes.give(holder);

  expect(passes.isGood(pass, holder)).toBe(true);
  expect(passes.isGood(pass, { ...holder, signIn: 's-2' })).toBe(false);
  expect(passes.isGood(pass, { ...holder, name: 'bills' })).toBe(false);
  expect(passes.isGood(pass, { ...holder, kind: 'db' })).toBe(false);
  expect(passes.isGood('', holder)).toBe(false);
  now = HOUR;
  expect(passes.isGood(pass, holder)).toBe(false);
});
