import { expect, test } from 'vitest';
import { isForbidden, plainAddress, whyForbidden } from './forbidden-addresses.ts';

test.each([
  '169.254.169.254',
  '169.254.170.2',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '0:0:0:0:0:ffff:a9fe:a9fe',
  '::169.254.169.254',
  '64:ff9b::a9fe:a9fe',
  '2002:a9fe:a9fe::1',
  'fe80::1',
  'fe80::1%eth0',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd00:42::42',
  '::ffff:0:a9fe:a9fe',
  '64:ff9b:1::a9fe:a9fe',
  '100.100.100.200',
  '168.63.129.16',
  '0.0.0.0',
  '::',
  '224.0.0.1',
  '255.255.255.255',
])('%s is never dialled', (address) => {
  expect(isForbidden(address)).toBe(true);
});

test.each(['127.0.0.1', '::1', '10.0.0.5', '192.168.1.1', 'fd00::5', '203.0.113.9', '2001:db8::1'])(
  '%s may be dialled',
  (address) => {
    expect(isForbidden(address)).toBe(false);
  },
);

test('an IPv4 address is the same one in every notation', () => {
  expect(['127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::7f00:1'].map(plainAddress)).toEqual(
    Array.from({ length: 4 }, () => '127.0.0.1'),
  );
});

test.each([
  '2001:DB8::A:2',
  '2001:db8:0:0::a:2',
  '2001:0db8:0:0:0:0:000a:2',
  '2001:db8::0.10.0.2',
  '2001:db8::a:2%eth0',
])('an address is the same one however it is written: %s', (written) => {
  expect(plainAddress(written)).toBe(plainAddress('2001:db8::a:2'));
  expect(plainAddress(written)).not.toBe(plainAddress('2001:db8::a:3'));
});

test.each([
  ['169.254.169.254', 'gives out credentials of a cloud'],
  ['fd00:ec2::254', 'gives out credentials of a cloud'],
  ['0.0.0.0', 'is not the address of one machine'],
  ['::', 'is not the address of one machine'],
  ['224.0.0.1', 'is not the address of one machine'],
  ['192.0.2.1', undefined],
])('why %s is never reached is said as it is', (address, why) => {
  expect(whyForbidden(address)).toBe(why);
});
