/** Whoever had an account before its person did may have left a key in it: with a link to a provider no such key gets what that gives. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { ssoFactorRoutes } from '@gatehouse/contract/identity/connectors/factor-flow';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linkOwn } from '../../../../testing/connectors/link-own.ts';
import { ANN, ORIGIN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import { codeOf, enrolApp, enrolKey, PASSWORD } from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { listDevices } from '../../stores/device-store.ts';
import { recoveryStatus, replaceRecoveryCodes } from '../../stores/recovery-store.ts';
import { listSignIns } from '../../stores/sign-in-store.ts';
import { findUser } from '../../stores/user-store.ts';
import { listIdentitiesOf } from '../stores/identity-store.ts';

const EDITS = { claims_to_roles: [{ claim: 'groups', value: 'staff', roles: ['editor'] }] };
const encoded = (text: string) => Buffer.from(text).toString('base64');

let gateway: SsoGateway;
/** Has the account first, and knows its password. */
let hal: TestBrowser;
/** Its person, who got the password from them. */
let ann: TestBrowser;
beforeEach(async () => {
  gateway = await startSsoGateway({
    secondFactor: 'optional',
    accounts: { ann: ANN, hal: { ...ANN, email: 'hal@acme.example' } },
    connectors: ['okta', 'other'],
  });
  await gateway.save(EDITS);
  await gateway.save({}, 'other');
  await gateway.addUser('ann', { roles: ['access'] });
  hal = await gateway.signedIn('ann');
  ann = await gateway.signedIn('ann');
});
afterEach(() => gateway.close());

const keysOf = async (browser: TestBrowser, connector = 'okta') =>
  (await call(browser.send, identityRoutes.ownKeys, { query: { connector } })).keys;
const own = (browser: TestBrowser) => call(browser.send, identityRoutes.own, {});
const hasPassword = async () => (await findUser(gateway.storage.db, 'ann'))?.passwordHash !== undefined;
const devices = async () => (await listDevices(gateway.storage.db, 'ann')).map(({ name }) => name);
const signIns = async () => (await listSignIns(gateway.storage.db, 'ann', gateway.clock.now)).map(({ kind }) => kind);
const linksOf = async () => (await listIdentitiesOf(gateway.storage.db, 'ann')).map(({ connector }) => connector);
const makeToken = (browser: TestBrowser, name: string) =>
  call(browser.send, apiTokenRoutes.create, { body: { name, scope: 'all', ttlSeconds: 3600 } });
async function addPasskey(browser: TestBrowser, deviceName: string) {
  const proof = await call(browser.send, passwordRoutes.createPrivilegeToken, { body: {} });
  return enrolKey(browser, proof, { deviceUsage: 'passwordless', deviceName });
}
async function changePassword(browser: TestBrowser) {
  const body = { old_password: encoded(PASSWORD), new_password: encoded('one of her own') };
  await call(browser.send, passwordRoutes.change, { body });
}
const halMakesLink = async () =>
  (await call(gateway.admin.send, passwordRoutes.createToken, { body: { name: 'ann', type: 'password' } })).tokenId;
async function redeem(token: string): Promise<TestBrowser> {
  const browser = gateway.browser();
  await browser.open();
  await call(browser.send, passwordRoutes.useToken, { body: { token, password: encoded('a password of ann') } });
  await browser.open();
  return browser;
}

test('what she does not say to be hers ends with the link: password, passkeys, tokens, sign-ins and recovery codes', async () => {
  await makeToken(hal, 'script');
  await addPasskey(hal, 'planted');
  const { db } = gateway.storage;
  await db.transaction().execute((tx) => replaceRecoveryCodes(tx, 'ann', gateway.clock.now));
  const tokenId = await halMakesLink();
  expect(await linkOwn(gateway, await fresh(), {})).toContain('can be closed');

  await expect(own(hal)).rejects.toMatchObject({ status: 403 });
  expect(await signIns()).toEqual(['browser']);
  expect(await hasPassword()).toBe(false);
  expect(await devices()).toEqual([]);
  expect(await recoveryStatus(db, 'ann')).toMatchObject({ left: 0 });
  await expect(call(ann.send, passwordRoutes.readToken, { params: { tokenId } })).rejects.toMatchObject({
    fields: { reason: 'used' },
  });
  const ended = (await gateway.events()).findLast(({ code }) => code === 'GH152I');
  expect(ended?.data).toMatchObject({ name: 'ann', connector: 'okta', sign_ins: 2, all_ways: true });
  expect(ended?.data.reason).toContain("password, device 'planted', recovery codes");
});

/** Her sign-in counts as proven by a factor, though not by a device of the account. */
async function fresh(): Promise<TestBrowser> {
  await gateway.storage.db
    .updateTable('sign_in')
    .set({ mfa_at: gateway.clock.now })
    .where('kind', '=', 'browser')
    .execute();
  return ann;
}

test('she is shown each of them, with when and where it was made', async () => {
  await makeToken(hal, 'script');
  const keys = await keysOf(ann);

  const shown = { created: expect.any(String), lastUsed: expect.any(String), address: '127.0.0.1', mayStay: true };
  expect(keys).toContainEqual({ id: 'password', type: 'password', name: '', mayStay: false });
  const token = { type: 'token', name: 'script', scope: expect.any(String), expires: expect.any(String) };
  expect(keys).toContainEqual({ id: expect.any(String), ...token, ...shown });
  expect(keys.map(({ type }) => type).toSorted()).toEqual(['browser', 'browser', 'password', 'token']);
  expect(keys.filter(({ stays }) => stays === 'current')).toHaveLength(1);
});

test('of a device she is told from where it was added', async () => {
  await addPasskey(hal, 'planted');

  expect((await keysOf(ann)).find(({ name }) => name === 'planted')).toMatchObject({ address: '127.0.0.1' });
});

test('what she names stays', async () => {
  const token = await makeToken(ann, 'backup');
  await addPasskey(ann, 'blue key');
  const kept = (await keysOf(await fresh())).filter(({ name }) => name === 'backup' || name === 'blue key');
  await linkOwn(gateway, ann, { keep: kept.map(({ id }) => id) });

  expect(await devices()).toEqual(['blue key']);
  const left = await listSignIns(gateway.storage.db, 'ann', gateway.clock.now);
  expect(left.map(({ kind }) => kind).toSorted()).toEqual(['browser', 'token']);
  expect(left.some(({ id }) => id === token.id)).toBe(true);
});

test('a key that is made after she was asked is none that she named', async () => {
  const keep = (await keysOf(ann)).map(({ id }) => id);
  await linkOwn(gateway, ann, {
    keep,
    meanwhile: async () => {
      await makeToken(hal, 'late');
      await addPasskey(hal, 'late');
    },
  });

  expect(await devices()).toEqual([]);
  expect((await signIns()).toSorted()).toEqual(['browser', 'browser']);
});

test('the password she was given ends, also if she names it', async () => {
  await linkOwn(gateway, ann, { keep: ['password'] });

  expect(await hasPassword()).toBe(false);
});

test('one that she chose in this sign-in stays if she names it', async () => {
  await changePassword(ann);
  expect(await keysOf(ann)).toContainEqual({ id: 'password', type: 'password', name: '', mayStay: true });
  await linkOwn(gateway, ann, { keep: ['password'] });

  expect(await hasPassword()).toBe(true);
});

test('one that was chosen in another sign-in ends: whoever had that knows it', async () => {
  await changePassword(hal);
  const browser = gateway.browser();
  await browser.open();
  await browser.signIn('ann', 'one of her own');
  await linkOwn(gateway, browser, { keep: ['password'] });

  expect(await hasPassword()).toBe(false);
});

test('the device that she has just used stays; others beside it end', async () => {
  await addPasskey(hal, 'planted');
  const secret = await enrolAppWith(hal);
  gateway.clock.advance(30_000);
  await call(ann.send, passwordRoutes.createPrivilegeToken, {
    body: { secondFactorToken: codeOf(secret, gateway.clock.now) },
  });
  // The provider lives by the machine's clock, and has to say that she signed in just now.
  gateway.clock.now = Date.now();
  expect(await linkOwn(gateway, ann)).toContain('can be closed');

  expect(await devices()).toEqual(['phone']);
});

/** A second device needs a proof by the first: as the store would have it, once that was given. */
async function enrolAppWith(browser: TestBrowser): Promise<string> {
  const { db } = gateway.storage;
  const held = await db.selectFrom('mfa_device').selectAll().execute();
  await db.deleteFrom('mfa_device').execute();
  const secret = await enrolApp(gateway, browser);
  if (held.length > 0) await db.insertInto('mfa_device').values(held).execute();
  return secret;
}

test('a link that whoever had the account made for themselves ends too, and what it gave is taken back', async () => {
  await linkOwn(gateway, hal, {
    connector: 'other',
    account: 'hal',
    keep: (await keysOf(hal, 'other')).map(({ id }) => id),
  });
  await gateway.signIn(gateway.browser(), 'hal', { connector: 'other' });
  expect((await findUser(gateway.storage.db, 'ann'))?.givenBy).toBe('other');
  expect((await keysOf(ann)).find(({ type }) => type === 'link')).toMatchObject({ name: 'other', givesRoles: true });
  await linkOwn(gateway, ann);

  expect(await linksOf()).toEqual(['okta']);
  expect((await findUser(gateway.storage.db, 'ann'))?.roles).toEqual([]);
  expect(await gateway.signIn(gateway.browser(), 'hal', { connector: 'other' })).toBe('/web');
  expect(await linksOf()).toEqual(['okta']);
});

test('the last administrator keeps the ways in that they have, unless they name one of their own', async () => {
  const admin = gateway.admin;
  const { isLastAdministrator } = await call(admin.send, identityRoutes.ownKeys, { query: { connector: 'okta' } });
  expect(isLastAdministrator).toBe(true);
  await linkOwn(gateway, admin, {});

  expect((await findUser(gateway.storage.db, 'admin'))?.passwordHash).toBeDefined();
});

test('a script cannot ask what opens its owner’s account', async () => {
  const { token } = await makeToken(ann, 'script');
  const { statusCode } = await gateway.app.inject({
    url: '/v1/webapi/sso/keys?connector=okta',
    headers: { host: 'localhost:3080', authorization: `Bearer ${token}` },
  });

  expect(statusCode).toBe(403);
});

test('new credentials leave no way through a provider to whoever had the account before', async () => {
  await linkOwn(gateway, hal, { connector: 'other', account: 'hal' });
  expect(await gateway.signIn(gateway.browser(), 'hal', { connector: 'other' })).toBe('/web');
  const person = await redeem(await halMakesLink());

  expect(await gateway.signIn(gateway.browser(), 'hal', { connector: 'other' })).toContain('/web/msg/error/login');
  expect(await own(person)).toMatchObject([{ connector: 'other', isDoubted: true }]);
  const told = (await gateway.events()).findLast(
    ({ code }) => code === 'T1010W' || code === 'T1011W' || code === 'T1001W',
  );
  expect(JSON.stringify(told?.data)).toContain('got new credentials');
  // It stands in the way of nobody: who has the account links themselves there, and the other is gone.
  await linkOwn(gateway, person, { connector: 'other', account: 'ann' });
  expect(await own(person)).toMatchObject([{ connector: 'other', subject: 'ann' }]);
  expect(await own(person)).not.toMatchObject([{ isDoubted: true }]);
});

test('who has the new credentials confirms the link by proving to be the same at the provider', async () => {
  await gateway.signIn(gateway.browser(), 'hal', { connector: 'other' });
  const name = 'hal@acme.example';
  const { tokenId } = await call(gateway.admin.send, passwordRoutes.createToken, { body: { name, type: 'password' } });
  const person = await redeem(tokenId);
  expect(await gateway.signIn(gateway.browser(), 'hal', { connector: 'other' })).toContain('/web/msg/error/login');
  await linkOwn(gateway, person, { connector: 'other', account: 'hal', keep: ['password'] });

  expect(await gateway.signIn(gateway.browser(), 'hal', { connector: 'other' })).toBe('/web');
  expect((await findUser(gateway.storage.db, name))?.passwordHash).toBeDefined();
});

test('linked again by an administrator, the first who comes has the account, and whoever got the credentials is out', async () => {
  await linkOwn(gateway, ann, { connector: 'other', account: 'ann' });
  const holder = await redeem(await halMakesLink());
  const link = { params: { username: 'ann' }, body: { connector: 'other', subject: 'ann' } };
  await call(gateway.admin.send, identityRoutes.link, link);
  expect(await gateway.signIn(gateway.browser(), 'ann', { connector: 'other' })).toBe('/web');

  await expect(own(holder)).rejects.toMatchObject({ status: 403 });
  expect(await hasPassword()).toBe(false);
});

test('a recheck gives nothing to an account that somebody else may have by now, and takes what is taken', async () => {
  const name = 'hal@acme.example';
  const { db } = gateway.storage;
  await gateway.signIn(gateway.browser(), 'hal', { connector: 'other' });
  const { tokenId } = await call(gateway.admin.send, passwordRoutes.createToken, { body: { name, type: 'password' } });
  await redeem(tokenId);
  const becomes = async (roles: string[]) => {
    const content = gateway.document({ claims_to_roles: [{ claim: 'groups', value: 'staff', roles }] }, 'other');
    await call(gateway.admin.send, oidcConnectorRoutes.update, { params: { name: 'other' }, body: { content } });
    await db.updateTable('user_identity').set({ next_recheck: gateway.clock.now }).execute();
    await gateway.rechecks.runNow();
    return (await findUser(db, name))?.roles;
  };

  expect(await becomes(['access', 'editor'])).toEqual(['access']);
  expect(await becomes(['editor'])).toEqual([]);
});

test('a device of the account confirms the link where the connector asks for one, and nothing else of it stays', async () => {
  await linkOwn(gateway, ann, { connector: 'other', account: 'ann' });
  const person = await redeem(await halMakesLink());
  const secret = await enrolApp(gateway, person);
  const content = gateway.document({ mfa: 'gateway' }, 'other');
  await call(gateway.admin.send, oidcConnectorRoutes.update, { params: { name: 'other' }, body: { content } });
  const browser = gateway.browser();
  await browser.open();
  const at = await gateway.signIn(browser, 'ann', { connector: 'other' });
  const code = new URL(at, ORIGIN).searchParams.get('sso') ?? '';
  gateway.clock.advance(30_000);
  await call(browser.send, ssoFactorRoutes.answer, { body: { code, totp: codeOf(secret, gateway.clock.now) } });

  expect(await devices()).toEqual(['phone']);
  expect(await hasPassword()).toBe(false);
  await expect(own(person)).rejects.toMatchObject({ status: 403 });
  await browser.open();
  expect(await own(browser)).not.toMatchObject([{ isDoubted: true }]);
});
