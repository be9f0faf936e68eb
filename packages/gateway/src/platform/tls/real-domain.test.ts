import { expect, test } from 'vitest';
import { isRealDomain, mayForceTls } from './real-domain.ts';

test.each(['gate.example.com', 'example.org', 'a.b.co.uk', 'GATE.Example.COM.', 'xn--bcher-kva.de', 'gate.xn--p1ai'])(
  '%s is a real domain',
  (host) => {
    expect(isRealDomain(host)).toBe(true);
  },
);

test.each([
  'localhost',
  'app.localhost',
  'gate',
  'gate.local',
  'gate.test',
  'gate.example',
  'gate.internal',
  'gate.lan',
  'gate.home.arpa',
  '127.0.0.1',
  '10.0.0.1',
  '1.2.3.4',
  '::1',
  '2001:db8::1',
  'gate.123',
  'ga_te.example.com',
  '-gate.example.com',
  '',
  '.',
])('%j is not a real domain', (host) => {
  expect(isRealDomain(host)).toBe(false);
});

test('TLS is forced only with a certificate that somebody vouched for, on a real domain', () => {
  expect(mayForceTls({ vouchedFor: true }, 'gate.example.com')).toBe(true);
  expect(mayForceTls({ vouchedFor: false }, 'gate.example.com')).toBe(false);
  expect(mayForceTls({ vouchedFor: true }, 'localhost')).toBe(false);
  expect(mayForceTls({ vouchedFor: true }, undefined)).toBe(false);
  expect(mayForceTls(undefined, 'gate.example.com')).toBe(false);
});
