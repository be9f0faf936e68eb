/** Every route of the contract, asked by whoever should get nothing: with what is over, with half of it, with what was made for something else. */
import { generateKeyPairSync } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { allRoutes } from '@gatehouse/contract/api/api';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { agentRoutes } from '@gatehouse/contract/reach/agents/agents';
import { call } from '@gatehouse/contract/wire/client';
import { paramNames, pathFor } from '@gatehouse/contract/wire/route';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdentityGateway, startIdentityGateway } from '../../../testing/identity-gateway.ts';
import { join, newJoinToken } from '../../../testing/test-agent.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';
import { OWN_MISTAKE } from './error-hook.ts';

const TWELVE_HOURS_MS = 12 * 3_600_000;
const routes = allRoutes().map(({ route }) => ({
  title: `${route.method} ${route.path}`,
  route,
  path: pathFor(
    route.path,
    Object.fromEntries(paramNames(route.path).map((param) => [param, param === 'clusterId' ? 'localhost' : 'x1'])),
  ),
}));
const guarded = routes.filter(({ route }) => route.auth !== 'public');

const BESIDE_A_COOKIE = ['a join token', 'a privilege token', 'the id of a sign-in', 'the word null', 'nothing'];

let gateway: IdentityGateway;
let admin: TestBrowser;
/** Headers that must be worth nothing, by what they are. */
const worthless = new Map<string, Record<string, string>>();

const cookiesOf = ({ cookies }: TestBrowser) => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const csrfOf = ({ cookies }: TestBrowser) => ({ 'x-csrf-token': cookies.get('grv_csrf') ?? '' });
const held = (who: TestBrowser) => ({ cookie: cookiesOf(who), ...bearer(who.bearer ?? ''), ...csrfOf(who) });

beforeAll(async () => {
  gateway = await startIdentityGateway({ secondFactor: 'optional' });
  await gateway.addUser('admin', { roles: ['editor'] });
  const expired = held(await gateway.signedIn('admin'));
  gateway.clock.advance(TWELVE_HOURS_MS);
  admin = await gateway.signedIn('admin');
  const left = await gateway.signedIn('admin');
  const signedOut = held(left);
  await call(left.send, signInRoutes.signOut, {});
  const made = await call(admin.send, apiTokenRoutes.create, { body: { name: 'gone', scope: 'all' } });
  await call(admin.send, apiTokenRoutes.remove, { params: { id: made.id } });
  const joinToken = await newJoinToken(admin.send);
  const { id: agentId } = await join(gateway.send, { token: joinToken, name: 'edge' });
  const [agent] = await call(admin.send, agentRoutes.list, {});
  const link = await call(admin.send, passwordRoutes.createToken, { body: { name: 'admin' } });
  const waiting = await call(gateway.send, cliLoginRoutes.begin, { body: { client: 'laptop' } });
  const privilege = await call(admin.send, passwordRoutes.createPrivilegeToken, { body: {} });
  const [mine] = await call(admin.send, signInsRoutes.list, {});
  const publicKey = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const tokens = {
    'a join token': joinToken,
    'the id of an agent': agentId,
    'the fingerprint of an agent': agent?.fingerprint ?? '',
    'a reset link': link.tokenId,
    'a privilege token': privilege,
    'the secret of a command line that waits': waiting.secret,
    'the id of a command line that waits': waiting.requestId,
    'the id of a sign-in': mine?.id ?? '',
    'a token for scripts that was removed': made.token,
    'the id of a token for scripts': made.id,
    'a public key': publicKey.replaceAll('\n', ''),
    'a name': 'admin',
    'the word null': 'null',
    'the word undefined': 'undefined',
    nothing: '',
  };
  for (const [what, token] of Object.entries(tokens)) {
    worthless.set(what, bearer(token));
    if (BESIDE_A_COOKIE.includes(what))
      worthless.set(`${what}, beside a good cookie`, { cookie: cookiesOf(admin), ...csrfOf(admin), ...bearer(token) });
  }
  worthless.set('a sign-in that has expired', expired);
  worthless.set('a sign-in that was ended', signedOut);
  worthless.set('a cookie without its bearer', { cookie: cookiesOf(admin), ...csrfOf(admin) });
  worthless.set('a bearer without its cookie', bearer(admin.bearer ?? ''));
  worthless.set('a bearer in other words', { authorization: `bearer: ${admin.bearer}` });
  worthless.set('a bearer in the address', { 'x-forwarded-uri': `/?access_token=${admin.bearer}` });
});
afterAll(() => gateway.close());

const ask = async (method: string, url: string, headers: Record<string, string>) => {
  // Calls without a socket never leave the turn they are made in: without this nothing would be heard from the store.
  await setImmediate();
  return gateway.app.inject({ method: method as 'GET', url, headers: { host: 'localhost:3080', ...headers } });
};

test('what is good is let in, so that the refusals below mean something', async () => {
  expect((await ask('GET', '/v1/webapi/users', held(admin))).statusCode).toBe(200);
  expect(worthless.size).toBeGreaterThan(20);
});

test.each(guarded)(
  '$title is not opened by what is over, half, or made for something else',
  async ({ route, path }) => {
    for (const [what, headers] of worthless) {
      // The one call that a cookie alone is good for: it takes the cookie away.
      if (route === signInRoutes.signOut && 'cookie' in headers && headers.cookie === cookiesOf(admin)) continue;
      // What a ticket opens wants the cookie of whom it was made for, and no bearer: there is no such ticket.
      if ('ticketed' in route && 'cookie' in headers && headers.cookie === cookiesOf(admin)) {
        expect((await ask(route.method, path, headers)).json()).toMatchObject({ error: { code: 'denied' } });
        continue;
      }
      const { statusCode, body } = await ask(route.method, path, headers);

      expect([what, statusCode]).toEqual([what, 403]);
      expect(JSON.parse(body)).toMatchObject({
        error: { code: expect.stringMatching(/^(not_signed_in|csrf_failed)$/) },
      });
    }
  },
);

test('the cookie alone is good for signing out, and for no other call of the contract', () => {
  const byCookie = allRoutes().filter(({ route }) => 'cookieAlone' in route);

  expect(byCookie.map(({ route }) => `${route.method} ${route.path}`)).toEqual(['DELETE /v1/webapi/sessions/web']);
});

/** About oneself, or a list of what one sees, which is empty. */
const WITHOUT_A_RIGHT = [
  'GET /v1/webapi/user/status',
  'GET /v1/webapi/signins',
  'POST /v1/webapi/mfa/authenticatechallenge',
  'GET /v1/webapi/mfa/authenticatechallenge',
  'GET /v1/webapi/mfa/devices',
  'GET /v1/webapi/recovery',
  'GET /v1/webapi/headless',
  'GET /v1/webapi/apitokens',
  'GET /v1/webapi/sso/identities',
  'GET /v1/webapi/sso/signout',
  'GET /v1/webapi/sites/:clusterId/databaseapprovals/own',
  'GET /v1/webapi/ssh/keys',
  'GET /v1/webapi/ssh/certs',
  'GET /v1/webapi/sites/:clusterId/resources/check',
  'GET /v1/webapi/sites/:clusterId/sessions',
  'GET /v1/webapi/sites/:clusterId/recordings',
  'GET /v1/webapi/sites/:clusterId/recording-coverage',
  'GET /v1/webapi/sites',
  'GET /v1/webapi/sites/:clusterId/context',
  'GET /v1/webapi/sites/:clusterId/alerts',
];

test('somebody without any role gets what is about themselves, and not a word about anybody else', async () => {
  const name = `nobody-${Date.now()}`;
  await gateway.addUser(name, { roles: [] });
  const nobody = await gateway.signedIn(name);
  const served: string[] = [];
  for (const { title, route, path } of guarded) {
    if (route === signInRoutes.signOut) continue;
    const { statusCode, body } = await ask(route.method, path, held(nobody));
    if (statusCode < 400) served.push(title);
    if (statusCode < 400) expect([title, body.includes('admin')]).toEqual([title, false]);
  }

  expect(served).toEqual(WITHOUT_A_RIGHT);
});

test.each(routes)('$title answers nothing that a page of another site may show in a frame', async ({ route, path }) => {
  const who = await ask(route.method, path, route === signInRoutes.signOut ? {} : held(admin));
  for (const { headers } of [await ask(route.method, path, {}), await ask('PATCH', path, {}), who]) {
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-frame-options']).toBe('DENY');
  }
});

test('no call above was failed by our own mistake: who is refused is refused, and not stumbled over', () => {
  expect(gateway.logged()).not.toContain(OWN_MISTAKE);
});
