/** An account that an administrator links belongs to whoever comes through the link: nobody who had a key to it before keeps that. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { ssoFactorRoutes } from '@gatehouse/contract/identity/connectors/factor-flow';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, ORIGIN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import { codeOf, enrolApp, enrolKey } from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';
import { listDevices } from '../../stores/device-store.ts';
import { recoveryStatus, replaceRecoveryCodes } from '../../stores/recovery-store.ts';
import { listSignIns } from '../../stores/sign-in-store.ts';
import { findUser, setPasswordHash } from '../../stores/user-store.ts';

const EDITS = { claims_to_roles: [{ claim: 'groups', value: 'staff', roles: ['editor'] }] };

let gateway: SsoGateway;
/** Whoever had the account before. */
let before: TestBrowser;
beforeEach(async () => {
  gateway = await startSsoGateway({ secondFactor: 'optional', accounts: { ann: ANN } });
  await gateway.save(EDITS);
  await gateway.addUser('ann');
  before = await gateway.signedIn('ann');
});
afterEach(() => gateway.close());

const link = (username: string) =>
  call(gateway.admin.send, identityRoutes.link, { params: { username }, body: { connector: 'okta', subject: 'ann' } });
const own = (browser: TestBrowser) => call(browser.send, identityRoutes.own, {});
const hasPassword = async (name: string) => (await findUser(gateway.storage.db, name))?.passwordHash !== undefined;
const signInsOf = async (name: string) =>
  (await listSignIns(gateway.storage.db, name, gateway.clock.now)).map(
    ({ through, kind }) => through?.connector ?? kind,
  );

async function fillWithKeys() {
  const { db } = gateway.storage;
  const proof = await call(before.send, passwordRoutes.createPrivilegeToken, { body: {} });
  await enrolKey(before, proof, { deviceUsage: 'passwordless' });
  await db.transaction().execute((tx) => replaceRecoveryCodes(tx, 'ann', gateway.clock.now));
}

test('sign-ins, tokens, password, passkeys, recovery codes and links from before end at the first sign-in through it', async () => {
  const { db } = gateway.storage;
  await call(before.send, apiTokenRoutes.create, { body: { name: 'script', scope: 'all', ttlSeconds: 3600 } });
  await fillWithKeys();
  const { tokenId } = await call(gateway.admin.send, passwordRoutes.createToken, {
    body: { name: 'ann', type: 'password' },
  });
  await link('ann');
  // Whoever has it goes on until somebody comes.
  expect(await own(before)).toHaveLength(1);

  expect(await gateway.signIn(gateway.browser(), 'ann')).toBe('/web');

  await expect(own(before)).rejects.toMatchObject({ status: 403 });
  expect(await signInsOf('ann')).toEqual(['okta']);
  expect(await hasPassword('ann')).toBe(false);
  expect(await listDevices(db, 'ann')).toEqual([]);
  expect(await recoveryStatus(db, 'ann')).toMatchObject({ left: 0 });
  await expect(gateway.signedIn('ann')).rejects.toThrow();
  await expect(call(before.send, passwordRoutes.readToken, { params: { tokenId } })).rejects.toMatchObject({
    fields: { reason: 'used' },
  });
  const codes = (await gateway.events()).map(({ code }) => code);
  expect(codes).toContain('T1007I');
  const ended = (await gateway.events()).findLast(({ code }) => code === 'GH152I');
  expect(ended?.data).toMatchObject({ name: 'ann', connector: 'okta', subject: 'ann', sign_ins: 2 });
  expect(ended?.data.reason).toContain('password');
});

test('what they choose afterwards is theirs, and stays at the next sign-in', async () => {
  await link('ann');
  await gateway.signIn(gateway.browser(), 'ann');
  await gateway.storage.db
    .transaction()
    .execute(async (tx) => setPasswordHash(tx, 'ann', await gateway.passwords.hash('a new one')));
  await gateway.signIn(gateway.browser(), 'ann');

  expect(await hasPassword('ann')).toBe(true);
  expect(await signInsOf('ann')).toEqual(['okta', 'okta']);
});

test('a link that is theirs for long hands the account over again once an administrator links it by its subject', async () => {
  await link('ann');
  await gateway.signIn(gateway.browser(), 'ann');
  // As links from before others were asked about: everything of before stayed beside them.
  await gateway.storage.db.updateTable('user_identity').set({ linked_by: 'self' }).execute();
  await gateway.storage.db
    .transaction()
    .execute(async (tx) => setPasswordHash(tx, 'ann', await gateway.passwords.hash('a planted one')));
  const linked = await link('ann');
  expect(linked).not.toHaveProperty('confirmed');
  expect(await gateway.signIn(gateway.browser(), 'ann')).toBe('/web');

  expect(await hasPassword('ann')).toBe(false);
  expect(await signInsOf('ann')).toEqual(['okta']);
});

test('who answers with a second factor of the account keeps that one: others may be of whoever had the account before', async () => {
  const secret = await enrolApp(gateway, before);
  const { db } = gateway.storage;
  const [phone] = await db.selectFrom('mfa_device').selectAll().execute();
  await db
    .insertInto('mfa_device')
    .values({ ...phone!, id: 'planted', name: 'planted', sealed_secret: '', usage: 'passwordless', type: 'WebAuthn' })
    .execute();
  await call(gateway.admin.send, oidcConnectorRoutes.update, {
    params: { name: 'okta' },
    body: { content: gateway.document({ ...EDITS, mfa: 'gateway' }) },
  });
  await link('ann');
  const browser = gateway.browser();
  await browser.open();
  const code = new URL(await gateway.signIn(browser, 'ann'), ORIGIN).searchParams.get('sso') ?? '';
  await call(browser.send, ssoFactorRoutes.answer, { body: { code, totp: codeOf(secret, gateway.clock.now) } });

  expect(await hasPassword('ann')).toBe(false);
  expect(await listDevices(db, 'ann')).toMatchObject([{ name: 'phone' }]);
  await expect(own(before)).rejects.toMatchObject({ status: 403 });
});

test('the last administrator with a way of their own in keeps it', async () => {
  await link('admin');
  await gateway.signIn(gateway.browser(), 'ann');

  expect(await hasPassword('admin')).toBe(true);
  await expect(own(gateway.admin)).rejects.toMatchObject({ status: 403 });
  await gateway.signedIn('admin');
});

test('not where another administrator has one', async () => {
  await gateway.addUser('rescue', { roles: ['editor'] });
  await link('admin');
  await gateway.signIn(gateway.browser(), 'ann');

  expect(await hasPassword('admin')).toBe(false);
});

test('nor who is an administrator by that sign-in alone: the password may be of somebody who waited for it', async () => {
  await link('ann');
  await gateway.storage.db.transaction().execute((tx) => setPasswordHash(tx, 'admin', null));
  await gateway.signIn(gateway.browser(), 'ann');

  expect(await findUser(gateway.storage.db, 'ann')).toMatchObject({ roles: ['editor'], passwordHash: undefined });
});
