import { MAX_PASSWORD_BYTES, MIN_PASSWORD_BYTES } from '@gatehouse/contract/identity/passwords';
import { expect, test } from 'vitest';
import { PASSWORD_BYTES, passwordProblem, passwordStrength } from './password-strength.ts';

test('the limits are the gateway’s', () => {
  expect(PASSWORD_BYTES).toEqual({ min: MIN_PASSWORD_BYTES, max: MAX_PASSWORD_BYTES });
});

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
