import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { ENDED_COOKIE, IDLE_HEADER } from '@gatehouse/contract/console/page-tags';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { ZERO_TIME } from '@gatehouse/contract/std/dates';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, expect, test } from 'vitest';
import { type IdentityGateway, PASSWORD, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { publish } from '../../platform/change-feed/publish.ts';

let gateway: IdentityGateway;
afterEach(() => gateway.close());

const HOUR_MS = 3_600_000;
const context = (browser: TestBrowser) =>
  call(browser.send, clusterRoutes.context, { params: { clusterId: '-current-' } });
const status = (browser: TestBrowser, idleMs?: number) =>
  call(browser.send, signInRoutes.status, { query: idleMs === undefined ? {} : { idleMs } });
const GONE = { code: 'not_signed_in', status: 403 };

test('a right password gives a cookie and a bearer, and together they are the user', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browser = gateway.browser();

  const reply = await browser.signIn('ann', PASSWORD);

  expect(reply).toMatchObject({
    type: 'Bearer',
    expires_in: 600,
    sessionExpires: new Date(gateway.clock.now + 12 * HOUR_MS).toISOString(),
    sessionInactiveTimeout: 0,
  });
  const cookie = JSON.parse(Buffer.from(browser.cookies.get('session') ?? '', 'hex').toString('utf8'));
  expect(cookie).toEqual({ user: 'ann', sid: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(await context(browser)).toMatchObject({ userName: 'ann', authType: 'local' });
});

test('a wrong password and an unknown name get the same answer for the same work', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  await gateway.addUser('passkey-only', { password: null });
  const browser = gateway.browser();
  await browser.open();

  const answers = [];
  for (const user of ['ann', 'nobody', 'passkey-only']) {
    const before = gateway.passwords.checks;
    const body = JSON.stringify({ user, pass: 'wrong-password' });
    const { status, text } = await browser.send({ method: 'POST', url: '/v1/webapi/sessions/web', body });
    const { requestId: _, ...error } = JSON.parse(text).error;
    answers.push({ status, error, checks: gateway.passwords.checks - before });
  }

  expect(answers[0]).toMatchObject({ status: 403, checks: 1 });
  expect(answers[1]).toEqual(answers[0]);
  expect(answers[2]).toEqual(answers[0]);
});

test.each([
  ['the cookie alone', { authorization: undefined }],
  ['the bearer alone', { cookie: undefined }],
  ['a wrong bearer', { authorization: `Bearer ${'0'.repeat(64)}` }],
  ['an empty bearer', { authorization: 'Bearer ' }],
  ['the word undefined', { authorization: 'Bearer undefined' }],
  ['a cookie that is not hex', { cookie: 'session=zzzz' }],
  ['a cookie without a secret', { cookie: `session=${Buffer.from('{"user":"ann","sid":""}').toString('hex')}` }],
  ['a cookie planted twice', { cookie: 'session=00; session=00' }],
])('%s is nobody', async (_, headers) => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browser = await gateway.signedIn('ann');

  const call403 = call(browser.sendWith(headers), signInRoutes.status, {});

  await expect(call403).rejects.toMatchObject(GONE);
});

test('the cookie of one user with the bearer of another is nobody, whatever name the cookie says', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  await gateway.addUser('bob');
  const ann = await gateway.signedIn('ann');
  const bob = await gateway.signedIn('bob');
  const { sid } = JSON.parse(Buffer.from(bob.cookies.get('session') ?? '', 'hex').toString('utf8'));
  const forged = Buffer.from(JSON.stringify({ user: 'ann', sid })).toString('hex');

  const mixed = { authorization: `Bearer ${bob.bearer}` };
  await expect(call(ann.sendWith(mixed), signInRoutes.status, {})).rejects.toMatchObject(GONE);
  const renamed = { cookie: `session=${forged}`, ...mixed };
  await expect(call(bob.sendWith(renamed), signInRoutes.status, {})).rejects.toMatchObject(GONE);
});

test('the bearer ends after ten minutes and the sign-in after twelve hours', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browser = await gateway.signedIn('ann');

  gateway.clock.advance(10 * 60_000 - 1);
  expect(await status(browser)).toEqual({ message: 'ok' });
  gateway.clock.advance(1);
  await expect(status(browser)).rejects.toMatchObject(GONE);

  expect(await browser.open()).toMatchObject({ expires_in: 600, sessionExpires: ZERO_TIME });
  gateway.clock.advance(11.75 * HOUR_MS - 60_000);
  expect(await browser.open()).toMatchObject({ expires_in: 360 });
  gateway.clock.advance(6 * 60_000);
  expect(await browser.open()).toBeUndefined();
  expect(browser.cookies.has('session')).toBe(false);
});

test('a renewal keeps the sign-in, gives a new cookie and bearer, and other tabs go on for a moment', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browser = await gateway.signedIn('ann');
  const old = { cookie: `session=${browser.cookies.get('session')}`, authorization: `Bearer ${browser.bearer}` };
  gateway.clock.advance(8 * 60_000);

  const reply = await browser.renew();

  expect(reply.expires_in).toBe(600);
  expect(browser.cookies.get('session')).not.toBe(old.cookie.slice('session='.length));
  expect(await call(browser.sendWith(old), signInRoutes.status, {})).toEqual({ message: 'ok' });
  expect(await call(browser.sendWith({ authorization: old.authorization }), signInRoutes.status, {})).toEqual({
    message: 'ok',
  });
  gateway.clock.advance(61_000);
  await expect(call(browser.sendWith(old), signInRoutes.status, {})).rejects.toMatchObject(GONE);
  expect(await status(browser)).toEqual({ message: 'ok' });
  expect(await gateway.storage.db.selectFrom('sign_in').selectAll().execute()).toHaveLength(1);
});

test('a renewal takes one option at most, and access requests are not available yet', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browser = await gateway.signedIn('ann');

  await expect(browser.renew({ switchback: true, reloadUser: true })).rejects.toMatchObject({ status: 400 });
  await expect(browser.renew({ requestId: 'r', reloadUser: true })).rejects.toMatchObject({ status: 400 });
  await expect(browser.renew({ requestId: 'r1' })).rejects.toMatchObject({ code: 'not_available' });
  expect(await browser.renew({ reloadUser: true })).toMatchObject({ type: 'Bearer' });
});

test('after signing out the old cookie and bearer are worth nothing', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browser = await gateway.signedIn('ann');
  const old = {
    cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    authorization: `Bearer ${browser.bearer}`,
  };

  await call(browser.send, signInRoutes.signOut, {});

  expect(browser.cookies.has('session')).toBe(false);
  await expect(call(browser.sendWith(old), signInRoutes.status, {})).rejects.toMatchObject(GONE);
  await expect(call(browser.sendWith(old), signInRoutes.renew, { body: {} })).rejects.toMatchObject(GONE);
  expect(await browser.open()).toBeUndefined();
});

test('a role taken away counts in the next call', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann', { roles: ['editor'] });
  const browser = await gateway.signedIn('ann');
  expect((await context(browser)).userAcl.users.list).toBe(true);

  await gateway.storage.db.transaction().execute(async (tx) => {
    await tx.updateTable('user').set({ roles: '["access"]' }).where('name', '=', 'ann').execute();
    await publish(tx, { topic: 'user', id: 'ann' });
  });
  await gateway.settled();

  expect((await context(browser)).userAcl.users.list).toBe(false);
});

test('a browser left alone is signed out by the gateway too, and polling does not keep it', async () => {
  gateway = await startIdentityGateway({ inactivityTimeoutMs: 5 * 60_000 });
  await gateway.addUser('ann');
  const browser = gateway.browser();
  expect((await browser.signIn('ann', PASSWORD)).sessionInactiveTimeout).toBe(300_000);

  gateway.clock.advance(4 * 60_000);
  await status(browser, 4 * 60_000);
  await browser.renew();
  gateway.clock.advance(60_001);

  await expect(status(browser, 5 * 60_000)).rejects.toMatchObject(GONE);
  expect((await gateway.events()).at(-1)).toMatchObject({ code: 'GH100I', data: { reason: 'inactive' } });
});

test('doing something, or telling of it with the poll, keeps a browser signed in', async () => {
  gateway = await startIdentityGateway({ inactivityTimeoutMs: 5 * 60_000 });
  await gateway.addUser('ann');
  const browser = await gateway.signedIn('ann');

  gateway.clock.advance(4 * 60_000);
  await context(browser);
  gateway.clock.advance(4 * 60_000);
  await status(browser, 1_000);
  await browser.renew();
  gateway.clock.advance(4 * 60_000);

  expect(await status(browser, 0)).toEqual({ message: 'ok', idleMs: 0 });
});

test('the poll says how long nobody used the sign-in anywhere, and what a timer asks is no use of it', async () => {
  gateway = await startIdentityGateway({ inactivityTimeoutMs: 5 * 60_000 });
  await gateway.addUser('ann');
  const browser = await gateway.signedIn('ann');

  gateway.clock.advance(2 * 60_000);
  await call(browser.sendWith({ [IDLE_HEADER]: '120000' }), clusterRoutes.context, {
    params: { clusterId: '-current-' },
  });
  expect(await status(browser, 2 * 60_000)).toEqual({ message: 'ok', idleMs: 2 * 60_000 });
  await context(browser);

  expect(await status(browser, 2 * 60_000)).toEqual({ message: 'ok', idleMs: 0 });
});

test('a browser whose bearer has run out can still sign out, and can do nothing else', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browser = await gateway.signedIn('ann');
  gateway.clock.advance(11 * 60_000);

  await expect(browser.renew()).rejects.toMatchObject(GONE);
  await expect(
    call(browser.sendWith({ 'x-csrf-token': 'f'.repeat(64) }), signInRoutes.signOut, {}),
  ).rejects.toMatchObject({ code: 'csrf_failed' });
  await call(browser.send, signInRoutes.signOut, {});

  expect(browser.cookies.has('session')).toBe(false);
  expect(await gateway.storage.db.selectFrom('sign_in_secret').selectAll().execute()).toEqual([]);
  expect((await gateway.events()).at(-1)).toMatchObject({ code: 'GH100I', data: { reason: 'signed_out' } });
});

test('a cookie signs out nobody beside the bearer of another sign-in', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  await gateway.addUser('bob');
  const [ann, bob] = [await gateway.signedIn('ann'), await gateway.signedIn('bob')];

  const mixed = ann.sendWith({ authorization: `Bearer ${bob.bearer}` });

  await expect(call(mixed, signInRoutes.signOut, {})).rejects.toMatchObject(GONE);
  expect([await ann.open(), await bob.open()]).not.toContain(undefined);
});

test('a page asked for by a browser that signed out unheard ends the sign-in and lets nobody in', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browser = await gateway.signedIn('ann');
  browser.cookies.set(ENDED_COOKIE, '1');

  expect(await browser.open()).toBeUndefined();

  expect([...browser.cookies.keys()]).toEqual(['grv_csrf']);
  expect((await gateway.events()).at(-1)).toMatchObject({ code: 'GH100I', data: { reason: 'signed_out' } });
  browser.cookies.set(ENDED_COOKIE, '1');
  await browser.signIn('ann', PASSWORD);
  expect(await browser.open()).toBeDefined();
});

test('a tab of somebody else that left unheard ends nobody who has signed in since', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann smith');
  const browser = await gateway.signedIn('ann smith');
  browser.cookies.set(ENDED_COOKIE, 'bob');
  expect(await browser.open()).toBeDefined();

  browser.cookies.set(ENDED_COOKIE, 'ann%20smith');
  expect(await browser.open()).toBeUndefined();
});

test('signing in and out is audited under one sign-in id', async () => {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann');
  const browser = await gateway.signedIn('ann');
  await browser.renew();
  await call(browser.send, signInRoutes.signOut, {});

  const events = await gateway.events();

  expect(events.map(({ code, user }) => [code, user])).toEqual([
    ['T1000I', 'ann'],
    ['GH100I', 'ann'],
  ]);
  expect(events[0]?.sign_in).toBe(events[1]?.sign_in);
  expect(events[0]?.sign_in).toMatch(/^[0-9a-f-]{36}$/);
});
