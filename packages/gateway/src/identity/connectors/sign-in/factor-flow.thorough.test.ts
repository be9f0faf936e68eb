/** A connector with `mfa: gateway` wants a device of this gateway before anybody is signed in. */

import { oidcConnectorRoutes } from '@gatehouse/contract/identity/connectors/connectors';
import { ssoFactorRoutes } from '@gatehouse/contract/identity/connectors/factor-flow';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ANN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import { codeOf, enrolApp } from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway({
    secondFactor: 'optional',
    accounts: { ann: ANN, bob: { ...ANN, email: 'bob@acme.example' } },
  });
  await gateway.save();
});
afterEach(() => gateway.close());

/** Somebody who has an authenticator app here; afterwards the connector asks for it. */
async function enrolled(account: string): Promise<string> {
  const browser = gateway.browser();
  await gateway.signIn(browser, account, { isFresh: true });
  await browser.open();
  const secret = await enrolApp(gateway, browser);
  await askForFactors();
  return secret;
}
async function askForFactors() {
  await call(gateway.admin.send, oidcConnectorRoutes.update, {
    params: { name: 'okta' },
    body: { content: gateway.document({ mfa: 'gateway' }) },
  });
}
async function arrive(browser: TestBrowser, account: string): Promise<string> {
  const at = new URL(await gateway.signIn(browser, account), 'http://localhost');
  expect(at.pathname).toBe('/web/login');
  return at.searchParams.get('sso') ?? '';
}
const challenge = (browser: TestBrowser, code: string) =>
  call(browser.send, ssoFactorRoutes.challenge, { body: { code } });
const answer = (browser: TestBrowser, code: string, totp: string) =>
  call(browser.send, ssoFactorRoutes.answer, { body: { code, totp } });

test('no cookie is set before the device has answered', async () => {
  const secret = await enrolled('ann');
  const browser = gateway.browser();
  await browser.open();
  const code = await arrive(browser, 'ann');
  expect(browser.cookies.has('session')).toBe(false);
  expect(await call(browser.send, ssoFactorRoutes.challenge, { body: { code } })).toMatchObject({
    totp_challenge: true,
  });

  const { redirect } = await answer(browser, code, codeOf(secret, gateway.clock.now));

  expect(redirect).toBe('/web');
  expect(await browser.open()).toBeDefined();
});

test('an empty or wrong answer, and one from another browser, sign nobody in', async () => {
  const secret = await enrolled('ann');
  const browser = gateway.browser();
  await browser.open();
  const code = await arrive(browser, 'ann');

  await expect(answer(browser, code, '')).rejects.toThrow();
  await expect(answer(browser, code, '000000')).rejects.toThrow();
  const thief = gateway.browser();
  await thief.open();
  await expect(answer(thief, code, codeOf(secret, gateway.clock.now))).rejects.toThrow('is over');
  expect(browser.cookies.has('session')).toBe(false);
  expect(thief.cookies.has('session')).toBe(false);
});

test('the device must be of whoever the provider said', async () => {
  const secret = await enrolled('ann');
  const browser = gateway.browser();
  await browser.open();
  const code = await arrive(browser, 'bob');

  await expect(answer(browser, code, codeOf(secret, gateway.clock.now))).rejects.toThrow();
  await expect(challenge(browser, code)).rejects.toThrow('no second factor');
});

test('whoever has no device is told how to come by one: by a link to their account, or by an account first', async () => {
  await gateway.signIn(gateway.browser(), 'ann');
  await askForFactors();
  const browser = gateway.browser();
  await browser.open();

  const known = challenge(browser, await arrive(browser, 'ann'));
  await expect(known).rejects.toThrow(
    /^you have no second factor here yet: ask an administrator for a reset link, and add one by it$/,
  );
  const newcomer = challenge(browser, await arrive(browser, 'bob'));
  await expect(newcomer).rejects.toThrow(
    /^you have no account here yet, and so no second factor: ask an administrator to make 'bob@acme\.example', to give you the link, and to link the account to 'okta'$/,
  );
});

test('the page that finishes cannot be opened a second time to get by without', async () => {
  const secret = await enrolled('ann');
  const browser = gateway.browser();
  await browser.open();
  const code = await arrive(browser, 'ann');
  await browser.visit(`/v1/webapi/sso/finish/${code}`);
  expect(browser.cookies.has('session')).toBe(false);

  await answer(browser, code, codeOf(secret, gateway.clock.now));
  await expect(answer(browser, code, codeOf(secret, gateway.clock.now + 30_000))).rejects.toThrow('is over');
});

test('what the provider said does not last longer by opening the page again and again', async () => {
  const secret = await enrolled('ann');
  const browser = gateway.browser();
  await browser.open();
  const code = await arrive(browser, 'ann');
  for (let round = 0; round < 2; round++) {
    gateway.clock.advance(4 * 60_000);
    await browser.visit(`/v1/webapi/sso/finish/${code}`);
  }

  await expect(answer(browser, code, codeOf(secret, gateway.clock.now))).rejects.toThrow('is over');
});
