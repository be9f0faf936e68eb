/** A round through the provider in which nobody is asked anything proves that a browser was left open, and nothing of who sits before it. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { loginFailureRoutes } from '@gatehouse/contract/identity/login-failure';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CookieBrowser, createCookieBrowser } from '../../../../testing/connectors/cookie-browser.ts';
import { ANN, ORIGIN, type SsoGateway, startSsoGateway } from '../../../../testing/connectors/sso-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

const OPEN_FOR_MS = 3_600_000;
const NAME = 'ann@acme.example';

let gateway: SsoGateway;
let there: CookieBrowser;
beforeEach(async () => {
  gateway = await startSsoGateway({ accounts: { ann: { ...ANN, amr: ['pwd', 'otp'] } } });
  there = createCookieBrowser();
});
afterEach(() => gateway.close());

/** Somebody has left the browser open, over there too, and somebody walks up to it. */
async function leftOpen(spec: Record<string, unknown> = {}): Promise<void> {
  await gateway.save(spec);
  await gateway.signIn(gateway.browser(), 'ann', { there });
  gateway.world.ageSessions(OPEN_FOR_MS);
}
async function signedIn(options: { isFresh?: boolean } = {}): Promise<TestBrowser> {
  const browser = gateway.browser();
  expect(await gateway.signIn(browser, 'ann', { there, ...options })).toBe('/web');
  await browser.open();
  return browser;
}
/** The provider is never told of these wishes, and answers as one that knows none of them. */
const without = (...wishes: string[]): Pick<CookieBrowser, 'follow'> => ({
  follow(url, until) {
    const address = new URL(url);
    for (const wish of wishes) address.searchParams.delete(wish);
    return there.follow(address.href, until);
  },
});
const privilege = (browser: TestBrowser) => call(browser.send, passwordRoutes.createPrivilegeToken, { body: {} });
const lastingToken = (browser: TestBrowser) =>
  call(browser.send, apiTokenRoutes.create, { body: { name: 'mine', scope: 'all', ttlSeconds: 86_400 } });
const proven = async () =>
  await gateway.storage.db
    .selectFrom('sign_in')
    .select(['proven_at', 'mfa_at'])
    .where('user', '=', NAME)
    .orderBy('created', 'desc')
    .orderBy('proven_at', 'desc')
    .execute();

test('whoever comes back unasked may add no key of their own and make no token that lasts', async () => {
  await leftOpen();
  const browser = await signedIn();

  await expect(privilege(browser)).rejects.toMatchObject({
    code: 'mfa_required',
    fields: { reason: 'sign_in', again: '/v1/webapi/oidc/login/web?connector_id=okta&fresh=yes&redirect_url=' },
  });
  await expect(lastingToken(browser)).rejects.toMatchObject({ code: 'mfa_required' });
});

test('where the provider says when they signed in, that is when they proved it and their second factor', async () => {
  await leftOpen({ max_age: '24h' });
  await signedIn();

  const rows = await proven();
  for (const { proven_at, mfa_at } of rows) expect(mfa_at).toBe(proven_at);
  const ages = rows.map(({ proven_at }) => Math.round((gateway.clock.now - (proven_at ?? 0)) / OPEN_FOR_MS));
  expect(ages.toSorted()).toEqual([0, 1]);
});

test('whoever has just signed in there adds a device at once, and makes a token that lasts', async () => {
  await gateway.save();
  const browser = await signedIn();

  expect(await privilege(browser)).toBeTypeOf('string');
  await lastingToken(browser);
});

test('where it does not say, nobody knows when they signed in or used a second factor, and it is no proof of now', async () => {
  await gateway.save();
  const browser = gateway.browser();
  expect(await gateway.signIn(browser, 'ann', { there: without('max_age') })).toBe('/web');
  await browser.open();

  expect(await proven()).toEqual([{ proven_at: null, mfa_at: null }]);
  await expect(privilege(browser)).rejects.toMatchObject({ code: 'mfa_required', fields: { reason: 'sign_in' } });
  await expect(lastingToken(browser)).rejects.toMatchObject({ code: 'mfa_required' });
});

test('asked for a proof of now, the provider asks again, and that counts', async () => {
  await leftOpen();
  const browser = await signedIn({ isFresh: true });

  expect(await privilege(browser)).toBeTypeOf('string');
  await lastingToken(browser);
});

test('who takes the wish out of the address they are sent to is refused, in words for them and for administrators', async () => {
  await leftOpen({ max_age: '24h' });
  const unasked: Pick<CookieBrowser, 'follow'> = {
    follow(url, until) {
      const address = new URL(url);
      expect(address.searchParams.get('prompt')).toBe('login');
      expect(address.searchParams.get('max_age')).toBe('0');
      address.searchParams.delete('prompt');
      address.searchParams.set('max_age', '86400');
      return there.follow(address.href, until);
    },
  };
  const browser = gateway.browser();
  const end = await gateway.signIn(browser, 'ann', { there: unasked, isFresh: true });

  expect(browser.cookies.has('session')).toBe(false);
  const { message } = await call(gateway.send, loginFailureRoutes.message, {
    query: { kind: 'callback', said: new URL(end, ORIGIN).searchParams.get('said') ?? '' },
  });
  expect(message).toContain('did not ask you to sign in again');
  const event = (await gateway.events()).findLast(({ code }) => code === 'T1001W');
  expect(event?.data.error).toContain('tells of a sign-in at');
  expect(message).toContain(event?.data.failure_id);
});

test('a provider that says nothing of when is refused where a proof of now was asked for', async () => {
  await leftOpen();
  await gateway.signIn(gateway.browser(), 'ann', { there: without('prompt', 'max_age'), isFresh: true });

  const event = (await gateway.events()).findLast(({ code }) => code === 'T1001W');
  expect(event?.data.error).toContain('does not say when they signed in (auth_time)');
});
