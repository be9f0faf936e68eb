import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { isForSignedIn } from '@gatehouse/contract/identity/signed-in-challenge';
import { ZERO_TIME } from '@gatehouse/contract/std/dates';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, expect, test } from 'vitest';
import {
  codeOf,
  enrolApp,
  enrolKey,
  type IdentityGateway,
  PASSWORD,
  PROMPT,
  startIdentityGateway,
} from '../../../testing/identity-gateway.ts';
import type { SoftwareKey } from '../../../testing/software-key.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let gateway: IdentityGateway;
afterEach(() => gateway.close());

const STEP_MS = 30_000;

async function start(): Promise<TestBrowser> {
  gateway = await startIdentityGateway({ secondFactor: 'optional' });
  await gateway.addUser('ann');
  return gateway.signedIn('ann');
}

async function privilege(browser: TestBrowser, code?: string): Promise<string> {
  const body = code === undefined ? {} : { secondFactorToken: code };
  return call(browser.send, passwordRoutes.createPrivilegeToken, { body });
}

/** Password, then the key. */
async function keySignIn(browser: TestBrowser, key: SoftwareKey, names: { user?: string; as?: string } = {}) {
  const { user = 'ann' } = names;
  const as = names.as ?? user;
  await browser.open();
  const begin = { passwordless: false, user, pass: PASSWORD };
  const { webauthn_challenge } = await call(browser.send, mfaRoutes.beginLogin, { body: begin });
  if (!webauthn_challenge) throw new Error('no key was asked for');
  const body = { user: as, webauthnAssertionResponse: key.assert(webauthn_challenge, PROMPT) };
  return call(browser.send, mfaRoutes.finishLogin, { body });
}

async function passkeySignIn(browser: TestBrowser, key: SoftwareKey, prompt = {}) {
  await browser.open();
  const challenge = await call(browser.send, mfaRoutes.beginLogin, { body: { passwordless: true } });
  if (!challenge.webauthn_challenge) throw new Error('no key was asked for');
  expect(challenge.webauthn_challenge.publicKey.allowCredentials).toBeUndefined();
  const webauthnAssertionResponse = key.assert(challenge.webauthn_challenge, { ...PROMPT, ...prompt });
  return call(browser.send, mfaRoutes.finishLogin, { body: { webauthnAssertionResponse } });
}

test('a user with an authenticator app signs in with its code and not without', async () => {
  const owner = await start();
  const secret = await enrolApp(gateway, owner);
  const browser = gateway.browser();

  await expect(browser.signIn('ann', PASSWORD)).rejects.toMatchObject({ code: 'mfa_required', fields: { totp: true } });
  await expect(browser.signIn('ann', PASSWORD, '000000')).rejects.toMatchObject({ code: 'denied' });
  expect(await browser.signIn('ann', PASSWORD, codeOf(secret, gateway.clock.now))).toMatchObject({ type: 'Bearer' });
});

test('a used code is refused, the one before and after it by the clock are accepted', async () => {
  const owner = await start();
  const secret = await enrolApp(gateway, owner);
  gateway.clock.advance(10 * STEP_MS);
  const browser = gateway.browser();
  const early = codeOf(secret, gateway.clock.now - STEP_MS);

  expect(await browser.signIn('ann', PASSWORD, early)).toMatchObject({ type: 'Bearer' });
  await expect(browser.signIn('ann', PASSWORD, early)).rejects.toMatchObject({ code: 'denied' });
  const late = codeOf(secret, gateway.clock.now + STEP_MS);
  expect(await browser.signIn('ann', PASSWORD, late)).toMatchObject({ type: 'Bearer' });
  await expect(browser.signIn('ann', PASSWORD, codeOf(secret, gateway.clock.now))).rejects.toMatchObject({
    code: 'denied',
  });
});

test('one code sent twice at the same moment signs in once', async () => {
  const owner = await start();
  const secret = await enrolApp(gateway, owner);
  const code = codeOf(secret, gateway.clock.now);
  const browsers = [gateway.browser(), gateway.browser()];
  await Promise.all(browsers.map((browser) => browser.open()));

  const outcomes = await Promise.allSettled(browsers.map((browser) => browser.signIn('ann', PASSWORD, code)));

  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('password and key sign in, and the device remembers when', async () => {
  const owner = await start();
  const key = await enrolKey(owner, await privilege(owner), { deviceName: 'yubi' });
  expect(await call(owner.send, mfaRoutes.devices, {})).toMatchObject([{ name: 'yubi', lastUsed: ZERO_TIME }]);
  const browser = gateway.browser();

  const reply = await keySignIn(browser, key);

  expect(reply).toMatchObject({ type: 'Bearer', sessionExpires: ZERO_TIME });
  await browser.open();
  const [device] = await call(browser.send, mfaRoutes.devices, {});
  expect(device).toMatchObject({ type: 'WebAuthn', lastUsed: new Date(gateway.clock.now).toISOString() });
});

test('the password of one user and the key of another sign in nobody', async () => {
  const ann = await start();
  await gateway.addUser('bob');
  const bob = await gateway.signedIn('bob');
  const annKey = await enrolKey(ann, await privilege(ann));
  await enrolKey(bob, await privilege(bob));

  await expect(keySignIn(gateway.browser(), annKey, { user: 'bob' })).rejects.toMatchObject({ code: 'denied' });
  await expect(keySignIn(gateway.browser(), annKey, { user: 'bob', as: 'ann' })).rejects.toMatchObject({
    code: 'denied',
  });
  await expect(keySignIn(gateway.browser(), annKey, { user: 'ann', as: 'bob' })).rejects.toMatchObject({
    code: 'denied',
  });
});

test('a passkey signs in without password, also while the name is locked', async () => {
  const owner = await start();
  const passkey = await enrolKey(owner, await privilege(owner), { deviceUsage: 'passwordless' });
  const stranger = gateway.browser({ address: '192.0.2.9' });
  for (let times = 0; times < 5; times++) await stranger.signIn('ann', 'wrong-password').catch(() => undefined);
  await expect(stranger.signIn('ann', PASSWORD)).rejects.toMatchObject({ fields: { reason: 'locked' } });

  const reply = await passkeySignIn(gateway.browser(), passkey);

  expect(reply).toMatchObject({ type: 'Bearer' });
});

test('a key that is only a second factor does not replace the password, nor does a passkey without PIN', async () => {
  const owner = await start();
  const second = await enrolKey(owner, await privilege(owner), { deviceName: 'second' });
  const challenge = await call(owner.send, mfaRoutes.challenge, {});
  const webauthnAssertionResponse = second.assert(challenge.webauthn_challenge!, PROMPT);
  const tokenId = await call(owner.send, passwordRoutes.createPrivilegeToken, { body: { webauthnAssertionResponse } });
  const passkey = await enrolKey(owner, tokenId, { deviceName: 'passkey', deviceUsage: 'passwordless' });

  await expect(passkeySignIn(gateway.browser(), second)).rejects.toMatchObject({ code: 'denied' });
  await expect(passkeySignIn(gateway.browser(), passkey, { userVerified: false })).rejects.toMatchObject({
    code: 'denied',
  });
});

test('a challenge serves once, for what it was made for, and for five minutes', async () => {
  const owner = await start();
  const key = await enrolKey(owner, await privilege(owner));
  const browser = gateway.browser();
  await browser.open();
  const begin = () =>
    call(browser.send, mfaRoutes.beginLogin, { body: { passwordless: false, user: 'ann', pass: PASSWORD } });
  const finish = (webauthnAssertionResponse: ReturnType<SoftwareKey['assert']>) =>
    call(browser.send, mfaRoutes.finishLogin, { body: { user: 'ann', webauthnAssertionResponse } });

  const answer = key.assert((await begin()).webauthn_challenge!, PROMPT);
  await finish(answer);
  await expect(finish(answer)).rejects.toMatchObject({ code: 'denied' });

  const late = key.assert((await begin()).webauthn_challenge!, PROMPT);
  gateway.clock.advance(5 * 60_000);
  await expect(finish(late)).rejects.toMatchObject({ code: 'denied' });

  const again = await call(owner.send, mfaRoutes.challenge, {});
  await expect(finish(key.assert(again.webauthn_challenge!, PROMPT))).rejects.toMatchObject({ code: 'denied' });
});

test('an answer given on another site is refused', async () => {
  const owner = await start();
  const passkey = await enrolKey(owner, await privilege(owner), { deviceUsage: 'passwordless' });

  await expect(passkeySignIn(gateway.browser(), passkey, { origin: 'https://evil.example.com' })).rejects.toMatchObject(
    { code: 'denied' },
  );
});

test.each([
  ['off', 'password', true],
  ['otp', 'password', false],
  ['on', 'password', false],
  ['webauthn', 'password', false],
  ['optional', 'password', true],
] as const)('in mode %s a %s alone is enough: %s', async (secondFactor, _, enough) => {
  gateway = await startIdentityGateway({ secondFactor });
  await gateway.addUser('ann');

  const signedIn = await gateway
    .browser()
    .signIn('ann', PASSWORD)
    .then(() => true)
    .catch(() => false);

  expect(signedIn).toBe(enough);
});

test('the empty privilege token is for users without devices who signed in less than five minutes ago', async () => {
  const browser = await start();
  gateway.clock.advance(5 * 60_000 + 1);

  await expect(privilege(browser)).rejects.toMatchObject({ code: 'mfa_required', fields: { reason: 'password' } });
  await expect(
    call(browser.send, mfaRoutes.challengeWithPassword, { body: { pass: 'wrong-password' } }),
  ).rejects.toMatchObject({ status: 400 });
  await call(browser.send, mfaRoutes.challengeWithPassword, { body: { pass: PASSWORD } });
  await enrolApp(gateway, browser);
  await expect(privilege(browser)).rejects.toMatchObject({ code: 'mfa_required' });
});

test('a privilege token serves once, for five minutes, and only its owner', async () => {
  const ann = await start();
  await gateway.addUser('bob');
  const bob = await gateway.signedIn('bob');
  const tokenId = await privilege(ann);

  await expect(enrolKey(bob, tokenId)).rejects.toMatchObject({ message: expect.stringContaining('somebody else') });
  await enrolKey(ann, tokenId);
  await expect(enrolKey(ann, tokenId)).rejects.toMatchObject({ status: 403, fields: { reason: 'used' } });

  const late = await privilege(bob);
  gateway.clock.advance(5 * 60_000);
  await expect(enrolKey(bob, late)).rejects.toMatchObject({ fields: { reason: 'expired' } });
});

test('codes for a privilege token cannot be tried without end', async () => {
  const browser = await start();
  await enrolApp(gateway, browser);

  for (let times = 0; times < 5; times++) {
    await expect(privilege(browser, '000000')).rejects.toMatchObject({ status: 400 });
  }

  await expect(privilege(browser, '000000')).rejects.toMatchObject({ fields: { reason: 'locked' } });
});

test('two devices of one name are refused, and where no factor is required even the last one goes', async () => {
  const browser = await start();
  const secret = await enrolApp(gateway, browser, 'phone');
  const next = () => {
    gateway.clock.advance(STEP_MS);
    return privilege(browser, codeOf(secret, gateway.clock.now));
  };
  await expect(enrolKey(browser, await next(), { deviceName: 'phone' })).rejects.toMatchObject({ code: 'conflict' });
  await enrolKey(browser, await next(), { deviceName: 'key/with slash' });
  const remove = async (deviceName: string) =>
    call(browser.send, mfaRoutes.removeDevice, { params: { tokenId: await next(), deviceName } });

  await remove('key/with slash');
  await expect(remove('nothing')).rejects.toMatchObject({ status: 404 });
  await remove('phone');

  expect(await call(browser.send, mfaRoutes.devices, {})).toEqual([]);
  const codes = (await gateway.events()).map(({ code }) => code);
  expect(codes.filter((code) => code === 'T1006I' || code === 'T1007I')).toEqual([
    'T1006I',
    'T1006I',
    'T1007I',
    'T1007I',
  ]);
});

test('changing the password asks for the old one and the second factor', async () => {
  const browser = await start();
  const secret = await enrolApp(gateway, browser);
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const change = (old: string, fresh: string, code?: string) =>
    call(browser.send, passwordRoutes.change, {
      body: { old_password: base64(old), new_password: base64(fresh), second_factor_token: code },
    });

  await expect(change('wrong-password', 'a new password')).rejects.toMatchObject({ status: 400 });
  await expect(change(PASSWORD, 'short')).rejects.toMatchObject({ message: expect.stringContaining('too short') });
  await expect(change(PASSWORD, 'a new password')).rejects.toMatchObject({ status: 400 });
  await change(PASSWORD, 'pässwörd neu', codeOf(secret, gateway.clock.now));

  gateway.clock.advance(STEP_MS);
  const other = gateway.browser();
  expect(await other.signIn('ann', 'pässwörd neu', codeOf(secret, gateway.clock.now))).toMatchObject({
    type: 'Bearer',
  });
  expect((await gateway.events()).map(({ code }) => code)).toContain('T1005I');
});

test('sign-in calls without the page’s token are refused before anything is checked', async () => {
  await start();
  const browser = gateway.browser();
  await browser.open();
  const body = { user: 'ann', pass: PASSWORD };

  const without = call(browser.sendWith({ 'x-csrf-token': undefined }), signInRoutes.signIn, { body });
  const foreign = call(browser.sendWith({ origin: 'https://evil.example.com' }), signInRoutes.signIn, { body });

  await expect(without).rejects.toMatchObject({ code: 'csrf_failed' });
  await expect(foreign).rejects.toMatchObject({ code: 'csrf_failed' });
});

test('a challenge that signs in is told from one for somebody who is signed in, so that no session can ask for it', async () => {
  const owner = await start();
  await enrolKey(owner, await privilege(owner));
  const stranger = gateway.browser();
  await stranger.open();

  const again = await call(owner.send, mfaRoutes.challenge, {});
  const second = { passwordless: false, user: 'ann', pass: PASSWORD };
  const signsIn = [
    await call(stranger.send, mfaRoutes.beginLogin, { body: { passwordless: true } }),
    await call(stranger.send, mfaRoutes.beginLogin, { body: second }),
  ];
  expect(isForSignedIn(again.webauthn_challenge!)).toBe(true);
  expect(signsIn.map(({ webauthn_challenge }) => isForSignedIn(webauthn_challenge!))).toEqual([false, false]);
});
