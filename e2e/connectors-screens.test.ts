import { startOidcWorld } from '@gatehouse/gateway/testing/connectors/oidc-world';
import { launchChromium, watchedPage } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signOut } from './identity.ts';
import { EACH_WIDTH, type Look, lookAt } from './look.ts';

const CALLS = '/v1/webapi/oidc';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium({ shortPages: true });
});
afterAll(() => browser?.close());

test.each(EACH_WIDTH)(
  'every screen of sign-in providers is accessible and fits, at $width width in both themes',
  async ({ viewport }) => {
    const gateway = await startGateway();
    const world = await startOidcWorld({
      accounts: { ann: { email: 'ann@acme.example', email_verified: true, groups: ['platform', 'everyone'] } },
      clients: [{ id: 'gatehouse', callback: `${gateway.origin}${CALLS}/callback/okta` }],
    });
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
    await signedInContext(context, gateway, 'maya', 'access,editor');
    const { page, complaints } = await watchedPage(context, gateway.origin);
    const { look, found } = lookAt(page);
    try {
      await walk(page, gateway, { look, issuer: world.issuer });
      // On a phone the panel lies over the menu.
      await page.goto(`${gateway.url}/support`);
      await signOut(page, 'maya');
      await lookAsStranger(page, gateway, look);
    } finally {
      await context.close();
      await gateway.stop();
      await world.close();
    }

    expect(found).toEqual([]);
    // A draft that is not complete yet, and a code nobody knows, are answered by 4xx, which the browser writes to its console.
    expect(complaints.filter((text) => !/status of 4\d\d|foreign request: http:\/\/127/.test(text))).toEqual([]);
  },
);

interface Walk {
  look: Look;
  issuer: string;
}

async function walk(page: Page, gateway: GatewayProcess, { look, issuer }: Walk): Promise<void> {
  await page.goto(`${gateway.url}/sso`);
  await page.getByRole('link', { name: 'Add SAML 2.0' }).waitFor();
  await look('none yet');
  await page.goto(`${gateway.url}/sso/new/saml?tab=settings`);
  await page.getByLabel('Address of its metadata').waitFor();
  await look('settings of SAML');
  await page.goto(`${gateway.url}/sso/new/oidc?preset=okta`);
  await page.getByText(`${gateway.origin}${CALLS}/callback/okta`).waitFor();
  await look('over there');
  await page.getByRole('button', { name: 'Go on to settings' }).click();
  await page.getByRole('button', { name: 'Go on to the test' }).click();
  const settings = page.getByRole('list', { name: 'Steps' }).getByRole('button', { name: /Settings/ });
  await settings.getByText('something to mend').waitFor();
  await look('passed by');
  await settings.click();
  await page.getByText('must not be empty').first().waitFor();
  await look('something to mend');
  await page.getByLabel('Issuer', { exact: true }).fill(issuer);
  await page.getByLabel('Client id').fill('gatehouse');
  await page.getByLabel('E-mail domains').fill('acme.example,');
  await look('settings');
  await page.getByRole('button', { name: 'Go on to the test' }).click();
  await page.getByText('Nothing yet').waitFor();
  await look('not tested');
  const opened = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await opened;
  const seen = page.getByRole('region', { name: /^Seen, and looked for/ });
  await seen.getByRole('button', { name: /platform/ }).click();
  await look('an entry being made');
  const mapping = page.getByRole('region', { name: 'What gives which role' });
  await mapping.getByRole('button', { name: 'access', exact: true }).click();
  await mapping.getByRole('button', { name: 'Done' }).click();
  await look('tested');
  const again = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Test again' }).click();
  await again;
  await page.getByRole('region', { name: 'A line that gives logins' }).waitFor();
  await look('somebody without logins');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByRole('region', { name: 'Changed lines' }).waitFor();
  await look('review');
  await page.getByRole('button', { name: 'Save connector' }).click();
  await page.getByText('Okta was saved.').waitFor();
  await page.goto(`${gateway.url}/sso`);
  await page.getByRole('button', { name: 'Actions for Okta' }).waitFor();
  await look('cards');
  await page.getByRole('button', { name: 'Actions for Okta' }).click();
  await page.getByRole('menuitem', { name: 'Delete connector' }).click();
  await page.getByRole('dialog').waitFor();
  await look('deleting');
  await page.goto(`${gateway.url}/account`);
  await page.getByRole('button', { name: 'Link Okta' }).waitFor();
  await look('account');
  await page.goto(`${gateway.url}/users?open=maya&tab=sign-ins`);
  await page.getByRole('button', { name: 'Link', exact: true }).click();
  await page.getByRole('dialog').waitFor();
  await look('linking somebody');
}

async function lookAsStranger(page: Page, gateway: GatewayProcess, look: Look): Promise<void> {
  await page.goto(`${gateway.url}/login`);
  await page.getByLabel('Work e-mail').fill('ann@acme.example');
  await page.getByText('acme.example signs in with Okta').waitFor();
  await look('login');
  await page.goto(`${gateway.url}/login?sso=unknown`);
  await page.getByRole('link', { name: 'Please attempt to log in again.' }).waitFor();
  await look('a factor nobody asks for');
}
