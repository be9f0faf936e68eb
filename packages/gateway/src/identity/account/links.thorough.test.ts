import { userInfo } from 'node:os';
import { lockRoutes } from '@gatehouse/contract/access/locks/locks';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { recoveryRoutes } from '@gatehouse/contract/identity/recovery';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { userRecordRoutes } from '@gatehouse/contract/identity/users/user-records';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { ZERO_TIME } from '@gatehouse/contract/std/dates';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, expect, test } from 'vitest';
import {
  codeOf,
  type IdentityGateway,
  PASSWORD,
  PROMPT,
  startIdentityGateway,
} from '../../../testing/identity-gateway.ts';
import { createSoftwareKey } from '../../../testing/software-key.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { verifyChain } from '../../platform/audit/chain.ts';

let gateway: IdentityGateway;
afterEach(() => gateway.close());

const HOUR_MS = 3_600_000;
const STEP_MS = 30_000;
const base64 = (text: string) => Buffer.from(text).toString('base64');

function tokenIn(link: string): string {
  return link.split('/').at(-1) ?? '';
}

async function firstLink(): Promise<string> {
  const invite = await gateway.identity.firstAdminInvite();
  return tokenIn(invite?.inviteUrl ?? '');
}

async function read(browser: TestBrowser, tokenId: string) {
  return call(browser.send, passwordRoutes.readToken, { params: { tokenId } });
}

/** Sets a password and an authenticator app by a link. */
async function redeem(browser: TestBrowser, token: string, password: string | null = PASSWORD) {
  await browser.open();
  const { totpSecret } = await read(browser, token);
  const reply = await call(browser.send, passwordRoutes.useToken, {
    body: {
      token,
      password: password === null ? null : base64(password),
      second_factor_token: codeOf(totpSecret, gateway.clock.now),
      deviceName: 'phone',
    },
  });
  gateway.clock.advance(STEP_MS);
  await browser.open();
  return { codes: reply.recovery.codes ?? [], secret: totpSecret };
}

async function resetLink(admin: TestBrowser, name: string): Promise<string> {
  const { tokenId } = await call(admin.send, passwordRoutes.createToken, { body: { name, type: 'password' } });
  return tokenId;
}

test('the first start makes a link, its user becomes administrator, and then there is no link any more', async () => {
  gateway = await startIdentityGateway({ secondFactor: 'on' });
  const invite = await gateway.identity.firstAdminInvite();
  expect(invite).toEqual({
    name: 'admin',
    inviteUrl: expect.stringMatching(/^http:\/\/localhost:3080\/web\/invite\/[0-9a-f]{64}$/),
    expires: new Date(gateway.clock.now + 48 * HOUR_MS).toISOString(),
  });
  const browser = gateway.browser();

  const { codes } = await redeem(browser, tokenIn(invite?.inviteUrl ?? ''));

  expect(codes).toHaveLength(8);
  expect(await call(browser.send, userRoutes.list, {})).toEqual([
    {
      name: 'admin',
      roles: ['access', 'auditor', 'editor'],
      authType: 'local',
      factors: ['app'],
      lastSignIn: expect.stringContaining('2026-01-01T00:00:00'),
    },
  ]);
  // Whoever started the gateway can open a shell as themselves on the machine it runs on: the first server.
  const { traits } = await call(browser.send, userRecordRoutes.get, { params: { username: 'admin' } });
  expect(traits).toMatchObject({ logins: [userInfo().username] });
  expect(await gateway.identity.firstAdminInvite()).toBeUndefined();
});

test('a second start before anybody signed in makes a new link and the old one stops working', async () => {
  gateway = await startIdentityGateway();
  const first = await firstLink();
  const second = await firstLink();
  const browser = gateway.browser();

  await expect(read(browser, first)).rejects.toMatchObject({ status: 403, fields: { reason: 'used' } });
  expect(await read(browser, second)).toMatchObject({ user: 'admin', type: 'invite', expiry: ZERO_TIME });
});

test('a link that is unknown, used or expired says which', async () => {
  gateway = await startIdentityGateway({ secondFactor: 'on' });
  const link = await firstLink();
  const browser = gateway.browser();

  await expect(read(browser, 'f'.repeat(64))).rejects.toMatchObject({ status: 403, fields: { reason: 'unknown' } });
  gateway.clock.advance(48 * HOUR_MS);
  await expect(read(browser, link)).rejects.toMatchObject({ status: 403, fields: { reason: 'expired' } });
  const fresh = await firstLink();
  await redeem(browser, fresh);
  await expect(read(browser, fresh)).rejects.toMatchObject({ status: 403, fields: { reason: 'used' } });
});

test('an invite lives one hour and a reset link eight', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('root', { roles: ['editor'] });
  const root = await gateway.signedIn('root');
  await gateway.addUser('ann');

  const lives = async (type: 'invite' | 'password') => {
    const { expiry, link } = await call(root.send, passwordRoutes.createToken, { body: { name: 'ann', type } });
    expect(link).toContain(type === 'invite' ? '/web/invite/' : '/web/reset/');
    return (Date.parse(expiry) - gateway.clock.now) / HOUR_MS;
  };

  expect([await lives('invite'), await lives('password')]).toEqual([1, 8]);
});

test('reading a link changes its QR code, so that only the last one shown can be enrolled', async () => {
  gateway = await startIdentityGateway({ secondFactor: 'otp' });
  const token = await firstLink();
  const browser = gateway.browser();
  await browser.open();
  const first = await read(browser, token);
  const second = await read(browser, token);
  const use = (secret: string) =>
    call(browser.send, passwordRoutes.useToken, {
      body: { token, password: base64(PASSWORD), second_factor_token: codeOf(secret, gateway.clock.now) },
    });

  expect(second.qrCode).not.toBe(first.qrCode);
  await expect(use(first.totpSecret)).rejects.toMatchObject({ status: 400 });
  expect((await use(second.totpSecret)).recovery.codes).toHaveLength(8);
});

test('the code that enrolled an app does not also sign in', async () => {
  gateway = await startIdentityGateway({ secondFactor: 'on' });
  const browser = gateway.browser();
  const { secret } = await redeem(browser, await firstLink());
  const enrolledWith = codeOf(secret, gateway.clock.now - STEP_MS);

  await expect(gateway.browser().signIn('admin', PASSWORD, enrolledWith)).rejects.toMatchObject({ code: 'denied' });
});

test('where a factor is required a link without one is refused, and the last device cannot be removed', async () => {
  gateway = await startIdentityGateway({ secondFactor: 'on' });
  const token = await firstLink();
  const browser = gateway.browser();
  await browser.open();
  const without = call(browser.send, passwordRoutes.useToken, { body: { token, password: base64(PASSWORD) } });
  await expect(without).rejects.toMatchObject({ message: expect.stringContaining('second factor is required') });

  const { secret } = await redeem(browser, token);

  const tokenId = await call(browser.send, passwordRoutes.createPrivilegeToken, {
    body: { secondFactorToken: codeOf(secret, gateway.clock.now) },
  });
  const remove = call(browser.send, mfaRoutes.removeDevice, { params: { tokenId, deviceName: 'phone' } });
  await expect(remove).rejects.toMatchObject({ status: 400, message: expect.stringContaining('last device') });
});

test('an invited user may go without password by a passkey, whose removal is then refused', async () => {
  gateway = await startIdentityGateway({ secondFactor: 'optional' });
  const token = await firstLink();
  const browser = gateway.browser();
  await browser.open();
  const key = createSoftwareKey();
  const begin = async (deviceUsage: 'mfa' | 'passwordless') => {
    const body = { deviceType: 'webauthn' as const, deviceUsage };
    const { webauthn } = await call(browser.send, mfaRoutes.registerChallenge, { params: { tokenId: token }, body });
    return key.register(webauthn!, PROMPT);
  };
  const use = (webauthnCreationResponse: Awaited<ReturnType<typeof begin>>) =>
    call(browser.send, passwordRoutes.useToken, { body: { token, password: null, webauthnCreationResponse } });

  await expect(use(await begin('mfa'))).rejects.toMatchObject({ message: expect.stringContaining('passkey') });
  await use(await begin('passwordless'));

  await browser.open();
  expect(await call(browser.send, mfaRoutes.devices, {})).toMatchObject([{ name: 'passkey', passwordless: true }]);
  const challenge = await call(browser.send, mfaRoutes.challenge, {});
  const webauthnAssertionResponse = key.assert(challenge.webauthn_challenge!, PROMPT);
  const tokenId = await call(browser.send, passwordRoutes.createPrivilegeToken, {
    body: { webauthnAssertionResponse },
  });
  const remove = call(browser.send, mfaRoutes.removeDevice, { params: { tokenId, deviceName: 'passkey' } });
  await expect(remove).rejects.toMatchObject({ message: expect.stringContaining('last passkey') });
});

test('a reset ends every sign-in of the user and replaces password and device', async () => {
  gateway = await startIdentityGateway({ secondFactor: 'on' });
  const admin = gateway.browser();
  await redeem(admin, await firstLink());
  const invite = await call(admin.send, userRoutes.invite, { body: { name: 'ann', roles: ['access'] } });
  const ann = gateway.browser();
  const { secret: oldSecret } = await redeem(ann, tokenIn(invite.inviteUrl));

  const again = gateway.browser();
  const { secret } = await redeem(again, await resetLink(admin, 'ann'), 'another password');

  await expect(call(ann.send, signInRoutes.status, {})).rejects.toMatchObject({ code: 'not_signed_in' });
  expect(await call(again.send, signInRoutes.status, {})).toEqual({ message: 'ok' });
  const browser = gateway.browser();
  const oldWay = browser.signIn('ann', PASSWORD, codeOf(oldSecret, gateway.clock.now));
  await expect(oldWay).rejects.toMatchObject({ code: 'denied' });
  expect(await browser.signIn('ann', 'another password', codeOf(secret, gateway.clock.now))).toMatchObject({
    type: 'Bearer',
  });
});

test('nobody makes a link for someone who may do more than they', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('boss', { roles: ['editor'] });
  await gateway.addUser('helper', { roles: ['access'] });
  const { db } = gateway.storage;
  const helper = await gateway.signedIn('helper');
  const boss = await gateway.signedIn('boss');

  await expect(resetLink(helper, 'boss')).rejects.toMatchObject({ code: 'denied' });
  expect(await resetLink(boss, 'helper')).toMatch(/^[0-9a-f]{64}$/);
  await expect(resetLink(boss, 'nobody')).rejects.toMatchObject({ status: 404 });
  await expect(
    call(boss.send, userRoutes.invite, { body: { name: 'new', roles: ['no-such-role'] } }),
  ).rejects.toMatchObject({ status: 400 });
  expect(await db.selectFrom('user').select('name').where('name', '=', 'new').execute()).toEqual([]);
});

test('a recovery code with the password gives a link that asks for a new device and keeps the password', async () => {
  gateway = await startIdentityGateway({ secondFactor: 'on' });
  const browser = gateway.browser();
  const { codes } = await redeem(browser, await firstLink());
  const begin = (code: string, pass?: string) =>
    call(browser.send, recoveryRoutes.begin, { body: { user: 'admin', pass, code } });
  const [code = ''] = codes;

  await expect(begin(code)).rejects.toMatchObject({ code: 'denied' });
  await expect(begin(code, 'wrong-password')).rejects.toMatchObject({ code: 'denied' });
  await expect(begin('AAAAA-AAAAA-AAAAA-AAAAA', PASSWORD)).rejects.toMatchObject({ code: 'denied' });
  const { tokenId } = await begin(code.toLowerCase().replaceAll('-', ' '), PASSWORD);
  await expect(begin(code, PASSWORD)).rejects.toMatchObject({ code: 'denied' });

  const elsewhere = gateway.browser();
  await elsewhere.open();
  expect(await read(elsewhere, tokenId)).toMatchObject({ type: 'recovery', user: 'admin' });
  const bare = call(elsewhere.send, passwordRoutes.useToken, { body: { token: tokenId } });
  await expect(bare).rejects.toMatchObject({ status: 400 });
  const { secret, codes: fresh } = await redeem(elsewhere, tokenId, null);

  expect(await call(elsewhere.send, recoveryRoutes.status, {})).toMatchObject({ left: 8 });
  expect(fresh).not.toContain(code);
  expect(await gateway.browser().signIn('admin', PASSWORD, codeOf(secret, gateway.clock.now))).toMatchObject({
    type: 'Bearer',
  });
});

test('new recovery codes need a privilege token and replace the old', async () => {
  gateway = await startIdentityGateway({ secondFactor: 'on' });
  const browser = gateway.browser();
  const { codes, secret } = await redeem(browser, await firstLink());
  const tokenId = await call(browser.send, passwordRoutes.createPrivilegeToken, {
    body: { secondFactorToken: codeOf(secret, gateway.clock.now) },
  });

  const fresh = await call(browser.send, recoveryRoutes.createCodes, { body: { tokenId } });

  expect(fresh.codes).toHaveLength(8);
  expect(fresh.codes.some((code) => codes.includes(code))).toBe(false);
  await expect(
    call(browser.send, recoveryRoutes.begin, { body: { user: 'admin', pass: PASSWORD, code: codes[0] ?? '' } }),
  ).rejects.toMatchObject({ code: 'denied' });
});

test('the whole life leaves its events, chained, and no secret in them or in the log', async () => {
  gateway = await startIdentityGateway({ secondFactor: 'on' });
  const admin = gateway.browser();
  const invite = await gateway.identity.firstAdminInvite();
  const token = tokenIn(invite?.inviteUrl ?? '');
  const { codes, secret } = await redeem(admin, token);
  const reset = await resetLink(admin, 'admin');
  await gateway
    .browser()
    .signIn('admin', 'wrong-password', '123456')
    .catch(() => undefined);
  const used = codes[0] ?? '';
  const { tokenId } = await call(admin.send, recoveryRoutes.begin, {
    body: { user: 'admin', pass: PASSWORD, code: used },
  });
  const cookie = admin.cookies.get('session');
  await call(admin.send, signInRoutes.signOut, {});

  const rows = await gateway.storage.db.selectFrom('event').selectAll().orderBy('id').execute();
  const changes = await gateway.storage.db.selectFrom('change').selectAll().execute();
  const everything = [JSON.stringify(rows), JSON.stringify(changes), gateway.logged()].join('\n');

  expect(rows.map(({ code }) => code)).toEqual([
    'T1002I',
    'T6000I',
    'T1005I',
    'T1006I',
    'T1008I',
    'T1000I',
    'T6000I',
    'T1000W',
    'T1009I',
    'T6001I',
    'GH100I',
  ]);
  const secrets = [token, reset, tokenId, secret, PASSWORD, base64(PASSWORD), 'wrong-password', admin.bearer, cookie];
  for (const hidden of [...secrets, ...codes]) if (hidden) expect(everything).not.toContain(hidden);
  expect(await verifyChain(gateway.storage.db, 'gateway')).toEqual({ ok: true, length: rows.length });
});

test('nothing that opens an account lies readable in the store', async () => {
  gateway = await startIdentityGateway({ secondFactor: 'on' });
  const admin = gateway.browser();
  const token = await firstLink();
  const { codes, secret } = await redeem(admin, token);
  const { sid } = JSON.parse(Buffer.from(admin.cookies.get('session') ?? '', 'hex').toString('utf8'));

  const tables = ['user', 'user_token', 'mfa_device', 'recovery_code', 'sign_in', 'sign_in_secret'] as const;
  const stored = await Promise.all(tables.map((table) => gateway.storage.db.selectFrom(table).selectAll().execute()));

  const text = JSON.stringify(stored);
  for (const hidden of [token, secret, sid, admin.bearer ?? '', PASSWORD, ...codes]) expect(text).not.toContain(hidden);
});

test('as soon as anybody can sign in, no start hands out the first administrator any more', async () => {
  gateway = await startIdentityGateway();
  await firstLink();
  await gateway.addUser('ann');

  expect(await gateway.identity.firstAdminInvite()).toBeUndefined();
});

test.each<[string, (root: TestBrowser) => Promise<unknown>]>([
  [
    'loses the right',
    (root) => call(root.send, userRecordRoutes.update, { body: { name: 'eve', roles: ['access'], traits: {} } }),
  ],
  [
    'is locked',
    (root) =>
      call(root.send, lockRoutes.create, { params: { clusterId: '-current-' }, body: { targets: { user: 'eve' } } }),
  ],
  ['is deleted', (root) => call(root.send, userRecordRoutes.remove, { params: { username: 'eve' } })],
])('links stop working when who made them %s', async (_, takeAway) => {
  gateway = await startIdentityGateway();
  await gateway.addUser('root', { roles: ['editor'] });
  await gateway.addUser('eve', { roles: ['editor', 'access'] });
  await gateway.addUser('ann', { roles: ['access'] });
  const [root, eve, browser] = [await gateway.signedIn('root'), await gateway.signedIn('eve'), gateway.browser()];
  const { inviteUrl } = await call(eve.send, userRoutes.invite, {
    body: { name: 'bob', roles: ['access'] } as never,
  });
  const links = [await resetLink(eve, 'ann'), tokenIn(inviteUrl)];
  for (const link of links) await read(browser, link);

  await takeAway(root);

  await browser.open();
  for (const token of links) {
    await expect(read(browser, token)).rejects.toMatchObject({ status: 403, fields: { reason: 'expired' } });
    const used = call(browser.send, passwordRoutes.useToken, { body: { token, password: base64('another password') } });
    await expect(used).rejects.toMatchObject({ status: 403, fields: { reason: 'expired' } });
  }
  // What somebody else makes works.
  expect(await read(browser, await resetLink(root, 'ann'))).toMatchObject({ user: 'ann' });
});

test('what was proven under a sign-in and not used yet is over with it', async () => {
  gateway = await startIdentityGateway({ secondFactor: 'optional' });
  await gateway.addUser('ann');
  const ann = await gateway.signedIn('ann');
  const proven = () => call(ann.send, passwordRoutes.createPrivilegeToken, { body: {} });
  const devices = (tokenId: string) => call(gateway.browser().send, mfaRoutes.tokenDevices, { params: { tokenId } });
  const tokenId = await proven();
  expect(await devices(tokenId)).toEqual([]);

  await call(ann.send, signInRoutes.signOut, {});

  await expect(devices(tokenId)).rejects.toMatchObject({ status: 403, fields: { reason: 'used' } });
});
