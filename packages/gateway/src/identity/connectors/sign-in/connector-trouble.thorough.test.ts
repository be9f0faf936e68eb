/** A connector that does not work says so on its card, by the first who cannot sign in, until somebody can. */
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { loginFailureRoutes } from '@gatehouse/contract/identity/login-failure';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ANN,
  CLIENT_SECRET,
  type SsoGateway,
  startSsoGateway,
  visit,
} from '../../../../testing/connectors/sso-gateway.ts';

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway({ accounts: { ann: ANN } });
});
afterEach(() => gateway.close());

const troubleOf = async (wanted = 'okta') => {
  const items = await call(gateway.admin.send, oidcConnectorRoutes.list, {});
  return items.find(({ name }) => name === wanted)?.trouble;
};
/** The words of the page that a failed sign-in ends at. */
const saidAt = async (address: string) => {
  const { pathname, searchParams } = new URL(address, 'http://localhost');
  const kind = pathname.endsWith('/callback') ? 'callback' : 'generic';
  const query = { kind, said: searchParams.get('said') ?? '' } as const;
  return (await call(gateway.browser().send, loginFailureRoutes.message, { query })).message;
};
const told = async () => (await gateway.events()).filter(({ code }) => code === 'GH153W').length;

test('a secret the provider does not take stands on the card, is told once, and goes with the next sign-in', async () => {
  await gateway.save({ client_secret: 'not the secret' });
  await gateway.signIn(gateway.browser(), 'ann');
  await gateway.signIn(gateway.browser(), 'ann');

  expect(await troubleOf()).toContain('look at client_id and client_secret');
  expect(await told()).toBe(1);

  const content = gateway.document({ client_secret: CLIENT_SECRET });
  await call(gateway.admin.send, oidcConnectorRoutes.update, { params: { name: 'okta' }, body: { content } });
  expect(await troubleOf()).toBeUndefined();
  expect(await gateway.signIn(gateway.browser(), 'ann')).toBe('/web');
  expect(await troubleOf()).toBeUndefined();
});

test('a provider that cannot be reached stands on the card, and goes when it is back', async () => {
  await gateway.save({ issuer_url: 'http://127.0.0.1:1' }, 'away');
  await visit(gateway.browser(), '/v1/webapi/oidc/login/web?connector_id=away');
  expect(await troubleOf('away')).toContain('127.0.0.1:1');

  await gateway.save();
  gateway.world.faults = { status: { at: '/token', status: 503 } };
  await gateway.signIn(gateway.browser(), 'ann');
  expect(await troubleOf()).toContain('503');
  gateway.world.faults = {};
  expect(await gateway.signIn(gateway.browser(), 'ann')).toBe('/web');
  expect(await troubleOf()).toBeUndefined();
});

test('a provider that goes is noticed within a minute, before a browser is sent there, and is not asked with each sign-in', async () => {
  await gateway.save();
  const begin = () => visit(gateway.browser(), '/v1/webapi/oidc/login/web?connector_id=okta');
  const settings = () => gateway.world.asked.filter((each) => each.includes('openid-configuration')).length;
  expect(await begin()).toContain(gateway.world.issuer);
  gateway.world.faults = { status: { at: '/.well-known/openid-configuration', status: 503 } };
  gateway.clock.advance(59_000);
  expect(await begin()).toContain(gateway.world.issuer);
  expect(settings()).toBe(1);

  gateway.clock.advance(2_000);
  expect(await saidAt(await begin())).toContain('The provider did not answer');
  expect(await troubleOf()).toContain('503');
  expect(await told()).toBe(1);

  // Nor as fast as strangers begin.
  expect(settings()).toBe(2);
  for (const _ of [1, 2, 3]) expect(await begin()).not.toContain(gateway.world.issuer);
  expect(settings()).toBe(2);
  gateway.world.faults = {};
  gateway.clock.advance(5_000);
  expect(await begin()).toContain(gateway.world.issuer);
});

test('whoever signs in is told that the provider did not answer, in fixed words with an id, and of nothing else that is wrong', async () => {
  const away =
    /^The provider did not answer: try again in a few minutes\. The reason is in the audit log under \S{12}: tell it to an administrator\.$/;
  const other = /^The reason is in the audit log under \S{12}: tell it to an administrator\.$/;
  await gateway.save({ issuer_url: 'http://127.0.0.1:1' }, 'away');
  const unbegun = await visit(gateway.browser(), '/v1/webapi/oidc/login/web?connector_id=away');
  expect(await saidAt(unbegun)).toMatch(away);

  await gateway.save();
  gateway.world.faults = { status: { at: '/token', status: 503 } };
  const unanswered = await gateway.signIn(gateway.browser(), 'ann');
  expect(await saidAt(unanswered)).toMatch(away);
  // That page would say that there was an answer.
  for (const address of [unbegun, unanswered]) expect(address).not.toContain('/callback');

  gateway.world.faults = {};
  const content = gateway.document({ client_secret: 'not the secret' });
  await call(gateway.admin.send, oidcConnectorRoutes.update, { params: { name: 'okta' }, body: { content } });
  expect(await saidAt(await gateway.signIn(gateway.browser(), 'ann'))).toMatch(other);
});

test('strangers put nothing on it: a code they made up, an answer they wrote', async () => {
  await gateway.save();
  const answer = async (fields: Record<string, string>) => {
    const browser = gateway.browser();
    const begun = new URL(await visit(browser, '/v1/webapi/oidc/login/web?connector_id=okta'));
    const state = begun.searchParams.get('state') ?? '';
    const iss = gateway.world.issuer;
    const query = new URLSearchParams({ state, iss, ...fields });
    return await visit(browser, `/v1/webapi/oidc/callback/okta?${query}`);
  };

  expect(await answer({ code: 'made-up' })).toContain('/web/msg/error/login');
  expect(await answer({ error: 'invalid_client' })).toContain('/web/msg/error/login');
  expect(await answer({ error: 'unauthorized_client' })).toContain('/web/msg/error/login');

  expect(await troubleOf()).toBeUndefined();
  expect(await told()).toBe(0);
});
