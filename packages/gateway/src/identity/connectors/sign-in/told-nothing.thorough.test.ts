/** Addresses that anybody may ask tell nobody which connectors there are, nor which of them are switched off. */
import { samlConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSamlWorld } from '../../../../testing/connectors/saml-world.ts';
import { type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway({ connectors: ['okta', 'off'] });
  await gateway.save();
  await gateway.save({ enabled: false }, 'off');
  const world = await startSamlWorld({ now: () => gateway.clock.now });
  for (const [name, enabled] of [
    ['saml-on', true],
    ['saml-off', false],
  ] as const) {
    const spec = {
      entity_descriptor: world.descriptor(),
      enabled,
      attributes_to_roles: [{ name: 'groups', value: 'staff', roles: ['access'] }],
    };
    const content = JSON.stringify({ kind: 'saml', version: 'v2', metadata: { name }, spec });
    await call(gateway.admin.send, samlConnectorRoutes.create, { body: { content } });
  }
  await world.close();
});
afterEach(() => gateway.close());

/** Without what is of this one call: its id, and the name that was asked for. */
function told({ statusCode, body }: { statusCode: number; body: string }, name: string): [number, string] {
  const { requestId } = JSON.parse(body).error;
  return [statusCode, body.replaceAll(requestId, 'ID').replaceAll(name, 'NAME')];
}

async function sayLogout(name: string, token: string) {
  return told(
    await gateway.app.inject({
      method: 'POST',
      url: `/v1/webapi/oidc/backchannel/${name}`,
      headers: { host: 'localhost:3080', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ logout_token: token }).toString(),
    }),
    name,
  );
}

test('a logout token that is none is answered alike, whatever connector it is for', async () => {
  const unknown = await sayLogout('nobody', 'a.b.c');

  expect(unknown[0]).toBe(400);
  for (const name of ['okta', 'off', 'saml-on', 'saml-off'])
    expect([name, ...(await sayLogout(name, 'a.b.c'))]).toEqual([name, ...unknown]);
});

test('so is one of another connector, and one that cannot be checked just now', async () => {
  const unknown = await sayLogout('nobody', 'a.b.c');
  await gateway.signIn(gateway.browser(), 'ann');
  await gateway.world.signOut('client-okta', 'ann');
  const [heard = ''] = gateway.world.told;

  expect(await sayLogout('off', heard)).toEqual(unknown);
  expect(await sayLogout('nobody', heard)).toEqual(unknown);
  await gateway.save({ issuer_url: 'http://127.0.0.1:9' }, 'gone');
  expect(await sayLogout('gone', heard)).toEqual(unknown);
});

test('metadata is of those that are switched on, and all others are alike', async () => {
  const ask = (name: string) =>
    gateway.app.inject({ url: `/v1/webapi/saml/metadata/${name}`, headers: { host: 'localhost:3080' } });

  expect((await ask('saml-on')).body).toContain('md:EntityDescriptor');
  const unknown = told(await ask('nobody'), 'nobody');
  expect(unknown[0]).toBe(404);
  for (const name of ['saml-off', 'okta', 'off']) expect(told(await ask(name), name)).toEqual(unknown);
});
