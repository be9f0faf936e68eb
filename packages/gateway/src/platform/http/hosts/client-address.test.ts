import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { createClientAddress, createTrust } from './client-address.ts';

const TRUSTED = ['10.0.0.0/8', '2001:db8::/32'];

test.each([
  ['198.51.100.1', '203.0.113.9'],
  ['198.51.100.1', ''],
  ['10.0.0.1', ''],
  ['10.0.0.1', '203.0.113.9'],
  ['::ffff:10.0.0.1', '203.0.113.9'],
  ['10.0.0.1', '1.2.3.4, 203.0.113.9'],
  ['10.0.0.1', '203.0.113.9, 10.0.0.2'],
  ['10.0.0.1', '127.0.0.1, 203.0.113.9, 10.0.0.2'],
  ['2001:db8::5', '2001:db9::1'],
])('both doors say where a call from %s, forwarded for %j, comes from', async (peer, forwarded) => {
  const app = Fastify({ trustProxy: createTrust(TRUSTED) });
  app.get('/', async (request) => request.ip);
  const headers = forwarded === '' ? {} : { 'x-forwarded-for': forwarded };
  const { body } = await app.inject({ method: 'GET', url: '/', remoteAddress: peer, headers });
  await app.close();

  expect(createClientAddress(TRUSTED)(peer, forwarded)).toBe(body);
});
