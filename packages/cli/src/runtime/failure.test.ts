import { printable } from '@gatehouse/contract/std/printable';
import { CallError } from '@gatehouse/contract/wire/client';
import { expect, test } from 'vitest';
import { formatFailure, toFailure } from './failure.ts';

test('says what to do where the gateway told it', () => {
  const next = 'ask\u001b[2J ann';
  const failure = toFailure(new CallError('127.0.0.1 is here', 'denied', 403, { fields: { next } }));
  expect(formatFailure(failure, 'text')).toBe(`gatehouse: 127.0.0.1 is here\n  → ${printable(next)}\n`);
  expect(JSON.parse(formatFailure(failure, 'json'))).toMatchObject({ error: { exit: 'denied', next } });
  expect(formatFailure(toFailure(new CallError('no', 'denied', 403)), 'text')).toBe('gatehouse: no\n');
});
