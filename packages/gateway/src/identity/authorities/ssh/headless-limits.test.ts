import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { mintCertificate, parseCertificate } from '../../../platform/crypto/ssh/certificate.ts';
import { isWithin, limitOptions, readLimits } from './headless-limits.ts';

const LIMITS = {
  request: '6f1c2d3e-1111-5222-8333-444455556666',
  address: '192.0.2.7',
  server: 'web-1',
  login: 'root',
  command: '',
};

function certificateWith(criticalOptions: Record<string, string>) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const times = { validAfter: 0, validBefore: 1_000 };
  const blob = mintCertificate(privateKey, {
    ...{ kind: 'user', subject: privateKey, keyId: 'x', principals: ['gatehouse-person'], ...times, criticalOptions },
  });
  return parseCertificate(blob);
}

test('what a certificate is limited to is read as it was written', () => {
  expect(readLimits(certificateWith({}))).toBeUndefined();
  for (const limits of [
    LIMITS,
    { ...LIMITS, command: 'uptime -p' },
    { ...LIMITS, login: 'ann@corp', address: '2001:db8::7' },
  ])
    expect(readLimits(certificateWith(limitOptions(limits)))).toEqual(limits);
});

test('what is not known, or not whole, is heeded by nobody', () => {
  const whole = limitOptions(LIMITS);
  const { 'source-address': source = '', ...rest } = whole;
  for (const options of [
    rest,
    { 'source-address': source },
    { ...whole, 'force-command': '' },
    { ...whole, 'verify-required': '' },
    { ...whole, 'source-address': '0.0.0.0/0' },
    { ...whole, 'headless@gatehouse': 'root@web-1' },
    { ...whole, 'headless@gatehouse': `${LIMITS.request} web-1` },
    { 'force-command': 'ls', 'verify-required': '' },
  ])
    expect(() => readLimits(certificateWith(options)), JSON.stringify(options)).toThrow();
});

test('it is for where it was asked from, and this machine has more than one address', () => {
  const froms = ['192.0.2.7', '::ffff:192.0.2.7', '192.0.2.8'];
  expect(froms.map((from) => isWithin(LIMITS, from))).toEqual([true, true, false]);
  const here = { ...LIMITS, address: '127.0.0.1' };
  expect([isWithin(here, '::1'), isWithin(here, '192.0.2.7')]).toEqual([true, false]);
});
