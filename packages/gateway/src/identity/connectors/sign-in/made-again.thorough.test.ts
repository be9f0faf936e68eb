/** A connector is deleted and made again: its people find their own accounts, and nobody else finds them. */
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { distrustLinksAt } from '../../stores/linked-by.ts';
import { findUser } from '../../stores/user-store.ts';
import { createUserToken } from '../../stores/user-token-store.ts';
import { listIdentitiesOf } from '../stores/identity-store.ts';

const NAME = 'ann@acme.example';
const REFUSED = '/web/msg/error/login';

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway({
    accounts: { ann: ANN, namesake: ANN },
    connectors: ['okta', 'other'],
  });
  await gateway.save();
  expect(await signIn('ann')).toBe('/web');
});
afterEach(() => gateway.close());

const signIn = (account: string, connector = 'okta') => gateway.signIn(gateway.browser(), account, { connector });
const reason = async () => (await gateway.events()).findLast(({ code }) => code === 'T1001W')?.data.error;
const drop = (name = 'okta', browser: TestBrowser = gateway.admin) =>
  call(browser.send, oidcConnectorRoutes.remove, { params: { name } });
const removeUser = () => call(gateway.admin.send, userRecordRoutes.remove, { params: { username: NAME } });
const giveRoles = () =>
  call(gateway.admin.send, userRecordRoutes.update, { body: { name: NAME, roles: ['auditor'], traits: {} } });
const former = () => gateway.storage.db.selectFrom('former_identity').select('user').execute();

test('the same subject of the same issuer is who they were, with what the connector gives now', async () => {
  await drop();
  expect(await findUser(gateway.storage.db, NAME)).toMatchObject({ roles: [], authType: 'local' });
  await gateway.save();

  expect(await signIn('ann')).toBe('/web');
  expect(await findUser(gateway.storage.db, NAME)).toMatchObject({
    roles: ['access'],
    givenBy: 'okta',
    authType: 'oidc',
  });
  expect(await listIdentitiesOf(gateway.storage.db, NAME)).toMatchObject([{ subject: 'ann', linkedBy: 'provider' }]);
  expect(await former()).toEqual([]);
});

test('so they are when they are called otherwise over there by now, and another time', async () => {
  for (const email of ['ann.smith@acme.example', 'ann.jones@acme.example']) {
    await drop();
    await gateway.save();
    gateway.world.account('ann').email = email;
    expect(await signIn('ann')).toBe('/web');
    expect(await findUser(gateway.storage.db, email)).toBeUndefined();
  }
  expect(await findUser(gateway.storage.db, NAME)).toMatchObject({ roles: ['access'] });
});

test('also who was deleted before the connector was, or between', async () => {
  await drop();
  await removeUser();
  await gateway.save();
  expect(await signIn('ann')).toBe('/web');

  await removeUser();
  await drop();
  await gateway.save();
  gateway.world.account('ann').email = 'ann.smith@acme.example';
  expect(await signIn('ann')).toBe('/web');
  expect(await findUser(gateway.storage.db, NAME)).toMatchObject({ roles: ['access'] });
});

test('another subject of that name, and the same one through a connector of another name, are not them', async () => {
  await drop();
  await gateway.save();
  await gateway.save({}, 'other');

  expect(await signIn('namesake')).toContain(REFUSED);
  expect(await reason()).toContain(`'${NAME}' is a local account`);
  expect(await signIn('ann', 'other')).toContain(REFUSED);
  expect(await findUser(gateway.storage.db, NAME)).toMatchObject({ roles: [] });
});

test.each([
  ['issuer', { issuer: 'https://elsewhere.example' }],
  ['kind', { kind: 'saml' }],
])('a subject that was remembered of another %s is somebody else', async (_, other) => {
  await drop();
  await gateway.storage.db.updateTable('former_identity').set(other).execute();
  await gateway.save();

  expect(await signIn('ann')).toContain(REFUSED);
  expect(await findUser(gateway.storage.db, NAME)).toMatchObject({ roles: [] });
});

test('an account that got new credentials since is whose they are', async () => {
  await drop();
  await giveRoles();
  const { tokenId: token } = await gateway.storage.db
    .transaction()
    .execute((tx) => createUserToken(tx, { user: NAME, type: 'password', createdBy: 'admin', now: gateway.clock.now }));
  const browser = gateway.browser();
  await browser.open();
  await call(browser.send, passwordRoutes.useToken, {
    body: { token, password: Buffer.from('a password of somebody').toString('base64') },
  });
  expect(await former()).toEqual([]);
  await gateway.save();

  expect(await signIn('ann')).toContain(REFUSED);
});

test('an account that was linked to somebody since is theirs', async () => {
  await drop();
  await gateway.save({}, 'other');
  const link = { params: { username: NAME }, body: { connector: 'other', subject: 'namesake' } };
  await call(gateway.admin.send, identityRoutes.link, link);
  expect(await former()).toEqual([]);
  await gateway.save();

  expect(await signIn('ann')).toContain(REFUSED);
});

test('an account that somebody here gave other roles since is not left behind any more', async () => {
  await drop();
  await giveRoles();
  await gateway.save();

  expect(await signIn('ann')).toContain(REFUSED);
  expect(await findUser(gateway.storage.db, NAME)).toMatchObject({ roles: ['auditor'] });
});

test('who came by the word of somebody who may not edit roles is not remembered', async () => {
  await gateway.storage.db.transaction().execute((tx) => distrustLinksAt(tx, 'okta'));
  await drop();
  expect(await former()).toEqual([]);
});

test('nobody returns through a connector that somebody made who may not edit roles', async () => {
  for (const [name, allow] of [
    ['connecting', '{rules: [{resources: [auth_connector], verbs: ["*"]}]}'],
    ['plain', '{logins: [deploy], node_labels: {env: dev}}'],
  ])
    await call(gateway.admin.send, roleRoutes.create, {
      body: { content: `{kind: role, version: v6, metadata: {name: ${name}}, spec: {allow: ${allow}}}` },
    });
  await gateway.addUser('lim', { roles: ['connecting', 'plain'] });
  await drop();
  const lim = await gateway.signedIn('lim');
  const spec = { claims_to_roles: [{ claim: 'groups', value: 'staff', roles: ['plain'] }] };
  await call(lim.send, oidcConnectorRoutes.create, {
    body: { content: gateway.document({ ...spec, issuer_url: 'https://id.example.com' }) },
  });
  expect(await former()).toEqual([]);
});
