/** A SAML provider cannot be asked: of whoever comes in otherwise, `keep` decides how long its last word counts. */
import { samlConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SamlWorld, startSamlWorld } from '../../../../../testing/connectors/saml-world.ts';
import { visit } from '../../../../../testing/connectors/sso-gateway.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../../testing/identity-gateway.ts';
import { findUser } from '../../../stores/user-store.ts';

const NAME = 'ann@acme.example';
const OWN = 'a password of hers';
const HOUR = 3_600_000;

let gateway: IdentityGateway;
let world: SamlWorld;

beforeEach(async () => {
  gateway = await startIdentityGateway();
  world = await startSamlWorld({ now: () => gateway.clock.now });
  await gateway.addUser('admin', { roles: ['editor', 'access'] });
  const admin = await gateway.signedIn('admin');
  const spec = {
    entity_descriptor: world.descriptor(),
    keep: '2d',
    username_attribute: 'mail',
    attributes_to_roles: [{ name: 'groups', value: 'staff', roles: ['access'] }],
  };
  const content = JSON.stringify({ kind: 'saml', version: 'v2', metadata: { name: 'acme' }, spec });
  await call(admin.send, samlConnectorRoutes.create, { body: { content } });
  world.enter((await gateway.browser().visit('/v1/webapi/saml/metadata/acme')).text);
  await throughProvider();
  const body = { name: NAME, type: 'password' } as const;
  const { tokenId } = await call(admin.send, passwordRoutes.createToken, { body });
  const browser = gateway.browser();
  await browser.open();
  const password = Buffer.from(OWN).toString('base64');
  await call(browser.send, passwordRoutes.useToken, { body: { token: tokenId, password } });
  // They have linked themselves again since: new credentials put the link in doubt.
  await gateway.storage.db.updateTable('user_identity').set({ linked_by: 'self' }).execute();
});
afterEach(async () => {
  await gateway.close();
  await world.close();
});

async function throughProvider(): Promise<string> {
  const browser = gateway.browser();
  const { action, fields } = await world.signIn(await visit(browser, '/v1/webapi/saml/sso?connector_id=acme'), 'ann');
  const { body } = await gateway.app.inject({
    method: 'POST',
    url: new URL(action).pathname,
    headers: {
      host: 'localhost:3080',
      origin: new URL(world.sso).origin,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams({ ...fields }).toString(),
  });
  return await visit(browser, /content="0;URL='([^']*)'"/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? body);
}

async function round(afterMs: number): Promise<void> {
  gateway.clock.advance(afterMs);
  await gateway.identity.rechecks().runNow();
  await gateway.settled();
}
const byPassword = () => gateway.browser().signIn(NAME, OWN);
const roles = async () => (await findUser(gateway.storage.db, NAME))?.roles;

test('until then a password of theirs works, and longer only once they have come through the provider again', async () => {
  await round(47 * HOUR);
  expect(await byPassword()).toBeDefined();
  expect(await roles()).toEqual(['access']);

  await round(2 * HOUR);
  expect(await roles()).toEqual([]);
  await expect(byPassword()).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringContaining("through 'acme'"),
  });

  expect(await throughProvider()).toBe('/web');
  expect(await roles()).toEqual(['access']);
  expect(await byPassword()).toBeDefined();
});

test('signing in by a password confirms nothing', async () => {
  await round(24 * HOUR);
  await byPassword();
  await round(25 * HOUR);

  await expect(byPassword()).rejects.toMatchObject({ code: 'denied' });
});
