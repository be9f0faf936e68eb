/** An unlinked account has no provider that is asked about it: nobody keeps or takes by that what they could not give. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { findUser } from '../../stores/user-store.ts';

const NAME = 'ann@acme.example';
const role = (name: string, allow: string) =>
  `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}`;
const mapping = (...entries: [string, string[]][]) => ({
  claims_to_roles: entries.map(([value, roles]) => ({ claim: 'groups', value, roles })),
});
const MORE = mapping(['staff', ['plain']], ['boss', ['editor']]);
const NO_MORE = mapping(['staff', ['plain']]);

let gateway: SsoGateway;
let hal: TestBrowser;
beforeEach(async () => {
  gateway = await startSsoGateway({ accounts: { ann: ANN } });
  const helps = '{rules: [{resources: [user], verbs: ["*"]}]}';
  for (const content of [role('plain', '{node_labels: {env: dev}, logins: [deploy]}'), role('helping', helps)])
    await call(gateway.admin.send, roleRoutes.create, { body: { content } });
  await gateway.addUser('hal', { roles: ['plain', 'helping'] });
  hal = await gateway.signedIn('hal');
});
afterEach(() => gateway.close());

const unlink = (browser: TestBrowser) =>
  call(browser.send, identityRoutes.unlink, { params: { username: NAME, connector: 'okta' } });
const ann = async () => {
  const { roles, givenBy, authType } = (await findUser(gateway.storage.db, NAME))!;
  return { roles, givenBy, authType };
};

test('nobody unlinks somebody whom their provider could make more', async () => {
  await gateway.save(MORE);
  await gateway.signIn(gateway.browser(), 'ann');

  await expect(unlink(hal)).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringMatching(/through 'okta'.*role 'editor'/),
  });
  expect(await ann()).toMatchObject({ authType: 'oidc', givenBy: 'okta' });
});

test('where a helper unlinks, what the provider gave goes with it, until somebody gives it here', async () => {
  await gateway.save(NO_MORE);
  await gateway.signIn(gateway.browser(), 'ann');
  await unlink(hal);

  expect(await ann()).toEqual({ roles: [], givenBy: 'okta', authType: 'local' });
  const told = (await gateway.events()).findLast(({ code }) => code === 'T1003I');
  expect(told?.data).toMatchObject({ name: NAME, connector: 'okta', after: { roles: [] } });
  await call(hal.send, userRecordRoutes.update, { body: { name: NAME, roles: ['plain'], traits: {} } });
  expect(await ann()).toEqual({ roles: ['plain'], givenBy: undefined, authType: 'local' });
});

test('where somebody unlinks who may edit roles, they stay, to be edited by hand', async () => {
  await gateway.save(NO_MORE);
  await gateway.signIn(gateway.browser(), 'ann');
  await unlink(gateway.admin);

  expect(await ann()).toEqual({ roles: ['plain'], givenBy: undefined, authType: 'local' });
});

test('what somebody here gave, to an account that has not come through the connector yet, stays as well', async () => {
  await gateway.save(NO_MORE);
  await gateway.addUser(NAME, { roles: ['plain'] });
  const body = { connector: 'okta', subject: 'ann' };
  await call(gateway.admin.send, identityRoutes.link, { params: { username: NAME }, body });
  await unlink(hal);

  expect(await ann()).toEqual({ roles: ['plain'], givenBy: undefined, authType: 'local' });
});

test('who may edit users unlinks themselves no more than others do', async () => {
  await gateway.save(mapping(['staff', ['plain', 'helping']]));
  const provided = gateway.browser();
  await gateway.signIn(provided, 'ann', { isFresh: true });
  await provided.open();
  const own = { code: 'conflict', message: expect.stringContaining('ask an administrator') };
  await expect(unlink(provided)).rejects.toMatchObject(own);

  const { tokenId: token } = await call(provided.send, passwordRoutes.createToken, {
    body: { name: NAME, type: 'password' },
  });
  const local = gateway.browser();
  await local.open();
  const password = Buffer.from('a password of ann').toString('base64');
  await call(local.send, passwordRoutes.useToken, { body: { token, password } });
  await local.open();
  await expect(unlink(local)).rejects.toMatchObject({
    ...own,
    message: expect.stringContaining("your roles come from 'okta'"),
  });
  expect(await ann()).toMatchObject({ givenBy: 'okta', authType: 'oidc' });
});
