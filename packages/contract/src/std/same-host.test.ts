import { expect, test } from 'vitest';
import { comparedHost, isComparedLoopback } from './same-host.ts';

test.each([
  ['DB.Inside', 'db.inside'],
  ['db.inside.', 'db.inside'],
  ['10.0.0.5', '10.0.0.5'],
  ['10.5', '10.0.0.5'],
  ['0x0a000005', '10.0.0.5'],
  ['012.0.0.5', '10.0.0.5'],
  ['167772165', '10.0.0.5'],
  ['::ffff:10.0.0.5', '10.0.0.5'],
  ['[0:0:0:0:0:FFFF:0a00:0005]', '10.0.0.5'],
  ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
  ['2001:0db8:0000::0:1', '2001:db8:0:0:0:0:0:1'],
  ['64:ff9b::10.0.0.5', '64:ff9b:0:0:0:0:a00:5'],
  ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
])('%s is compared as %s', (written, compared) => {
  expect(comparedHost(written)).toBe(compared);
});

test.each([
  '1.2.3.4.5',
  '10.0.0.256',
  '256.1',
  'db1',
  '0xdb.example',
  '1::2::3',
  ':',
  '1:2:3',
  '12345::',
  '::999.0.0.1',
])('what is no address stays as it is: %s', (text) => {
  expect(comparedHost(text)).toBe(text);
});

test('loopback is known however it is written', () => {
  for (const host of [
    'LOCALHOST',
    'a.localhost.',
    '127.1',
    '127.9.9.9',
    '0x7f000001',
    '::1',
    '0::0:1',
    '::ffff:7f00:1',
  ])
    expect([host, isComparedLoopback(comparedHost(host))]).toEqual([host, true]);
  for (const host of ['127.example', 'localhost.example', '128.0.0.1', '::2'])
    expect([host, isComparedLoopback(comparedHost(host))]).toEqual([host, false]);
});
