import { expect, test } from 'vitest';
import { isLoopback, parseListen, parsePublicAddress, parseRange, parseSshAddress } from './address.ts';

test.each([
  ['127.0.0.1:3080', { host: '127.0.0.1', port: 3080 }],
  ['[::1]:3080', { host: '::1', port: 3080 }],
  ['[::]:0', { host: '::', port: 0 }],
  ['Gate.Local:443', { host: 'gate.local', port: 443 }],
])('the listen address %s is read', (text, address) => {
  expect(parseListen(text)).toEqual(address);
});

test.each([
  '3080',
  ':3080',
  '127.0.0.1',
  '127.0.0.1:99999',
  '1.2.3:80',
  '::1:3080',
  '[gate]:80',
  'a b:80',
  'http://x:80',
  '-x:80',
  '',
])('the listen address %j is refused with a sentence', (text) => {
  expect(parseListen(text)).toEqual(expect.any(String));
});

test.each([
  ['Gate.Example.com', { host: 'gate.example.com', port: 0 }],
  ['gate.example.com:80', { host: 'gate.example.com', port: 80 }],
  ['gate.example.com:21', { host: 'gate.example.com', port: 21 }],
  ['https://gate.example.com:443/', { host: 'gate.example.com', port: 443, scheme: 'https' }],
  ['http://localhost:3080', { host: 'localhost', port: 3080, scheme: 'http' }],
  ['[2001:DB8::1]:8443', { host: '2001:db8::1', port: 8443 }],
  ['bücher.example', { host: 'xn--bcher-kva.example', port: 0 }],
])('the public address %s is made canonical', (text, address) => {
  expect(parsePublicAddress(text)).toEqual(address);
});

test.each([
  'ftp://gate.example.com',
  'https://user:pw@gate.example.com',
  'gate.example.com/web',
  'gate.example.com?x=1',
  'javascript:alert(1)',
  '*.example.com',
  '0.0.0.0',
  'gate.example.com:0',
  'gate.example.com:99999',
  '',
])('the public address %j is refused with a sentence', (text) => {
  expect(parsePublicAddress(text)).toEqual(expect.any(String));
});

test('the address for programs that speak SSH is a host, with or without a port', () => {
  expect(parseSshAddress('Gate.Example.com')).toEqual({ host: 'gate.example.com', port: 0 });
  expect(parseSshAddress('[::1]:22')).toEqual({ host: '::1', port: 22 });
  for (const text of ['ssh://gate', 'https://gate', 'a b', 'root@gate', '0.0.0.0', 'gate:0', ''])
    expect(parseSshAddress(text), text).toEqual(expect.any(String));
});

test('a proxy range that covers everybody is refused', () => {
  expect(parseRange('0.0.0.0/0')).toContain('forge');
  expect(parseRange('::/0')).toContain('forge');
});

test.each(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'])('%s names a proxy', (text) => {
  expect(parseRange(text)).toBeUndefined();
});

test.each(['10.0.0.0/33', '10.0.0/8', 'proxy', '10.0.0.0/8/8', '10.0.0.0/x', '::1/129'])(
  '%s names no proxy',
  (text) => {
    expect(parseRange(text)).toEqual(expect.any(String));
  },
);

test('loopback is 127/8, ::1 and the names of localhost, nothing that resembles them', () => {
  const hosts = ['127.0.0.1', '127.9.9.9', '::1', 'localhost', 'app.localhost'];
  const others = ['0.0.0.0', '::', '128.0.0.1', 'localhost.example.com', '127.0.0.1.nip.io', '10.0.0.1'];

  expect(hosts.filter((host) => !isLoopback(host))).toEqual([]);
  expect(others.filter(isLoopback)).toEqual([]);
});
