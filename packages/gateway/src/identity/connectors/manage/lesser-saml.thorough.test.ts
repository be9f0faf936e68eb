/** Somebody comes through two SAML providers, and whoever edits the connector of the lesser one wants what the greater gives them. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { samlConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSamlKeys } from '../../../../testing/connectors/saml-keys.ts';
import { type SamlWorld, startSamlWorld } from '../../../../testing/connectors/saml-world.ts';
import { visit } from '../../../../testing/connectors/sso-gateway.ts';
import { type IdentityGateway, startIdentityGateway } from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { findUser } from '../../stores/user-store.ts';

const NAME = 'ann@acme.example';
const PROVIDERS = ['greater', 'lesser'] as const;
type Provider = (typeof PROVIDERS)[number];
const GIVES = { greater: 'editor', lesser: 'plain' };
const role = (name: string, allow: string) =>
  `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}`;

let gateway: IdentityGateway;
let worlds: Record<Provider, SamlWorld>;
let admin: TestBrowser;
/** Edits connectors, holds what the lesser gives, and may not edit roles. */
let hal: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway();
  const now = () => gateway.clock.now;
  worlds = { greater: await startSamlWorld({ now }), lesser: await startSamlWorld({ now }) };
  await gateway.addUser('admin', { roles: ['editor', 'access', 'auditor'] });
  admin = await gateway.signedIn('admin');
  const rules = '{rules: [{resources: [auth_connector], verbs: ["*"]}]}';
  for (const content of [role('plain', '{node_labels: {env: dev}, logins: [deploy]}'), role('connecting', rules)])
    await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('hal', { roles: ['plain', 'connecting'] });
  hal = await gateway.signedIn('hal');
  for (const name of PROVIDERS) {
    await call(admin.send, samlConnectorRoutes.create, { body: { content: document(name) } });
    worlds[name].enter((await gateway.browser().visit(`/v1/webapi/saml/metadata/${name}`)).text);
  }
  expect(await come('greater')).toBe('/web');
  for (const connector of PROVIDERS) {
    const body = { connector, subject: 'ann-0001' };
    await call(admin.send, identityRoutes.link, { params: { username: NAME }, body });
  }
  expect(await come('lesser')).toBe('/web');
  expect((await findUser(gateway.storage.db, NAME))?.roles).toEqual(['plain']);
});
afterEach(async () => {
  await gateway.close();
  for (const name of PROVIDERS) await worlds[name].close();
});

function document(name: Provider, spec: Record<string, unknown> = {}): string {
  const { issuer, sso, keys } = worlds[name];
  const all = {
    issuer,
    sso,
    cert: keys.cert,
    username_attribute: 'mail',
    attributes_to_roles: [{ name: 'groups', value: 'staff', roles: [GIVES[name]] }],
    ...spec,
  };
  return JSON.stringify({ kind: 'saml', version: 'v2', metadata: { name }, spec: all });
}
const update = (by: TestBrowser, spec: Record<string, unknown>) =>
  call(by.send, samlConnectorRoutes.update, {
    params: { name: 'lesser' },
    body: { content: document('lesser', spec) },
  });

async function come(name: Provider): Promise<string> {
  const browser = gateway.browser();
  const begun = await visit(browser, `/v1/webapi/saml/sso?connector_id=${name}`);
  const { action, fields } = await worlds[name].signIn(begun, 'ann');
  const { body } = await gateway.app.inject({
    method: 'POST',
    url: new URL(action).pathname,
    headers: {
      host: 'localhost:3080',
      origin: new URL(worlds[name].sso).origin,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: new URLSearchParams({ ...fields }).toString(),
  });
  const finish = /content="0;URL='([^']*)'"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
  return finish === undefined ? body : await visit(browser, finish);
}

const refused = {
  code: 'denied',
  message: expect.stringMatching(/'ann@acme.example'.*through 'greater'.*role 'editor'/),
};

test('they let no key of their own speak at the lesser one, whatever she holds today', async () => {
  const { cert } = await makeSamlKeys('hal', { from: gateway.clock.now - 86_400_000 });

  await expect(update(hal, { cert })).rejects.toMatchObject(refused);
  await update(admin, { cert });
});

test.each([
  ['another place to sign in', { sso: 'https://hal.example/sso' }],
  ['another attribute as the subject', { subject_attribute: 'groups' }],
  ['another audience', { audience: 'https://hal.example' }],
  ['another name of the service', { service_provider_issuer: 'https://hal.example' }],
])('nor %s', async (_, spec) => {
  await expect(update(hal, spec)).rejects.toMatchObject(refused);
});

test('nor do they switch it on again once somebody has switched it off', async () => {
  await update(admin, { enabled: false });

  await expect(update(hal, {})).rejects.toMatchObject(refused);
  expect(await call(hal.send, samlConnectorRoutes.list, {})).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'lesser', enabled: false })]),
  );
  await update(admin, {});
  expect(await come('lesser')).toBe('/web');
});

test('what lets nobody else speak they change, and switch it off', async () => {
  await update(hal, { display: 'Lesser' });
  await update(hal, { enabled: false });
});

test('where they begin anew under its name, nobody of before is theirs', async () => {
  const { cert } = await makeSamlKeys('hal', { from: gateway.clock.now - 86_400_000 });
  await call(hal.send, samlConnectorRoutes.remove, { params: { name: 'lesser' } });
  const content = document('lesser', { cert, sso: 'https://hal.example/sso' });
  await call(hal.send, samlConnectorRoutes.create, { body: { content } });

  const identities = await gateway.storage.db.selectFrom('user_identity').select(['connector', 'user']).execute();
  expect(identities).toEqual([{ connector: 'greater', user: NAME }]);
});
