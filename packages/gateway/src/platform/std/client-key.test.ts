import { expect, test } from 'vitest';
import { createRateLimit } from '../http/rate-limit.ts';
import { clientKey, clientNetwork, clientRegion } from './client-key.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['64:ff9b::192.0.2.1', '192.0.2.1'],
  ['64:ff9b:1::192.0.2.1', '64:ff9b:1:0::/64'],
  ['2001:0:cb00:7101:8000:63bf:3fff:fdfe', '192.0.2.1'],
  ['1::2::3', '1::2::3'],
  ['::ffff:1.2.3.999', '::ffff:1.2.3.999'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('%s is counted as %s', (address, key) => {
  expect(clientKey(address)).toBe(key);
});

test.each([
  ['192.0.2.1', '192.0.2.0/24'],
  ['::ffff:192.0.2.99', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:0DB8:0001:ffff::1', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
  ['2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['1::2::3', '1::2::3'],
  ['', ''],
])('%s is of the network %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

test.each([
  ['192.0.2.1', '192.0.0.0/16'],
  ['192.0.2.0/24', '192.0.0.0/16'],
  ['::ffff:192.0.2.99', '192.0.0.0/16'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8::/32'],
  ['2001:db8:1:2::/64', '2001:db8::/32'],
  ['2001:db8:1::/48', '2001:db8::/32'],
  ['2001:db8:0::/48', '2001:db8::/32'],
  ['user ann', 'user ann'],
  ['', ''],
])('%s is of the region %s', (address, region) => {
  expect(clientRegion(address)).toBe(region);
});

test('a whole /64 has the calls of one address, and its neighbour calls of its own', () => {
  const limit = createRateLimit(() => 0);
  const calls = (prefix: string) => {
    let taken = 0;
    for (let host = 1; host <= 100; host++) {
      try {
        limit.take(`${prefix}::${host.toString(16)}`);
        taken += 1;
      } catch {
        // Refused.
      }
    }
    return taken;
  };

  expect([calls('2001:db8:1:1'), calls('2001:db8:1:2')]).toEqual([20, 20]);
});
