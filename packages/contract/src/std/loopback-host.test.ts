import { expect, test } from 'vitest';
import { isLoopbackUrl } from './loopback-host.ts';

test.each([
  'http://localhost:3080/web',
  'http://a.localhost',
  'https://127.0.0.1:1/x',
  'http://127.9.9.9',
  'http://[::1]:80/',
])('%s works on this machine only', (url) => expect(isLoopbackUrl(url)).toBe(true));

test.each([
  'https://gate.example.com',
  'http://10.0.0.1',
  'http://localhost.example.com',
  'http://127.0.0.1.evil.com',
  'nonsense',
])('%s may work elsewhere', (url) => expect(isLoopbackUrl(url)).toBe(false));
