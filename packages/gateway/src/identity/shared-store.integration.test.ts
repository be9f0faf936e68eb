import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { recoveryRoutes } from '@gatehouse/contract/identity/recovery';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call } from '@gatehouse/contract/wire/client';
import { startPostgres, type TestPostgres } from '@gatehouse/testkit/postgres';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { codeOf, type IdentityGateway, PASSWORD, startIdentityGateway } from '../../testing/identity-gateway.ts';
import { storeDatabase } from '../../testing/storage/postgres-database.ts';
import { sharedStores } from '../../testing/storage/shared-stores.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';
import { verifyChain } from '../platform/audit/chain.ts';

let postgres: TestPostgres;
let here: IdentityGateway;
let there: IdentityGateway;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  const share = sharedStores(await storeDatabase(postgres));
  const open = async () => startIdentityGateway({ secondFactor: 'optional', shared: await share() });
  here = await open();
  there = await open();
});
afterEach(async () => {
  await here.close();
  await there.close();
});

/** The same browser, sent to the other gateway by a balancer. */
function movedTo(gateway: IdentityGateway, browser: TestBrowser): TestBrowser {
  const moved = gateway.browser();
  for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
  moved.bearer = browser.bearer;
  return moved;
}

const status = (browser: TestBrowser) => call(browser.send, signInRoutes.status, {});

test('a sign-in made here counts there, and its end here is known there soon', async () => {
  await here.addUser('ann', { roles: ['editor'] });
  const browser = await here.signedIn('ann');
  const moved = movedTo(there, browser);
  expect(await status(moved)).toEqual({ message: 'ok' });

  await call(browser.send, signInRoutes.signOut, {});

  await vi.waitFor(() => expect(status(moved)).rejects.toMatchObject({ code: 'not_signed_in' }), { timeout: SOON_MS });
});

test('a name locked here is locked there', async () => {
  await here.addUser('ann');
  const stranger = here.browser();
  for (let times = 0; times < 5; times++) await stranger.signIn('ann', 'wrong-password').catch(() => undefined);

  await expect(there.browser().signIn('ann', PASSWORD)).rejects.toMatchObject({ fields: { reason: 'locked' } });
});

test('the whole life of an account works on PostgreSQL', async () => {
  const invite = await here.identity.firstAdminInvite();
  const token = invite?.inviteUrl.split('/').at(-1) ?? '';
  const browser = there.browser();
  await browser.open();
  const { totpSecret } = await call(browser.send, passwordRoutes.readToken, { params: { tokenId: token } });
  const { recovery } = await call(browser.send, passwordRoutes.useToken, {
    body: {
      token,
      password: Buffer.from(PASSWORD).toString('base64'),
      second_factor_token: codeOf(totpSecret, here.clock.now),
    },
  });
  here.clock.advance(30_000);
  const other = here.browser();
  await other.signIn('admin', PASSWORD, codeOf(totpSecret, here.clock.now));

  expect(await call(other.send, userRoutes.list, {})).toHaveLength(1);
  expect(await call(other.send, signInsRoutes.list, {})).toHaveLength(2);
  const begun = call(other.send, recoveryRoutes.begin, {
    body: { user: 'admin', pass: PASSWORD, code: recovery.codes?.[0] ?? '' },
  });
  expect(await begun).toMatchObject({ tokenId: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test('people who sign in at the same moment on two gateways leave an unbroken chain', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `user-${index}`);
  for (const name of names) await here.addUser(name);
  const browsers = names.map((_, index) => (index % 2 === 0 ? here : there).browser({ address: `192.0.2.${index}` }));

  await Promise.all(browsers.map((browser, index) => browser.signIn(names[index] ?? '', PASSWORD)));

  expect(await verifyChain(here.storage.db, 'gateway')).toEqual({ ok: true, length: 20 });
  const codes = await here.storage.db.selectFrom('event').select('code').distinct().execute();
  expect(codes).toEqual([{ code: 'T1000I' }]);
});

test('of tokens for scripts with one name, made at the same moment on two gateways, there is one', async () => {
  await here.addUser('maker');
  const browsers = [here, there].map((gateway) => gateway.browser());
  for (const browser of browsers) await browser.signIn('maker', PASSWORD);
  const make = (_: unknown, index: number) =>
    call(browsers[index % 2]!.send, apiTokenRoutes.create, { body: { name: 'ci', scope: 'read' } });

  const made = await Promise.allSettled(Array.from({ length: 20 }, make));

  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await call(browsers[0]!.send, apiTokenRoutes.list, {})).toHaveLength(1);
});
