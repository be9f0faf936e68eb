import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OidcWorld, startOidcWorld } from '@gatehouse/gateway/testing/connectors/oidc-world';
import { launchChromium } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codeOf, isInside, setUpApp, signOut, stepAfter } from './identity.ts';

const SECRET = 'a secret that only the provider knows';
const CALLS = '/v1/webapi/oidc';

let gateway: GatewayProcess;
let browser: Browser;
let world: OidcWorld;

beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'optional' });
  browser = await launchChromium({ shortPages: true });
  world = await startOidcWorld({
    accounts: {
      ann: {
        email: 'ann@acme.example',
        email_verified: true,
        name: 'Ann Lindqvist',
        groups: ['platform', 'everyone', 'book-club'],
      },
      bo: { email: 'bo@acme.example', email_verified: true, groups: ['platform'] },
      cy: { email: 'cy@acme.example', email_verified: true, groups: ['platform'] },
    },
    clients: [
      {
        id: 'gatehouse',
        secret: SECRET,
        callback: `${gateway.origin}${CALLS}/callback/okta`,
        backchannel: `${gateway.origin}${CALLS}/backchannel/okta`,
      },
      { id: 'corp', secret: SECRET, callback: `${gateway.origin}${CALLS}/callback/corp` },
    ],
  });
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  await world?.close();
});

test('a provider is set up and tried, people sign in through it, and are out when it says so', async () => {
  const admin = await browser.newContext({ reducedMotion: 'reduce' });
  await signedInContext(admin, gateway, 'maya', 'access,editor');
  const page = await admin.newPage();

  // Over there: what to enter is ready to be copied.
  await page.goto(`${gateway.url}/sso`);
  await page.getByRole('heading', { name: 'Let people sign in with an account they have' }).waitFor();
  await page.getByRole('link', { name: 'Okta' }).click();
  await page.getByText(`${gateway.origin}${CALLS}/callback/okta`).waitFor();
  await page.getByRole('button', { name: 'Go on to settings' }).click();

  // Settings, as a form.
  await page.getByLabel('Issuer', { exact: true }).fill(world.issuer);
  await page.getByLabel('Client id').fill('gatehouse');
  await page.getByLabel('Client secret', { exact: true }).fill(SECRET);
  const text = page.getByRole('textbox', { name: 'The connector as YAML' });
  await expect.poll(() => text.textContent()).toContain('client_secret: ••••••••');
  expect(await text.textContent()).not.toContain(SECRET);
  // Typed into the text, it is the field's too, and hidden once the text is left.
  await text.getByText('••••••••').dblclick();
  await page.keyboard.type('x'.repeat(12));
  const field = page.getByLabel('Client secret', { exact: true });
  await expect.poll(() => field.inputValue()).toBe('x'.repeat(12));
  await field.fill(SECRET);
  await expect.poll(() => text.textContent()).toContain('client_secret: ••••••••');
  await page.getByRole('button', { name: 'Go on to the test' }).click();

  // A test: nobody has said yet who gets roles, and what was seen is pressed to say so.
  await testOnce(page);
  await page.getByText("No entry of 'okta' gives ann@acme.example a role").first().waitFor();
  await page
    .getByRole('region', { name: /^Seen, and looked for/ })
    .getByRole('button', { name: /platform/ })
    .click();
  const mapping = page.getByRole('region', { name: 'What gives which role' });
  await mapping.getByRole('button', { name: 'access', exact: true }).click();
  await mapping.getByRole('button', { name: 'Done' }).click();
  await testOnce(page);
  await page.getByText('It works: ann@acme.example could sign in. Nothing was changed.').waitFor();
  expect((await gateway.command('users', 'ls', '--format', 'json')).stdout).not.toContain('ann@acme.example');
  await page.getByRole('button', { name: 'Review and save' }).click();
  await page.getByText('value: platform').waitFor();
  expect(await page.locator('body').textContent()).not.toContain(SECRET);
  await page.getByRole('button', { name: 'Save connector' }).click();
  await page.getByText('Okta was saved.').waitFor();
  await page.waitForURL(`${gateway.url}/sso`);
  await page.getByRole('list', { name: 'Manage Auth Connectors' }).getByRole('link', { name: 'Okta' }).waitFor();

  // Somebody else signs in through it, and is who the test said.
  const person = await browser.newContext({ reducedMotion: 'reduce' });
  const theirs = await person.newPage();
  await signInThrough(theirs);
  await theirs.getByRole('button', { name: /ann@acme\.example/ }).waitFor();

  // The administrator sees them, and that their roles are the provider's.
  await page.goto(`${gateway.url}/users?open=ann%40acme.example`);
  await page.getByText("Roles and traits are given by 'okta' at each sign-in").waitFor();

  // The provider says that they are gone: this page hears it by itself.
  await world.signOut('gatehouse', 'ann');
  await theirs.getByText('Your sign-in provider ended it').waitFor();

  // The group is taken: the next sign-in is refused, with an id that finds the reason.
  world.account('ann').groups = ['everyone'];
  await signInThrough(theirs);
  await theirs.getByText('nothing there gives you a role here').waitFor();
  const said = await theirs.getByText(/The reason is in the audit log under/).textContent();
  const id = /under ([\w-]{12})/.exec(said ?? '')?.[1];
  expect(id).toBeTruthy();

  // One's own account is linked in a window, to somebody else over there, who is asked for although the window knows another.
  world.signInAs('bo');
  await page.goto(`${gateway.url}/account`);
  const opened = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Link Okta' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click();
  await opened;
  await page.getByText(/You are linked to Okta\./).waitFor();
  await page.getByRole('row', { name: /bo@acme\.example/ }).waitFor();
  await person.close();
  await admin.close();
});

test('a second factor of the gateway is asked for after the provider, before anybody is in', async () => {
  await keepConnector('provider');
  world.signInAs('cy');
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(`${gateway.url}/login`);
  await page.getByRole('link', { name: 'Continue with corp' }).click();
  await isInside(page, 'cy@acme.example');
  await page.goto(`${gateway.url}/account/twofactor`);
  await page.getByRole('button', { name: 'Add device' }).first().click();
  await page.getByRole('radio', { name: /^Authenticator app/ }).waitFor();
  const { secret, step } = await setUpApp(page);
  await page.getByRole('row', { name: /Authenticator App/ }).waitFor();
  await signOut(page, 'cy@acme.example');

  await keepConnector('gateway');
  await page.goto(`${gateway.url}/login`);
  await page.getByRole('link', { name: 'Continue with corp' }).click();
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
  expect(
    (await context.cookies(gateway.origin)).map(({ name }) => name).filter((name) => /session/.test(name)),
  ).toEqual([]);
  await page.getByRole('textbox', { name: 'Code', exact: true }).fill(codeOf(secret, stepAfter(step)));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();

  await isInside(page, 'cy@acme.example');
  await context.close();
});

async function keepConnector(mfa: 'provider' | 'gateway'): Promise<void> {
  const file = join(gateway.dataDir, 'corp.yaml');
  const spec = {
    issuer_url: world.issuer,
    client_id: 'corp',
    client_secret: SECRET,
    mfa,
    claims_to_roles: [{ claim: 'groups', value: 'platform', roles: ['access'] }],
  };
  writeFileSync(file, JSON.stringify({ kind: 'oidc', version: 'v3', metadata: { name: 'corp' }, spec }));
  const { code, stderr } = await gateway.command('apply', '-f', file);
  expect(stderr).toBe('');
  expect(code).toBe(0);
}

/** Opens the provider in a window, which closes at its end. */
async function testOnce(page: Page): Promise<void> {
  const opened = page.waitForEvent('popup');
  await page.getByRole('button', { name: /^Test( again| as somebody else)?$/ }).click();
  const there = await opened;
  await page.getByRole('list', { name: 'How far it came' }).waitFor();
  await page.getByText('Waiting for you to sign in').waitFor({ state: 'hidden' });
  await expect.poll(() => there.isClosed()).toBe(true);
}

async function signInThrough(page: Page): Promise<void> {
  await page.goto(`${gateway.url}/login`);
  await page.getByRole('link', { name: 'Continue with Okta' }).click();
}
