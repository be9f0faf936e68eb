import { expect, test } from 'vitest';
import { tellEvent } from './tell-event.ts';

test('an event is told in one line', () => {
  expect(tellEvent({ code: 'T1000I', user: 'ann', success: true, method: 'passwordless' }).message).toBe(
    'ann signed in with a passkey',
  );
  expect(tellEvent({ code: 'T1000W', user: 'ann', success: false, error: 'wrong password' }).message).toBe(
    'a sign-in as ann failed: wrong password',
  );
  expect(tellEvent({ code: 'GH102W', user: 'ann', failures: 5, until: '2026-01-01T00:20:00.000Z' }).message).toBe(
    'ann is locked until 2026-01-01T00:20:00.000Z after 5 failed sign-ins',
  );
});
