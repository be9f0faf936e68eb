import fc from 'fast-check';
import { expect, test } from 'vitest';
import { matchesArn } from './match-arn.ts';

const ARN = 'arn:aws:sts::123456789012:assumed-role/web/i-0abc';

test.each([
  [ARN, true],
  ['arn:aws:sts::123456789012:assumed-role/web/*', true],
  ['arn:aws:sts::123456789012:assumed-role/*', true],
  ['arn:*:sts::*:assumed-role/w?b/i-*', true],
  ['*', true],
  ['**i-0abc**', true],
  ['arn:aws:sts::123456789012:assumed-role/web', false],
  ['arn:aws:sts::123456789012:assumed-role/web/i-0ab', false],
  ['sts::123456789012:assumed-role/web/i-0abc', false],
  ['arn:aws:sts::123456789012:assumed-role/we?b/i-0abc', false],
  ['arn:aws:sts::123456789012:assumed-role/web/i-0abc?', false],
  ['arn:aws:sts::123456789012:assumed-role/WEB/*', false],
  ['.*', false],
  ['', false],
])('%s: %s', (pattern, expected) => {
  expect(matchesArn(pattern, ARN)).toBe(expected);
});

test('as an expression that says the same has it', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 12 });
  fc.assert(
    fc.property(letters, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 }), (pattern, arn) => {
      const expression = new RegExp(`^${pattern.replaceAll('*', '.*').replaceAll('?', '.')}$`);
      expect(matchesArn(pattern, arn)).toBe(expression.test(arn));
    }),
  );
});

test('stars beyond number cost little', () => {
  const before = process.threadCpuUsage();
  expect(matchesArn(`${'*a'.repeat(1_000)}b`, 'a'.repeat(2_000))).toBe(false);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(1_000);
});
