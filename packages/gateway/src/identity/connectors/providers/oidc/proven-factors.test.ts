import { expect, test } from 'vitest';
import { provesTwoFactors } from './proven-factors.ts';

test.each([
  [{ amr: ['mfa'] }, true],
  [{ amr: ['pwd', 'otp'] }, true],
  [{ amr: ['hwk', 'fpt'] }, true],
  [{ acr: 'phr' }, true],
  [{ amr: ['pwd'] }, false],
  [{ amr: ['otp', 'sms'] }, false],
  [{ amr: ['pwd', 'pin'] }, false],
  [{ amr: 'mfa' }, false],
  [{ amr: { includes: 'mfa' } }, false],
  [{ acr: ['phr'] }, false],
  [{ acr: '2', amr: [] }, false],
  [{}, false],
])('%j proves two factors: %s', (said, proves) => {
  expect(provesTwoFactors(said)).toBe(proves);
});
