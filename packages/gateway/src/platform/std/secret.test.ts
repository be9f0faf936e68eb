import { format, inspect } from 'node:util';
import { expect, test } from 'vitest';
import { Secret } from './secret.ts';

test('a secret prints as [secret] in every way a log may print it', () => {
  const secret = new Secret('hunter2');
  const holder = { password: secret };

  expect(
    [`${secret}`, JSON.stringify(holder), inspect(holder), format('%s %o', secret, holder)].join('\n'),
  ).not.toContain('hunter2');
  expect(String(secret)).toBe('[secret]');
  expect(JSON.stringify(holder)).toBe('{"password":"[secret]"}');
  expect(inspect(secret)).toBe('[secret]');
});

test('a secret is revealed on purpose only', () => {
  expect(new Secret('hunter2').reveal()).toBe('hunter2');
});
