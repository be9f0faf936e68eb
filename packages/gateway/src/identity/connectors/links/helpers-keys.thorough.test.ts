/** What a helper put into an account by new credentials does not outlive the next sign-in of its person. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkOwn as linkThere } from '../../../../testing/connectors/link-own.ts';
import { ANN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { findUser } from '../../stores/user-store.ts';

const role = (name: string, allow: string) =>
  `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}`;
const gives = (name: string) => ({ claims_to_roles: [{ claim: 'groups', value: 'staff', roles: [name] }] });

let gateway: SsoGateway;
/** Helps users and edits connectors, and may not edit roles. */
let hal: TestBrowser;
beforeEach(async () => {
  gateway = await startSsoGateway({
    secondFactor: 'optional',
    accounts: { ann: ANN, hal: { ...ANN, email: 'hal@acme.example' }, again: ANN },
    connectors: ['okta', 'other'],
  });
  const rules = '{rules: [{resources: [user, auth_connector], verbs: ["*"]}]}';
  for (const content of [role('plain', '{node_labels: {env: dev}, logins: [deploy]}'), role('helping', rules)])
    await call(gateway.admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('hal', { roles: ['plain', 'helping'] });
  hal = await gateway.signedIn('hal');
  await gateway.save(gives('editor'));
  await gateway.save(gives('plain'), 'other');
});
afterEach(() => gateway.close());

const makeAnn = () => call(hal.send, userRecordRoutes.create, { body: { name: 'ann', roles: ['plain'], traits: {} } });
const link = (by: TestBrowser, connector: string, subject: string) =>
  call(by.send, identityRoutes.link, { params: { username: 'ann' }, body: { connector, subject } });
const come = (account: string, connector: string) => gateway.signIn(gateway.browser(), account, { connector });

const linkOwn = (browser: TestBrowser, connector: string, account: string) =>
  linkThere(gateway, browser, { connector, account });
async function redeem(token: string): Promise<TestBrowser> {
  const browser = gateway.browser();
  await browser.open();
  const password = Buffer.from('a password of ann').toString('base64');
  await call(browser.send, passwordRoutes.useToken, { body: { token, password } });
  await browser.open();
  return browser;
}

/** Whether a token that was made in the account of ann is still one. */
async function isAlive(token: string): Promise<boolean> {
  await gateway.settled();
  const headers = { host: 'localhost:3080', authorization: `Bearer ${token}` };
  return !(await gateway.app.inject({ url: '/v1/webapi/roles', headers })).body.includes('not_signed_in');
}
const reset = async (by = hal, name = 'ann') =>
  (await call(by.send, passwordRoutes.createToken, { body: { name, type: 'password' } })).tokenId;
const setOther = (spec: Record<string, unknown>) =>
  call(gateway.admin.send, oidcConnectorRoutes.update, {
    params: { name: 'other' },
    body: { content: gateway.document(spec, 'other') },
  });
const plant = async (browser: TestBrowser) =>
  (await call(browser.send, apiTokenRoutes.create, { body: { name: 'script', scope: 'all', ttlSeconds: 86_400 * 30 } }))
    .token;

test('who comes through a link that an editor made ends what a helper put into the account by new credentials', async () => {
  await makeAnn();
  await link(gateway.admin, 'other', 'ann');
  expect(await come('ann', 'other')).toBe('/web');
  const token = await plant(await redeem(await reset()));
  expect(await isAlive(token)).toBe(true);

  expect(await come('ann', 'other')).toBe('/web');
  await setOther(gives('editor'));
  expect(await come('ann', 'other')).toBe('/web');
  expect(await isAlive(token)).toBe(false);
  expect((await findUser(gateway.storage.db, 'ann'))?.passwordHash).toBeUndefined();
});

test('new credentials by the word of an editor stay beside the link', async () => {
  await makeAnn();
  await link(gateway.admin, 'other', 'ann');
  await come('ann', 'other');
  const token = await plant(await redeem(await reset(gateway.admin)));

  expect(await come('ann', 'other')).toBe('/web');
  expect(await isAlive(token)).toBe(true);
});

test('links for others that were made with a key end with it', async () => {
  await gateway.addUser('bob', { roles: ['plain'] });
  await gateway.addUser('ann', { roles: ['plain', 'helping'] });
  const token = await reset(await gateway.signedIn('ann'), 'bob');
  await linkOwn(await gateway.signedIn('ann'), 'okta', 'ann');

  await expect(redeem(token)).rejects.toThrow();
});
