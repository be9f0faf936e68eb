import { expect, test } from 'vitest';
import { passwordProblem, passwordStrength } from './password-strength.ts';

test('bytes count, not characters', () => {
  expect(passwordProblem('abcde')).toBe('short');
  expect(passwordProblem('ééé')).toBe(undefined);
  expect(passwordProblem('é'.repeat(64))).toBe(undefined);
  expect(passwordProblem('é'.repeat(65))).toBe('long');
});

test.each([
  ['aaaaaaaaaaaaaaaa', 'weak'],
  ['1234567890', 'weak'],
  ['Password1', 'weak'],
  ['annika-annika', 'weak'],
  ['kT7!zq', 'fair'],
  ['tiger lamp', 'good'],
  ['correct horse battery staple', 'strong'],
] as const)('%s is %s', (password, strength) => {
  expect(passwordStrength(password, 'annika')).toBe(strength);
});
