import { loginFailureRoutes } from '@gatehouse/contract/identity/login-failure';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';

let gateway: IdentityGateway;
beforeEach(async () => {
  gateway = await startIdentityGateway();
});
afterEach(() => gateway.close());

const saidIn = (address: string) => new URL(address, 'http://localhost').searchParams.get('said') ?? '';
const ask = (kind: 'generic' | 'callback' | 'unauthorized', said: string) =>
  call(gateway.send, loginFailureRoutes.message, { query: { kind, said } });

test('each kind has its page, and without a message nothing is in the address', () => {
  const { addressOf } = gateway.identity.loginFailures;

  expect(addressOf('generic')).toBe('/web/msg/error/login');
  expect(addressOf('callback')).toBe('/web/msg/error/login/callback');
  expect(addressOf('unauthorized')).toBe('/web/msg/error/login/auth');
});

test('what the gateway wrote is read back by anybody who holds the address', async () => {
  const address = gateway.identity.loginFailures.addressOf('callback', 'state did not match <b>');

  expect(address).toMatch(/^\/web\/msg\/error\/login\/callback\?said=[A-Za-z0-9._-]+$/);
  expect(await ask('callback', saidIn(address))).toEqual({ message: 'state did not match <b>' });
});

test('words of others, changed words, those of another kind and old ones are not found', async () => {
  const { addressOf } = gateway.identity.loginFailures;
  const said = saidIn(addressOf('callback', 'true words'));
  const changed = said.slice(0, -4) + (said.endsWith('AAAA') ? 'BBBB' : 'AAAA');

  for (const [kind, text] of [
    ['callback', 'call +1 555 0100 now'],
    ['callback', changed],
    ['unauthorized', said],
  ] as const)
    await expect(ask(kind, text)).rejects.toMatchObject({ status: 404 });
  expect(await ask('callback', said)).toEqual({ message: 'true words' });
  gateway.clock.advance(10 * 60_000);

  await expect(ask('callback', said)).rejects.toMatchObject({ status: 404 });
});
