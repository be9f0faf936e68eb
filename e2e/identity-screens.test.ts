import { launchChromium, WIDTHS, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { inviteUser } from '@gatehouse/testkit/signed-in-context';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { choosePassword, enterPassword, isInside, setUpApp, signOut, takeRecoveryCodes } from './identity.ts';
import { EACH_WIDTH, type Look, lookAt } from './look.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium({ shortPages: true });
});
afterAll(() => browser?.close());

test.each(EACH_WIDTH)(
  'every screen of identity is accessible and fits, at $width width in both themes',
  async ({ viewport }) => {
    // One gateway each: sign-in calls are limited by address, and here everybody has the same.
    const gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'optional' });
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    const { page, complaints } = await watchedPage(context, gateway.origin);
    const { look, found } = lookAt(page);
    try {
      await walk(page, gateway, look);
    } finally {
      await context.close();
      await gateway.stop();
    }

    expect(found).toEqual([]);
    // Refused codes and the question who one is are answered by 4xx, which the browser writes to its console.
    expect(complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  },
);

async function walk(page: Page, gateway: GatewayProcess, look: Look): Promise<void> {
  await page.goto(`${gateway.url}/invite/${'0'.repeat(64)}`);
  await page.getByRole('heading', { name: 'This link is not known' }).waitFor();
  await look('unknown link');

  await page.goto((await inviteUser(gateway, 'maya')).link);
  await page.getByRole('button', { name: 'Get started' }).waitFor();
  await look('welcome');
  await page.getByRole('button', { name: 'Get started' }).click();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText('Choose at least 6 characters.').waitFor();
  await look('password with an error');
  await page.getByRole('button', { name: 'Use a passkey instead of a password' }).click();
  await page.getByRole('button', { name: 'Create passkey' }).waitFor();
  await look('passkey');
  await page.getByRole('button', { name: 'Use a password instead' }).click();
  await choosePassword(page);
  await page.getByRole('radio', { name: /^Authenticator app/ }).check();
  await look('second factor');
  await isOnOneScreen(page);
  await setUpApp(page);
  await page.getByText('I have saved these codes').waitFor();
  await look('recovery codes');
  const codes = await takeRecoveryCodes(page);
  await isInside(page, 'maya');

  await page.goto(`${gateway.url}/account`);
  await page.getByRole('button', { name: 'New API token' }).click();
  await page.getByRole('dialog').waitFor();
  await look('new token');
  await page.getByRole('textbox', { name: 'Name' }).fill('ci');
  await page.getByRole('button', { name: 'Make token' }).click();
  await page.getByText('Copy it now').waitFor();
  await look('token made');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('API token, reads only').waitFor();
  await look('sign-ins');
  await page.goto(`${gateway.url}/account/password`);
  await page.getByLabel('Current password').waitFor();
  await look('password tab');
  await page.goto(`${gateway.url}/account/twofactor`);
  await page.getByRole('button', { name: 'Add device' }).click();
  await page.getByRole('textbox', { name: 'Code', exact: true }).waitFor();
  await look('proving again');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await look('second factor tab');

  const asked = await fetch(`${gateway.origin}/v1/webapi/cli/logins`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client: 'gatehouse on laptop' }),
  });
  const { requestId, code } = (await asked.json()) as { requestId: string; code: string };
  await page.goto(`${gateway.url}/cli/${requestId}`);
  await page.getByText(code).waitFor();
  await look('command line asks');
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('heading', { name: 'Your command line is signed in' }).waitFor();
  await look('command line accepted');

  await signOut(page, 'maya');
  await page.goto(`${gateway.url}/login?reason=inactive`);
  await page.getByText('There was no activity for a while.').waitFor();
  await look('login with a reason');
  await enterPassword(page, 'maya');
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill('000000');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('The code is not right').waitFor();
  await look('login code');
  await page.getByRole('button', { name: 'Lost your device? Use a recovery code' }).click();
  await page.getByRole('heading', { name: 'Use a recovery code' }).waitFor();
  await page.getByRole('textbox', { name: 'Recovery code' }).fill(codes[0] as string);
  await look('recovery');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Get started' }).click();
  await page.getByRole('radio', { name: /^Passkey/ }).waitFor();
  await look('new device');
}

/** On a desk, the picture, the code with what is wrong with it, and the button are seen together: nobody looks below for what they do not know of. */
async function isOnOneScreen(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.getByText('Enter the six digits.').waitFor();
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  if (width < WIDTHS.desktop.width) return;
  expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(height);
}
