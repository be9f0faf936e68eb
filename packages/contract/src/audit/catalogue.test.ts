import { expect, test } from 'vitest';
import { EVENT_TYPES, eventType } from './catalogue.ts';

test('every code is there once and ends in its severity', () => {
  const codes = EVENT_TYPES.map(({ code }) => code);

  expect(new Set(codes).size).toBe(codes.length);
  for (const { code, severity } of EVENT_TYPES) {
    expect(code).toMatch(/^(T\w+|GH\d+)[IWE]$/);
    expect(severity).toBe({ I: 'info', W: 'warning', E: 'error' }[code.at(-1) ?? '']);
  }
});

test.each([
  ['T1000I', 'user.login', 'Local Login'],
  ['T1000W', 'user.login', 'Local Login Failed'],
  ['T1002I', 'user.create', 'User Created'],
  ['T1003I', 'user.update', 'User Updated'],
  ['T1004I', 'user.delete', 'User Deleted'],
  ['T1005I', 'user.password_change', 'User Password Updated'],
  ['T1006I', 'mfa.add', 'MFA Device Added'],
  ['T1007I', 'mfa.delete', 'MFA Device Deleted'],
  ['T1008I', 'recovery_code.generated', 'Recovery Codes Generated'],
  ['T1009I', 'recovery_code.used', 'Recovery Code Used'],
  ['T1009W', 'recovery_code.used', 'Recovery Code Use Failed'],
  ['T6000I', 'reset_password_token.create', 'Reset Password Token Created'],
  ['T6001I', 'recovery_token.create', 'Recovery Token Created'],
  ['T6002I', 'privilege_token.create', 'Privilege Token Created'],
])('%s is %s, %s, as on the wire reference', (code, event, label) => {
  expect(eventType(code)).toMatchObject({ event, label });
});
