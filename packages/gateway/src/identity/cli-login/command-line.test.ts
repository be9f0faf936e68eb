import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { userRoutes } from '@gatehouse/contract/identity/users/users';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { afterEach, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { sendTo } from '../../../testing/start-test-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let gateway: IdentityGateway;
afterEach(() => gateway.close());

const HOUR_MS = 3_600_000;
const GONE = { code: 'not_signed_in' };

async function start(roles: string[] = ['editor']): Promise<TestBrowser> {
  gateway = await startIdentityGateway();
  await gateway.addUser('ann', { roles });
  return gateway.signedIn('ann');
}

/** A command line or script: a bearer and no cookies. */
function holding(token: string): Send {
  return sendTo(gateway.app, { authorization: `Bearer ${token}` });
}

const begin = () => call(gateway.send, cliLoginRoutes.begin, { body: { client: 'gatehouse on laptop' } });
const poll = ({ requestId, secret }: { requestId: string; secret: string }) =>
  call(gateway.send, cliLoginRoutes.poll, { params: { requestId }, body: { secret } });
const answer = (browser: TestBrowser, requestId: string, action: 'accept' | 'deny') =>
  call(browser.send, cliLoginRoutes.answer, { params: { requestId }, body: { action } });

test('a command line gets its own credential once the user has compared the code and accepted', async () => {
  const browser = await start();
  const request = await begin();
  expect(request).toMatchObject({
    code: expect.stringMatching(/^[A-Z]{4}-\d{4}$/),
    url: `http://localhost:3080/web/cli/${request.requestId}`,
    expires: new Date(gateway.clock.now + 600_000).toISOString(),
  });
  expect(await poll(request)).toEqual({ state: 'pending' });
  const details = await call(browser.send, cliLoginRoutes.details, { params: { requestId: request.requestId } });
  expect(details).toMatchObject({ code: request.code, client: 'gatehouse on laptop', address: '127.0.0.1' });

  await answer(browser, request.requestId, 'accept');
  const { state, user, token = '', expires } = await poll(request);

  expect({ state, user, expires }).toEqual({
    state: 'accepted',
    user: 'ann',
    expires: new Date(gateway.clock.now + 12 * HOUR_MS).toISOString(),
  });
  expect(await call(holding(token), signInRoutes.status, {})).toEqual({ message: 'ok' });
  const items = await call(browser.send, signInsRoutes.list, {});
  expect(items.find(({ kind }) => kind === 'cli')).toMatchObject({ device: 'gatehouse on laptop' });
  await expect(poll(request)).rejects.toMatchObject({ status: 404 });
  expect((await gateway.events()).at(-1)).toMatchObject({ code: 'GH104I', user: 'ann' });
});

test('a denied, expired or stolen request gives nothing', async () => {
  const browser = await start();
  const denied = await begin();
  await answer(browser, denied.requestId, 'deny');
  expect(await poll(denied)).toEqual({ state: 'denied' });
  await expect(answer(browser, denied.requestId, 'accept')).rejects.toMatchObject({ status: 404 });

  const guessed = await begin();
  await expect(poll({ ...guessed, secret: 'f'.repeat(64) })).rejects.toMatchObject({ status: 404 });

  const late = await begin();
  gateway.clock.advance(600_000);
  await browser.open();
  await expect(answer(browser, late.requestId, 'accept')).rejects.toMatchObject({ status: 404 });
  await expect(poll(late)).rejects.toMatchObject({ status: 404 });
});

test('a command line signs out and its credential is worth nothing', async () => {
  const browser = await start();
  const request = await begin();
  await answer(browser, request.requestId, 'accept');
  const { token = '' } = await poll(request);

  await call(holding(token), signInRoutes.signOut, {});

  await expect(call(holding(token), signInRoutes.status, {})).rejects.toMatchObject(GONE);
  expect(await call(browser.send, signInRoutes.status, {})).toEqual({ message: 'ok' });
});

test('a credential of a command line cannot accept another one, and counts for nothing beside cookies', async () => {
  const browser = await start();
  const request = await begin();
  await answer(browser, request.requestId, 'accept');
  const { token = '' } = await poll(request);
  const next = await begin();
  const params = { requestId: next.requestId };

  const accepted = call(holding(token), cliLoginRoutes.answer, { params, body: { action: 'accept' } });

  await expect(accepted).rejects.toMatchObject({ code: 'denied' });
  const mixed = browser.sendWith({ authorization: `Bearer ${token}` });
  await expect(call(mixed, signInRoutes.status, {})).rejects.toMatchObject(GONE);
});

test('a token for scripts does what its scope and its owner allow, until it ends', async () => {
  const browser = await start();
  const make = (name: string, scope: 'read' | 'all' | { users: ['list'] }) =>
    call(browser.send, apiTokenRoutes.create, { body: { name, scope, ttlSeconds: 3600 } });
  const read = await make('reader', 'read');
  const all = await make('doer', 'all');
  const one = await make('lister', { users: ['list'] });
  const invite = (token: string, name: string) =>
    call(holding(token), userRoutes.invite, { body: { name, roles: ['access'] } });

  expect(await call(holding(read.token), userRoutes.list, {})).toHaveLength(1);
  await expect(invite(read.token, 'x')).rejects.toMatchObject({ code: 'denied' });
  expect(await invite(all.token, 'y')).toMatchObject({ name: 'y' });
  expect(await call(holding(one.token), userRoutes.list, {})).toHaveLength(2);
  await expect(invite(one.token, 'z')).rejects.toMatchObject({ code: 'denied' });
  const context = await call(holding(one.token), clusterRoutes.context, { params: { clusterId: '-current-' } });
  expect(context.userAcl.users).toEqual({ list: true, read: false, edit: false, create: false, remove: false });
  expect(context.userAcl.roles.list).toBe(false);

  gateway.clock.advance(HOUR_MS);
  await expect(call(holding(all.token), userRoutes.list, {})).rejects.toMatchObject(GONE);
});

test('a token for scripts cannot touch the account it belongs to', async () => {
  const browser = await start();
  const { token } = await call(browser.send, apiTokenRoutes.create, { body: { name: 'ci', scope: 'all' } });
  const denied = { code: 'denied' };
  const base64 = Buffer.from('whatever-it-is').toString('base64');
  const passwords = { old_password: base64, new_password: base64 };

  await expect(call(holding(token), passwordRoutes.change, { body: passwords })).rejects.toMatchObject(denied);
  await expect(call(holding(token), passwordRoutes.createPrivilegeToken, { body: {} })).rejects.toMatchObject(denied);
  await expect(call(holding(token), apiTokenRoutes.create, { body: { name: 'more' } })).rejects.toMatchObject(denied);
});

test('a token that outlives the sign-in takes one that was proven just now, in a browser and on a command line', async () => {
  const browser = await start();
  const request = await begin();
  await answer(browser, request.requestId, 'accept');
  const { token = '' } = await poll(request);
  const cli = holding(token);
  const make = (send: Send, name: string, ttlSeconds: number) =>
    call(send, apiTokenRoutes.create, { body: { name, scope: 'all', ttlSeconds } });
  await make(browser.send, 'fresh-1', 366 * 86_400);
  await make(cli, 'fresh-2', 366 * 86_400);
  gateway.clock.advance(301_000);

  for (const send of [browser.send, cli]) {
    const late = make(send, 'late', 86_400);
    await expect(late).rejects.toMatchObject({ code: 'mfa_required' });
    await expect(late).rejects.toThrow(/sign in again .* ends by \d{4}-/);
    await expect(make(send, 'late', 12 * 3600)).rejects.toMatchObject({ code: 'mfa_required' });
  }
  await make(browser.send, 'short-1', 11 * 3600);
  await make(cli, 'short-2', 11 * 3600);
});

test('tokens are listed without their secret and end when removed', async () => {
  const browser = await start();
  const made = await call(browser.send, apiTokenRoutes.create, { body: { name: 'ci' } });
  const { token, ...shown } = made;

  expect(await call(browser.send, apiTokenRoutes.list, {})).toEqual([shown]);
  await expect(call(browser.send, apiTokenRoutes.create, { body: { name: 'ci' } })).rejects.toMatchObject({
    code: 'conflict',
  });
  await call(browser.send, apiTokenRoutes.remove, { params: { id: made.id } });

  await expect(call(holding(token), signInRoutes.status, {})).rejects.toMatchObject(GONE);
  expect(await call(browser.send, apiTokenRoutes.list, {})).toEqual([]);
  expect((await gateway.events()).map(({ code }) => code)).toEqual(['T1000I', 'GH110I', 'GH111I']);
});
