/** Whoever is signed in links their own account by proving to be somebody at a provider, in the same browser. */
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCookieBrowser } from '../../../../testing/connectors/cookie-browser.ts';
import { ANN, ORIGIN, type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';
import { PASSWORD } from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let gateway: SsoGateway;
let local: TestBrowser;
beforeEach(async () => {
  gateway = await startSsoGateway({ accounts: { ann: ANN } });
  await gateway.save();
  await gateway.addUser('local-ann', { roles: ['access'] });
  local = await gateway.signedIn('local-ann');
  // Chosen in this sign-in, so that it may stay.
  const password = Buffer.from(PASSWORD).toString('base64');
  await call(local.send, passwordRoutes.change, { body: { old_password: password, new_password: password } });
});
afterEach(() => gateway.close());

const begin = (browser: TestBrowser) =>
  call(browser.send, identityRoutes.linkOwn, { body: { connector: 'okta', keep: ['password'] } });
const own = (browser: TestBrowser) => call(browser.send, identityRoutes.own, {});

async function walk(browser: TestBrowser, url: string): Promise<string> {
  gateway.world.signInAs('ann');
  let at = (await gateway.world.follow(url, `${ORIGIN}/v1/webapi/oidc/callback`)).slice(ORIGIN.length);
  while (at.startsWith('/v1/')) at = await visit(browser, at);
  return at;
}

test('afterwards the provider leads to that account', async () => {
  const { url } = await begin(local);
  expect(await walk(local, url)).toContain('can be closed');
  expect(await own(local)).toMatchObject([{ connector: 'okta', subject: 'ann' }]);

  const browser = gateway.browser();
  expect(await gateway.signIn(browser, 'ann')).toBe('/web');
  await browser.open();
  expect(await own(browser)).toMatchObject([{ connector: 'okta', name: 'ann@acme.example' }]);
  // Their password still signs them in, so it can still be changed.
  expect(await call(browser.send, clusterRoutes.context, { params: { clusterId: '-current-' } })).toMatchObject({
    authType: 'sso',
    hasPassword: true,
  });
});

test('the provider asks who it is, and does not take whoever was last there', async () => {
  const { url } = await begin(local);

  const asked = new URL(url).searchParams;
  expect(asked.get('prompt')).toBe('login');
  expect(asked.get('max_age')).toBe('0');
});

test('whom the provider did not ask is linked to nobody', async () => {
  const there = createCookieBrowser();
  await gateway.signIn(gateway.browser(), 'ann', { there });
  await gateway.storage.db.deleteFrom('user_identity').execute();
  gateway.world.ageSessions(3_600_000);
  const url = new URL((await begin(local)).url);
  url.searchParams.delete('prompt');
  url.searchParams.set('max_age', '86400');
  let at = (await there.follow(url.href, `${ORIGIN}/v1/webapi/oidc/callback`)).slice(ORIGIN.length);
  while (at.startsWith('/v1/')) at = await visit(local, at);

  expect(await own(local)).toEqual([]);
  const event = (await gateway.events()).findLast(({ code }) => code === 'T1001W');
  expect(event?.data.error).toContain('tells of a sign-in at');
});

test('the answer counts in the browser that began alone', async () => {
  const { url } = await begin(local);
  const victim = gateway.browser();
  await walk(victim, url);

  expect(await own(local)).toEqual([]);
});

test('whoever has signed out meanwhile links nothing', async () => {
  const { url } = await begin(local);
  await call(local.send, signInRoutes.signOut, {});
  await walk(local, url);

  const again = await gateway.signedIn('local-ann');
  expect(await own(again)).toEqual([]);
});

test('who signs in in another tab of the browser meanwhile is linked to nobody by it', async () => {
  await gateway.addUser('bob', { roles: ['access'] });
  const { url } = await begin(local);
  await local.signIn('bob', PASSWORD);
  await walk(local, url);

  expect(await gateway.storage.db.selectFrom('user_identity').select('user').execute()).toEqual([]);
  const event = (await gateway.events()).findLast(({ code }) => code === 'T1001W');
  expect(event?.data.error).toContain('not signed in any more in this browser');
});

test('it wants a proof of the last minutes, and a link can be undone', async () => {
  const { url } = await begin(local);
  await walk(local, url);
  await call(local.send, identityRoutes.unlinkOwn, { params: { connector: 'okta' } });
  expect(await own(local)).toEqual([]);

  gateway.clock.advance(6 * 60_000);
  await expect(begin(local)).rejects.toMatchObject({ code: 'mfa_required' });
});

test('somebody who is an account of their own already is not taken over by a link', async () => {
  await gateway.signIn(gateway.browser(), 'ann');
  const { url } = await begin(local);
  await walk(local, url);

  expect(await own(local)).toEqual([]);
});

test('a link that a helper made is their own once they prove both', async () => {
  const { db } = gateway.storage;
  await walk(local, (await begin(local)).url);
  await db.updateTable('user_identity').set({ linked_by: 'other' }).execute();
  await walk(local, (await begin(local)).url);

  expect(await db.selectFrom('user_identity').select('linked_by').execute()).toEqual([{ linked_by: 'self' }]);
});

test('a token is shown with what it may do and when it ends', async () => {
  await call(local.send, apiTokenRoutes.create, { body: { name: 'script', scope: 'read', ttlSeconds: 3600 } });
  const { keys } = await call(local.send, identityRoutes.ownKeys, { query: { connector: 'okta' } });

  const expires = new Date(gateway.clock.now + 3_600_000).toISOString();
  expect(keys.find(({ type }) => type === 'token')).toMatchObject({ name: 'script', scope: 'read', expires });
});

test('a link that nobody has come through is not offered as one of theirs, and ends', async () => {
  const { db } = gateway.storage;
  await gateway.save({}, 'other');
  await walk(local, (await begin(local)).url);
  const row = await db.selectFrom('user_identity').selectAll().executeTakeFirstOrThrow();
  // From before it was told whose word it was.
  await db
    .insertInto('user_identity')
    .values({ ...row, connector: 'other', subject: 'eve', issuer: '', sealed_id: '', sealed_tokens: null })
    .execute();
  const { keys } = await call(local.send, identityRoutes.ownKeys, { query: { connector: 'okta' } });
  const [unheard] = keys.filter(({ type }) => type === 'link');
  expect(unheard).toMatchObject({ name: 'other', subject: 'eve', calledThere: 'ann@acme.example', mayStay: false });
  const { url } = await call(local.send, identityRoutes.linkOwn, {
    body: { connector: 'okta', keep: ['password', unheard!.id] },
  });
  await walk(local, url);

  expect(await own(local)).toMatchObject([{ connector: 'okta' }]);
});
