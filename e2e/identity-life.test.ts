import { launchChromium } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { inviteUser } from '@gatehouse/testkit/signed-in-context';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  choosePassword,
  enterPassword,
  isInside,
  plugInAuthenticator,
  resetLink,
  setUpApp,
  takeRecoveryCodes,
} from './identity.ts';

const NEW_PASSWORD = 'a different horse entirely';
/** Longer than a sign-in may rest. */
const RESTED_MS = 301_000;

let gateway: GatewayProcess;
let browser: Browser;

beforeAll(async () => {
  // Longer than a busy machine takes in another browser, while this one rests in earnest.
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'on', GATEHOUSE_AUTH_INACTIVITY_MINUTES: '5' });
  browser = await launchChromium({ shortPages: true });
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
});

test('invited, set up, idle out, back in, reset by an administrator, and in with a recovery code', async () => {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  // Only this browser's clock can be moved; the gateway's own goes on as always.
  await context.clock.install();
  const page = await context.newPage();
  await plugInAuthenticator(page);

  // Invited: a password and a key.
  const { name, link } = await inviteUser(gateway, 'ann');
  await page.goto(link);
  await page.getByRole('button', { name: 'Get started' }).click();
  await choosePassword(page);
  await page.getByRole('radio', { name: /^Hardware key/ }).check();
  await page.getByRole('button', { name: 'Register and finish' }).click();
  expect(await takeRecoveryCodes(page)).toHaveLength(8);
  await isInside(page, name);

  // Nobody at the keyboard: out, with the reason, and back to the same place after signing in.
  await page.goto(`${gateway.url}/settings`);
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  // What the gateway would say of a sign-in that has rested as long as this browser believes it has.
  await page.route('**/v1/webapi/user/status*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), idleMs: RESTED_MS } });
  });
  await page.clock.fastForward(RESTED_MS);
  await page.getByText('There was no activity for a while.').waitFor();
  await page.unroute('**/v1/webapi/user/status*');
  await enterPassword(page, name);
  await isInside(page, name);
  await page.getByRole('heading', { name: 'Settings' }).waitFor();

  // An administrator's link, opened elsewhere: new credentials, and this browser is told why it is out.
  const other = await browser.newContext({ reducedMotion: 'reduce' });
  const reset = await other.newPage();
  await reset.goto(await resetLink(gateway, name));
  await reset.getByRole('heading', { name: 'Reset your account' }).waitFor();
  await reset.getByRole('button', { name: 'Get started' }).click();
  await choosePassword(reset, NEW_PASSWORD);
  await setUpApp(reset);
  const codes = await takeRecoveryCodes(reset);
  await isInside(reset, name);
  await page.getByText('Your credentials were changed.').waitFor();

  // The phone is lost: a recovery code lets in, once, and asks for a new device.
  await page.getByRole('button', { name: 'Lost your device? Use a recovery code' }).click();
  await page.getByRole('heading', { name: 'Use a recovery code' }).waitFor();
  await page.getByRole('textbox', { name: 'User name' }).fill(name);
  await page.getByRole('textbox', { name: 'Password' }).fill(NEW_PASSWORD);
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(codes[0] as string);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Get back into your account' }).waitFor();
  await page.getByRole('button', { name: 'Get started' }).click();
  await setUpApp(page);
  const fresh = await takeRecoveryCodes(page);
  await isInside(page, name);

  expect(fresh).toHaveLength(8);
  expect(fresh).not.toContain(codes[1]);
  await other.close();
  await context.close();
});

test.each([
  ['used', 'This link was used already'],
  ['unknown', 'This link is not known'],
])('a link that is %s says so plainly', async (kind, words) => {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  const { name, link } = await inviteUser(gateway, `link-${kind}`);
  if (kind === 'used') {
    await page.goto(link);
    await page.getByRole('button', { name: 'Get started' }).click();
    await choosePassword(page);
    await setUpApp(page);
    await takeRecoveryCodes(page);
    await isInside(page, name);
  }

  await page.goto(kind === 'used' ? link : `${link.slice(0, -4)}beef`);

  await page.getByRole('heading', { name: words }).waitFor();
  await context.close();
});
