/** The way through GitHub and through SAML in a real browser: a form of another site brings no cookie of ours, and still it is the same browser. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GithubServer, startGithubServer } from '@gatehouse/gateway/testing/connectors/github-server';
import { type SamlWorld, startSamlWorld } from '@gatehouse/gateway/testing/connectors/saml-world';
import { launchChromium } from '@gatehouse/testkit/chromium';
import { type GatewayProcess, startGateway } from '@gatehouse/testkit/gateway-process';
import { signedInContext } from '@gatehouse/testkit/signed-in-context';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isInside } from './identity.ts';

let gateway: GatewayProcess;
let browser: Browser;
let github: GithubServer;
let saml: SamlWorld;

beforeAll(async () => {
  gateway = await startGateway({ GATEHOUSE_SECOND_FACTOR: 'optional' });
  browser = await launchChromium({ shortPages: true });
  github = await startGithubServer();
  saml = await startSamlWorld({ now: Date.now });
  await apply({
    kind: 'github',
    version: 'v3',
    metadata: { name: 'hub' },
    spec: {
      display: 'GitHub',
      client_id: github.clientId,
      client_secret: github.clientSecret,
      endpoint_url: github.origin,
      teams_to_roles: [{ organization: 'acme', team: 'ops', roles: ['access'] }],
    },
  });
  await apply({
    kind: 'saml',
    version: 'v2',
    metadata: { name: 'adfs' },
    spec: {
      display: 'Corp ADFS',
      entity_descriptor: saml.descriptor(),
      username_attribute: 'mail',
      attributes_to_roles: [{ name: 'groups', value: 'staff', roles: ['access'] }],
    },
  });
  const metadata = await fetch(`${gateway.origin}/v1/webapi/saml/metadata/adfs`);
  saml.enter(await metadata.text());
});
afterAll(async () => {
  await browser?.close();
  await gateway?.stop();
  await github?.close();
  await saml?.close();
});

async function apply(document: object): Promise<void> {
  const file = join(gateway.dataDir, 'connector.json');
  writeFileSync(file, JSON.stringify(document));
  const { code, stderr } = await gateway.command('connectors', 'create', '-f', file);
  expect([stderr, code]).toEqual(['', 0]);
}

test('a member of a team signs in with GitHub, and somebody of none is told nothing but an id', async () => {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  github.account = { id: 7, login: 'Octo-Ann', teams: ['acme/ops'] };
  await page.goto(`${gateway.url}/login?redirect_uri=${encodeURIComponent(`${gateway.url}/account`)}`);
  await page.getByRole('link', { name: 'Continue with GitHub' }).click();
  await isInside(page, 'octo-ann');
  expect(new URL(page.url()).pathname).toBe('/web/account');
  await context.close();

  github.account = { id: 8, login: 'stranger', teams: ['other/ops'] };
  const stranger = await browser.newContext({ reducedMotion: 'reduce' });
  const theirs = await stranger.newPage();
  await theirs.goto(`${gateway.url}/login`);
  await theirs.getByRole('link', { name: 'Continue with GitHub' }).click();
  const said = await theirs.getByText(/The reason is in the audit log under/).textContent();
  const id = /under ([\w-]{12})/.exec(said ?? '')?.[1] ?? '';
  expect(await theirs.locator('body').textContent()).not.toContain('acme');
  const { stdout } = await gateway.command('audit', 'export', '--search', id);
  expect(stdout).toContain(id);
  expect(stdout).toContain('stranger');
  await stranger.close();
});

test('the form of a SAML provider signs in the browser that began, and no other', async () => {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(`${gateway.url}/login`);
  await page.getByRole('link', { name: 'Continue with Corp ADFS' }).click();
  await isInside(page, 'ann@acme.example');
  await context.close();

  // Somebody else's answer, submitted in the browser of a victim.
  const attacker = await browser.newContext();
  const begun = await attacker.request.get(`${gateway.origin}/v1/webapi/saml/sso?connector_id=adfs`, {
    maxRedirects: 0,
  });
  const { action, fields } = await saml.signIn(begun.headers().location ?? '', 'ann');
  const victim = await browser.newContext({ reducedMotion: 'reduce' });
  const theirs = await victim.newPage();
  await theirs.goto(`${saml.issuer}`).catch(() => undefined);
  const inputs = Object.entries(fields).map(([name, value]) => `<input name="${name}" value="${value}">`);
  await theirs.setContent(`<form method="post" action="${action}">${inputs.join('')}<button>Go</button></form>`);
  await theirs.getByRole('button', { name: 'Go' }).click();
  await theirs.getByText(/The reason is in the audit log under/).waitFor();
  expect((await victim.cookies(gateway.origin)).map(({ name }) => name)).not.toContain('session');
  await attacker.close();
  await victim.close();
});

test('both are shown as forms to an administrator, without a secret', async () => {
  const admin = await browser.newContext({ reducedMotion: 'reduce' });
  await signedInContext(admin, gateway, 'maya', 'access,editor');
  const page = await admin.newPage();
  await page.goto(`${gateway.url}/sso/saml/adfs`);
  await page
    .getByRole('button', { name: /Settings/ })
    .first()
    .click();
  await page.getByLabel('Or the metadata itself').waitFor();
  await page.goto(`${gateway.url}/sso/github/hub`);
  await page
    .getByRole('button', { name: /Settings/ })
    .first()
    .click();
  await page.getByText('One is kept. Leave this empty to go on with it.').waitFor();
  await page.getByText('acme/ops').waitFor();
  expect(await page.content()).not.toContain(github.clientSecret);
  await admin.close();
});
