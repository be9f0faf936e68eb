/** Whom the provider lets go keeps nothing of what it gave: not by a passkey, a password, a token for scripts, nor after the connector is off or deleted. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { roleRoutes } from '@gatehouse/contract/access/roles/roles';
import { tellEvent } from '@gatehouse/contract/audit/tell-event';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { userListRoutes } from '@gatehouse/contract/identity/users/user-list';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import { enrolKey, PASSWORD, PROMPT } from '../../../../testing/identity-gateway.ts';
import type { SoftwareKey } from '../../../../testing/software-key.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const NAME = 'ann@acme.example';
const MINUTE = 60_000;
const DAY = 86_400_000;
const spec = { claims_to_roles: [{ claim: 'groups', value: 'staff', roles: ['editor'] }] };

let gateway: SsoGateway;
let ann: TestBrowser;
let key: SoftwareKey;
beforeEach(async () => {
  gateway = await startSsoGateway({ secondFactor: 'optional', accounts: { ann: ANN } });
  await gateway.save(spec);
  ann = gateway.browser();
  await gateway.signIn(ann, 'ann', { isFresh: true });
  await ann.open();
  const proof = await call(ann.send, passwordRoutes.createPrivilegeToken, { body: {} });
  key = await enrolKey(ann, proof, { deviceName: 'mine', deviceUsage: 'passwordless' });
});
afterEach(() => gateway.close());

async function byPasskey(): Promise<TestBrowser> {
  const browser = gateway.browser();
  await browser.open();
  const { webauthn_challenge } = await call(browser.send, mfaRoutes.beginLogin, { body: { passwordless: true } });
  const webauthnAssertionResponse = key.assert(webauthn_challenge!, PROMPT);
  await call(browser.send, mfaRoutes.finishLogin, { body: { webauthnAssertionResponse } });
  await browser.open();
  return browser;
}
async function withdraw() {
  await gateway.world.withdraw('ann');
  await round(16 * MINUTE);
}
async function round(afterMs = 0) {
  gateway.clock.advance(afterMs);
  await gateway.rechecks.runNow();
  await gateway.settled();
}
const rolesOf = async (name = NAME) => {
  const row = await gateway.storage.db
    .selectFrom('user')
    .select('roles')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return JSON.parse(row.roles);
};
const listRoles = (send: TestBrowser['send']) => call(send, roleRoutes.list, {});
const freshAdmin = () => gateway.signedIn('admin');
async function switchTo(enabled: boolean) {
  const admin = await freshAdmin();
  const content = gateway.document({ ...spec, enabled });
  await call(admin.send, oidcConnectorRoutes.update, { params: { name: 'okta' }, body: { content } });
  await gateway.settled();
}

test('a passkey brings nobody back whom the provider has let go, in words that say so, and it is told', async () => {
  await withdraw();

  expect(await rolesOf()).toEqual([]);
  await expect(byPasskey()).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining("'okta'") });
  const codes = (await gateway.events()).map(({ code }) => code);
  expect(codes).toContain('GH152I');
  expect(codes).toContain('T1003I');
});

test('a token for scripts gives nothing from the moment they are gone, and again what they have once they are back', async () => {
  const body = { name: 'ci', ttlSeconds: 20 * 86_400, scope: 'all' as const };
  const { token } = await call(ann.send, apiTokenRoutes.create, { body });
  const script = gateway.browser().sendWith({ authorization: `Bearer ${token}`, cookie: undefined });
  await listRoles(script);

  await withdraw();
  await expect(listRoles(script)).rejects.toMatchObject({ code: 'denied' });

  gateway.clock.now = Date.now();
  expect(await gateway.signIn(gateway.browser(), 'ann')).toBe('/web');
  await gateway.settled();
  expect(await rolesOf()).toEqual(['editor']);
  await listRoles(script);
});

test('what ended is told as it was: sign-ins through the connector or all of them, and what was taken back', async () => {
  const said = async () => {
    const { code, data } = (await gateway.events()).findLast((each) => each.code === 'GH152I')!;
    return tellEvent({ code, ...data }).message;
  };
  await withdraw();
  expect(await said()).toMatch(
    /^1 sign-in of ann@acme\.example through the connector okta ended, and what it gave them was taken back: /,
  );

  gateway.clock.now = Date.now();
  const back = gateway.browser();
  await gateway.signIn(back, 'ann');
  await back.open();
  await call(back.send, signInRoutes.signOut, {});
  const body = { name: 'ci', ttlSeconds: 20 * 86_400, scope: 'all' as const };
  const { token } = await call((await byPasskey()).send, apiTokenRoutes.create, { body });
  expect(token).toBeTruthy();
  await round(8 * DAY);
  expect(await said()).toMatch(
    /^\d sign-ins? of ann@acme\.example ended, which is all, also those not through the connector okta, and what it gave them was taken back: the provider has not confirmed them/,
  );

  gateway.clock.now = Date.now();
  await gateway.signIn(back, 'ann');
  await back.open();
  await call(back.send, signInRoutes.signOut, {});
  await switchTo(false);
  expect(await said()).toBe(
    'what the connector okta gave ann@acme.example was taken back: the connector was switched off',
  );
});

test('whoever comes by a passkey is asked about at once, however long nobody was here', async () => {
  await call(ann.send, signInRoutes.signOut, {});
  await round(16 * MINUTE);
  gateway.clock.now = Date.now();
  gateway.world.account('ann').groups = [];

  const back = await byPasskey();
  await round();

  expect(await rolesOf()).toEqual([]);
  await expect(listRoles(back.send)).rejects.toMatchObject({ code: 'denied' });
});

test('a connector that is switched off or deleted takes what it gave with it', async () => {
  await switchTo(false);
  expect(await rolesOf()).toEqual([]);
  await expect(byPasskey()).rejects.toMatchObject({ code: 'denied' });

  await switchTo(true);
  expect(await gateway.signIn(gateway.browser(), 'ann')).toBe('/web');
  expect(await rolesOf()).toEqual(['editor']);
  await byPasskey();

  const admin = await freshAdmin();
  await call(admin.send, oidcConnectorRoutes.remove, { params: { name: 'okta' } });
  expect(await rolesOf()).toEqual([]);
  await expect(byPasskey()).rejects.toMatchObject({ code: 'denied' });
});

test('whoever came through a connector that is deleted is called neither its user nor a local one, until somebody here gives them roles', async () => {
  const admin = await freshAdmin();
  const listed = async () => (await call(admin.send, userRoutes.list, {})).find(({ name }) => name === NAME);
  expect(await listed()).toMatchObject({ authType: 'oidc' });
  expect(await listed()).not.toHaveProperty('formerConnector');

  await call(admin.send, oidcConnectorRoutes.remove, { params: { name: 'okta' } });
  expect(await listed()).toMatchObject({ authType: 'local', roles: [], formerConnector: 'okta' });
  const record = call(admin.send, userRecordRoutes.get, { params: { username: NAME } });
  expect(await record).toMatchObject({ formerConnector: 'okta' });
  const stateOf = async () =>
    (await call(admin.send, userListRoutes.find, { query: { name: NAME }, params: { clusterId: '-current-' } }))
      .items[0]?.state;
  expect(await stateOf()).toBe('left-behind');

  const given = await call(admin.send, userRecordRoutes.update, { body: { name: NAME, roles: ['access'] } });
  expect(given).not.toHaveProperty('formerConnector');
  expect(await stateOf()).toBe('active');
  expect(await listed()).not.toHaveProperty('formerConnector');
});

test('whose connector is switched off is not called active, and is again once it is on and they have come', async () => {
  const stateOf = async () => {
    const admin = await freshAdmin();
    const query = { name: NAME };
    return (await call(admin.send, userListRoutes.find, { query, params: { clusterId: '-current-' } })).items[0];
  };
  expect(await stateOf()).toMatchObject({ state: 'active' });
  await switchTo(false);
  expect(await stateOf()).toMatchObject({ state: 'left-behind', closedConnector: 'okta', authType: 'oidc' });
  await switchTo(true);
  await gateway.signIn(gateway.browser(), 'ann');

  const item = await stateOf();
  expect(item).toMatchObject({ state: 'active' });
  expect(item).not.toHaveProperty('closedConnector');
});

test('whom nobody has confirmed for `keep` comes in by no other way, and loses what they had', async () => {
  await call(ann.send, signInRoutes.signOut, {});
  gateway.clock.advance(8 * DAY);
  await expect(byPasskey()).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining('too long') });

  await round();
  expect(await rolesOf()).toEqual([]);
});

test('a local account that is linked and has not come through the provider keeps what it was given here', async () => {
  await gateway.addUser('bob', { roles: ['access'] });
  const admin = await freshAdmin();
  const link = { params: { username: 'bob' }, body: { connector: 'okta', subject: 'bob' } };
  await call(admin.send, identityRoutes.link, link);
  await gateway.storage.db.updateTable('user_identity').set({ issuer: gateway.world.issuer }).execute();

  await round(8 * DAY);
  expect(await rolesOf('bob')).toEqual(['access']);
  await (await gateway.signedIn('bob')).open();
  await switchTo(false);
  expect(await rolesOf('bob')).toEqual(['access']);
});

test('the last administrator with a way of their own stays one, whatever becomes of the provider', async () => {
  await gateway.storage.db.deleteFrom('user').where('name', '=', 'admin').execute();
  await withdraw();
  expect(await rolesOf()).toEqual(['editor']);
  await byPasskey();

  await round(8 * DAY);
  expect(await rolesOf()).toEqual(['editor']);
  const back = await byPasskey();
  await listRoles(back.send);
});

test('a sign-out at the provider ends sign-ins and takes nothing back', async () => {
  await gateway.world.signOut('client-okta', 'ann');
  expect(await ann.open()).toBeUndefined();
  expect(await rolesOf()).toEqual(['editor']);
  await byPasskey();
});

test('nobody keeps what a provider gave by unlinking themselves', async () => {
  await gateway.storage.db
    .updateTable('user')
    .set({ password_hash: await gateway.passwords.hash(PASSWORD) })
    .where('name', '=', NAME)
    .execute();
  const back = await byPasskey();
  const unlink = call(back.send, identityRoutes.unlinkOwn, { params: { connector: 'okta' } });
  await expect(unlink).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('administrator') });
});
