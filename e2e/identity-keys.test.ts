import { launchChromium } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { inviteUser } from '@gatehouse/testkit/signed-in-context';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Authenticator,
  choosePassword,
  enterPassword,
  isInside,
  plugInAuthenticator,
  signOut,
  takeRecoveryCodes,
} from './identity.ts';

let gateway: GatewayProcess;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let authenticator: Authenticator;

beforeAll(async () => {
  browser = await launchChromium({ shortPages: true });
});
afterAll(() => browser?.close());

// A gateway for each test: sign-in calls are limited by address, and here everybody has the same.
beforeEach(async () => {
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'on' });
  context = await browser.newContext({ reducedMotion: 'reduce' });
  page = await context.newPage();
  authenticator = await plugInAuthenticator(page);
});
afterEach(async () => {
  await context.close();
  await gateway.stop();
});

const title = () => page.getByRole('heading', { name: 'Sign in to Gatehouse' });

/** Invited, with a password and a hardware key, and signed out again. */
async function registerWithKey(name: string): Promise<void> {
  await page.goto((await inviteUser(gateway, name)).link);
  await page.getByRole('button', { name: 'Get started' }).click();
  await choosePassword(page);
  await page.getByRole('radio', { name: /^Hardware key/ }).check();
  await page.getByRole('textbox', { name: 'Name of the device' }).fill('blue key');
  await page.getByRole('button', { name: 'Register and finish' }).click();
  await takeRecoveryCodes(page);
  await isInside(page, name);
  await signOut(page, name);
}

async function registerWithPasskey(name: string): Promise<void> {
  await page.goto((await inviteUser(gateway, name)).link);
  await page.getByRole('button', { name: 'Get started' }).click();
  await page.getByRole('button', { name: 'Use a passkey instead of a password' }).click();
  await page.getByRole('button', { name: 'Create passkey' }).click();
  await takeRecoveryCodes(page);
  await isInside(page, name);
}

test('a hardware key is registered under its name, and password and key sign in', async () => {
  await registerWithKey('ann');

  await enterPassword(page, 'ann');
  await isInside(page, 'ann');
  await page.goto(`${gateway.url}/account/twofactor`);
  const row = page.getByRole('row', { name: /blue key/ });
  await row.waitFor();

  expect(await authenticator.count()).toBe(1);
  const text = await row.textContent();
  expect(text).toContain('Hardware Key');
  expect(text).not.toContain('Never');
});

test('a closed prompt is said kindly, and the next try works', async () => {
  await registerWithPasskey('bea');
  await signOut(page, 'bea');

  await authenticator.verify(false);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await page.getByText('The prompt was closed or took too long.').waitFor();
  await authenticator.verify(true);
  await page.getByRole('button', { name: 'Use a passkey' }).click();

  await isInside(page, 'bea');
});

test('a passkey signs in without name and password', async () => {
  await registerWithPasskey('cid');
  await signOut(page, 'cid');

  await page.getByRole('button', { name: 'Use a passkey' }).click();

  await isInside(page, 'cid');
});

test('a passkey is offered where the name is typed, from the first sign of a person on', async () => {
  await registerWithPasskey('cat');
  await signOut(page, 'cat');
  const asked: unknown[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/mfa/login/begin')) asked.push(request.postDataJSON());
  });
  await page.goto(`${gateway.url}/login`);
  await title().waitFor();
  const field = page.getByLabel('User name');
  const before = asked.length;
  const autocomplete = await field.getAttribute('autocomplete');

  // The virtual authenticator chooses its passkey from the list by itself.
  await field.hover();

  await isInside(page, 'cat');
  expect(before).toBe(0);
  expect(asked).toEqual([{ passwordless: true }]);
  expect(autocomplete).toBe('username webauthn');
});

test('a key that is not the account’s does not get in, and says what to do', async () => {
  await registerWithKey('dan');
  await authenticator.clear();

  await enterPassword(page, 'dan');
  await page.getByText('The prompt was closed or took too long.').waitFor();

  expect(await page.getByRole('button', { name: 'Try again' }).isVisible()).toBe(true);
  expect(page.url()).toContain('/web/login');
});

test('a passkey that was removed from the account is refused', async () => {
  await registerWithPasskey('eve');
  await page.goto(`${gateway.url}/account/twofactor`);
  // A second passkey on another device, so that the first may go.
  const first = await authenticator.cdp.send('WebAuthn.getCredentials', { authenticatorId: authenticator.id });
  await page.getByRole('button', { name: 'Add device' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('radio', { name: /^Passkey/ }).check();
  await page.getByRole('textbox', { name: 'Name of the device' }).fill('other passkey');
  await authenticator.clear();
  await page.getByRole('dialog').getByRole('button', { name: 'Add device' }).click();
  await page.getByRole('row', { name: /other passkey/ }).waitFor();
  await page.getByRole('button', { name: 'Remove Passkey' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('row', { name: /^Passkey/ }).waitFor({ state: 'detached' });
  await signOut(page, 'eve');

  await authenticator.clear();
  for (const credential of first.credentials) {
    await authenticator.cdp.send('WebAuthn.addCredential', { authenticatorId: authenticator.id, credential });
  }
  await page.getByRole('button', { name: 'Use a passkey' }).click();

  await page.getByText('This key or passkey was not accepted.').waitFor();
  expect(await title().isVisible()).toBe(true);
});

test('the last device is not taken away where a second factor is required', async () => {
  await registerWithKey('fay');
  await enterPassword(page, 'fay');
  await isInside(page, 'fay');
  await page.goto(`${gateway.url}/account/twofactor`);

  await page.getByRole('button', { name: 'Remove blue key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();

  await page.getByText('This is your last device and a second factor is required').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('row', { name: /blue key/ }).waitFor();
});
