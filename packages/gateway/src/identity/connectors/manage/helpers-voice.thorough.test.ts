/** Whoever chose the voice of a lesser connector could be each of its people, and leave keys with them: those end before it gives more. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { samlConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { ssoFactorRoutes } from '@gatehouse/contract/identity/connectors/factor-flow';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SamlWorld, startSamlWorld } from '../../../../testing/connectors/saml-world.ts';
import { visit } from '../../../../testing/connectors/sso-gateway.ts';
import {
  codeOf,
  enrolApp,
  enrolKey,
  type IdentityGateway,
  startIdentityGateway,
} from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { listDevices } from '../../stores/device-store.ts';
import { findUser } from '../../stores/user-store.ts';
import { listIdentitiesOf } from '../stores/identity-store.ts';

const NAME = 'ann@acme.example';
const role = (name: string, allow: string) =>
  `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}`;
let gateway: IdentityGateway;
let world: SamlWorld;
let admin: TestBrowser;
let hal: TestBrowser;
beforeEach(async () => {
  gateway = await startIdentityGateway({ secondFactor: 'optional' });
  world = await startSamlWorld({ now: () => gateway.clock.now });
  world.accounts.set('hal', {
    nameId: 'hal-0002',
    attributes: { groups: ['staff'], mail: ['hal@acme.example'], nick: ['ann-0001'] },
  });
  await gateway.addUser('admin', { roles: ['editor', 'access', 'auditor'] });
  admin = await gateway.signedIn('admin');
  const rules = '{rules: [{resources: [auth_connector], verbs: ["*"]}]}';
  for (const content of [role('plain', '{node_labels: {env: dev}, logins: [deploy]}'), role('connecting', rules)])
    await call(admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('hal', { roles: ['plain', 'connecting'] });
  hal = await gateway.signedIn('hal');
});
afterEach(async () => {
  await gateway.close();
  await world.close();
});
function document(spec: Record<string, unknown> = {}): string {
  const { issuer, sso, keys } = world;
  const all = {
    issuer,
    sso,
    cert: keys.cert,
    username_attribute: 'mail',
    attributes_to_roles: [{ name: 'groups', value: 'staff', roles: ['plain'] }],
    ...spec,
  };
  return JSON.stringify({ kind: 'saml', version: 'v2', metadata: { name: 'lesser' }, spec: all });
}
const update = (by: TestBrowser, spec: Record<string, unknown>) =>
  call(by.send, samlConnectorRoutes.update, { params: { name: 'lesser' }, body: { content: document(spec) } });
async function create(by: TestBrowser, spec = {}) {
  await call(by.send, samlConnectorRoutes.create, { body: { content: document(spec) } });
  world.enter((await gateway.browser().visit('/v1/webapi/saml/metadata/lesser')).text);
}
async function come(
  account: string,
  origin = new URL(world.sso).origin,
): Promise<{ at: string; browser: TestBrowser }> {
  const browser = gateway.browser();
  const begun = await visit(browser, '/v1/webapi/saml/sso?connector_id=lesser');
  const { action, fields } = await world.signIn(begun, account);
  const { body } = await gateway.app.inject({
    method: 'POST',
    url: new URL(action).pathname,
    headers: { host: 'localhost:3080', origin, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ ...fields }).toString(),
  });
  const finish = /content="0;URL='([^']*)'"/.exec(body)?.[1]?.replaceAll('&amp;', '&');
  const at = finish === undefined ? body : await visit(browser, finish);
  await browser.open();
  return { at, browser };
}
async function plant(browser: TestBrowser) {
  const { token } = await call(browser.send, apiTokenRoutes.create, {
    body: { name: 'script', scope: 'all', ttlSeconds: 30 * 86400 },
  });
  const proof = await call(browser.send, passwordRoutes.createPrivilegeToken, { body: {} });
  await enrolKey(browser, proof, { deviceUsage: 'passwordless', deviceName: 'planted' });
  return token;
}
const GREAT = { attributes_to_roles: [{ name: 'groups', value: 'staff', roles: ['editor'] }] };
async function state(token: string) {
  await gateway.settled();
  const { statusCode, body } = await gateway.app.inject({
    url: '/v1/webapi/roles',
    headers: { host: 'localhost:3080', authorization: `Bearer ${token}` },
  });
  return {
    roles: (await findUser(gateway.storage.db, NAME))?.roles,
    devices: (await listDevices(gateway.storage.db, NAME)).map(({ name }) => name),
    links: (await listIdentitiesOf(gateway.storage.db, NAME)).map(({ subject, linkedBy }) => `${subject} ${linkedBy}`),
    isSignedIn: !body.includes('not_signed_in'),
    reads: statusCode === 200,
  };
}

test('of one that was restored, whoever comes next takes the account over from who spoke for it meanwhile', async () => {
  await create(admin);
  expect((await come('ann')).at).toBe('/web');
  await update(hal, { subject_attribute: 'nick' });
  const got = await come('hal');
  expect(got.at).toBe('/web');
  const token = await plant(got.browser);
  await update(admin, GREAT);
  expect((await come('ann')).at).toBe('/web');
  expect(await state(token)).toMatchObject({ roles: ['editor'], devices: [], isSignedIn: false });
});

test('so it is of one that somebody made who may not edit roles, and came through first', async () => {
  const sso = 'https://idp.acme.example/sso';
  await create(hal, { subject_attribute: 'nick', sso });
  world.accounts.set('hal', {
    nameId: 'hal-0002',
    attributes: { groups: ['staff'], mail: [NAME], nick: ['ann-0001'] },
  });
  const got = await come('hal', 'https://idp.acme.example');
  expect(got.at).toBe('/web');
  const token = await plant(got.browser);
  await update(admin, { ...GREAT, sso });
  expect((await come('ann', 'https://idp.acme.example')).at).toBe('/web');
  expect(await state(token)).toMatchObject({ roles: ['editor'], devices: [], isSignedIn: false });
});

test('a link in doubt is not confirmed by a device where who chose the voice could have both', async () => {
  await call(admin.send, roleRoutes.create, {
    body: { content: role('helping', '{rules: [{resources: [user], verbs: ["*"]}]}') },
  });
  await gateway.setRoles('hal', ['plain', 'connecting', 'helping']);
  await gateway.settled();
  await create(admin);
  expect((await come('ann')).at).toBe('/web');
  const { tokenId } = await call(hal.send, passwordRoutes.createToken, { body: { name: NAME, type: 'password' } });
  const puppet = gateway.browser();
  await puppet.open();
  await call(puppet.send, passwordRoutes.useToken, {
    body: { token: tokenId, password: Buffer.from('of hal himself').toString('base64') },
  });
  await puppet.open();
  const secret = await enrolApp(gateway, puppet);
  await update(hal, { subject_attribute: 'nick', mfa: 'gateway' });
  const { at, browser } = await come('hal');
  const code = new URL(at, 'http://localhost:3080').searchParams.get('sso') ?? '';
  gateway.clock.advance(30_000);
  await call(browser.send, ssoFactorRoutes.answer, { body: { code, totp: codeOf(secret, gateway.clock.now) } });
  await browser.open();
  const { token } = await call(browser.send, apiTokenRoutes.create, {
    body: { name: 'script', scope: 'all', ttlSeconds: 30 * 86400 },
  });
  await update(admin, GREAT);
  expect((await come('ann')).at).toMatch(/sso=|^\/web/);
  expect((await state(token)).reads).toBe(false);
});
