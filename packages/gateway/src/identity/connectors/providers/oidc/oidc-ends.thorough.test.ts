/** What is special to OpenID when a provider takes somebody back: sessions by their names, tokens that count once. */

import { identityRoutes } from '@gatehouse/contract/identity/connectors/identities';
import { call } from '@gatehouse/contract/wire/client';
import { type CookieBrowser, createCookieBrowser } from '@gatehouse/gateway/testing/connectors/cookie-browser';
import {
  ANN,
  ORIGIN,
  type SsoGateway,
  startSsoGateway,
  visit,
} from '@gatehouse/gateway/testing/connectors/sso-gateway';
import type { TestBrowser } from '@gatehouse/gateway/testing/test-browser';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';

const CLIENT = 'client-okta';
const BACKCHANNEL = '/v1/webapi/oidc/backchannel/okta';

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway({ accounts: { ann: ANN }, connectors: ['okta', 'other'] });
  await gateway.save();
});
afterEach(() => gateway.close());

const signIn = async () => {
  const browser = gateway.browser();
  await gateway.signIn(browser, 'ann');
  return browser;
};
const isIn = async (browser: TestBrowser) => (await browser.open()) !== undefined;
/** What the provider calls the session that was begun first. */
const firstSession = async () => {
  const { db } = gateway.storage;
  const rows = await db.selectFrom('sign_in').selectAll().where('connector', '=', 'okta').orderBy('created').execute();
  return rows[0]?.provider_session ?? undefined;
};
const send = async (token: string) =>
  (
    await gateway.app.inject({
      method: 'POST',
      url: BACKCHANNEL,
      headers: { host: 'localhost:3080', 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ logout_token: token }).toString(),
    })
  ).statusCode;

test('signing out of one session at the provider ends what came through that one alone', async () => {
  const first = await signIn();
  const session = await firstSession();
  gateway.clock.advance(1_000);
  const second = await signIn();
  expect(session).toBeTypeOf('string');
  await gateway.world.signOut(CLIENT, 'ann', session);

  expect(await isIn(first)).toBe(false);
  expect(await isIn(second)).toBe(true);
});

test('a logout token ends what it ends once, however often it is sent, and what is none is answered without a reason', async () => {
  await signIn();
  await gateway.world.signOut(CLIENT, 'ann', await firstSession());
  const again = await signIn();

  for (let times = 0; times < 30; times++) expect(await send(gateway.world.told[0]!)).toBe(200);
  expect(await send('a.b.c')).toBe(400);
  expect(await isIn(again)).toBe(true);
});

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const forged = (claims: Record<string, unknown> = {}) =>
  `${part({ alg: 'RS256', kid: 'invented' })}.${part({ iss: gateway.world.issuer, aud: CLIENT, iat: 1, ...claims })}.AAAA`;

test('strangers at the address of the provider are told to stop, and it is heard all the same', async () => {
  const ann = await signIn();
  const codes: number[] = [];
  for (let times = 0; times < 25; times++) codes.push(await send(times % 2 ? 'a.b.c' : forged()));

  expect(new Set(codes.slice(0, 20))).toEqual(new Set([400]));
  expect(new Set(codes.slice(20))).toEqual(new Set([429]));
  await gateway.world.signOut(CLIENT, 'ann');
  expect(await isIn(ann)).toBe(false);
});

test('whoever failed there may still open the pages of a sign-in', async () => {
  for (let times = 0; times < 25; times++) await send('a.b.c');

  expect(await gateway.signIn(gateway.browser(), 'ann')).toBe('/web');
});

test('a key nobody knows is asked for once in a while, and for a token of another issuer or client never', async () => {
  await signIn();
  const asked = () => gateway.world.asked.filter((each) => each.includes('jwks')).length;
  gateway.clock.advance(10_000);
  const before = asked();

  for (let times = 0; times < 5; times++) {
    await send(forged({ iss: 'https://evil.example' }));
    await send(forged({ aud: 'other' }));
  }
  expect(asked()).toBe(before);
  for (let times = 0; times < 5; times++) await send(forged());
  expect(asked()).toBe(before + 1);
  gateway.clock.advance(5_000);
  await send(forged());
  expect(asked()).toBe(before + 2);
});

test('what is far larger than a logout token is not read', async () => {
  expect(await send('x'.repeat(40_000))).toBe(413);
  expect(await send('x'.repeat(20_000))).toBe(400);
});

test('a logout that could not be written is heard when the provider sends it again', async () => {
  const { db } = gateway.storage;
  const ann = await signIn();
  await sql`create trigger full before insert on provider_logout begin select raise(abort, 'disk is full'); end`.execute(
    db,
  );
  await gateway.world.signOut(CLIENT, 'ann', await firstSession()).catch(() => undefined);
  expect(await isIn(ann)).toBe(true);
  await sql`drop trigger full`.execute(db);

  expect(await send(gateway.world.told[0]!)).toBe(200);
  expect(await isIn(ann)).toBe(false);
});

test('a sign-out that is heard between the answer and the cookie is not lost', async () => {
  const browser = gateway.browser();
  const finish = await visit(browser, await gateway.toCallback(browser, 'ann'));
  await gateway.world.signOut('client-okta', 'ann');

  expect(await visit(browser, finish)).toContain('/web/msg/error/login');
  expect(await browser.open()).toBeUndefined();
  gateway.clock.advance(1_000);
  expect(await gateway.signIn(browser, 'ann')).toBe('/web');
});

test('what comes of a session over there that has ended signs nobody in, however late it is brought', async () => {
  const there = createCookieBrowser();
  await gateway.signIn(gateway.browser(), 'ann', { there });
  const session = await firstSession();
  const late = gateway.browser();
  // Of the same session: the code is held back until that is over.
  const callback = await gateway.toCallback(late, 'ann', { there });
  await gateway.world.signOut(CLIENT, 'ann', session);
  gateway.clock.advance(5_000);

  let at = callback;
  while (at.startsWith('/v1/')) at = await visit(late, at);
  expect(at).toContain('/web/msg/error/login');
  expect(await isIn(late)).toBe(false);
});

/** By the loop's own round, as in a gateway that runs. */
test('a refresh token that was spent before the provider failed is replaced, and ends nobody the next time', async () => {
  const { db } = gateway.storage;
  const ann = await signIn();
  const due = () => db.updateTable('user_identity').set({ next_recheck: 1 }).execute();
  const trouble = async () =>
    (await db.selectFrom('user_identity').select('trouble').executeTakeFirstOrThrow()).trouble;
  gateway.world.faults = { status: { at: '/me', status: 503 } };
  await due();
  await expect.poll(trouble).toContain('503');
  expect(await isIn(ann)).toBe(true);

  gateway.world.faults = {};
  await due();
  await expect.poll(trouble).toBe('');
  expect(await isIn(ann)).toBe(true);

  await gateway.world.withdraw('ann');
  await due();
  await expect.poll(() => isIn(ann)).toBe(false);
});

/** As a person does there: they are asked whether they mean it, and the form says yes. */
async function signOutThere(there: CookieBrowser, url: string): Promise<string | null> {
  const page = await (await there.open(url)).text();
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1];
  const action = /action="([^"]+)"/.exec(page)?.[1];
  expect(xsrf).toBeTypeOf('string');
  const answer = await there.open(new URL(action!, url).href, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ xsrf: xsrf!, logout: 'yes' }).toString(),
  });
  return answer.headers.get('location');
}

test('who signs out here and there comes back to the login page, and is asked who they are the next time', async () => {
  await gateway.save({ sign_out_return: true }, 'other');
  const there = createCookieBrowser();
  const ann = gateway.browser();
  expect(await gateway.signIn(ann, 'ann', { connector: 'other', there })).toBe('/web');
  await ann.open();
  const { url, connector } = await call(ann.send, identityRoutes.signOut, {});
  expect(connector).toBe('other');
  const isAsked = async () => {
    const before = gateway.world.asked.filter((each) => each.startsWith('GET /interaction/')).length;
    await gateway.toCallback(gateway.browser(), 'ann', { connector: 'other', there });
    return gateway.world.asked.filter((each) => each.startsWith('GET /interaction/')).length > before;
  };
  expect(await isAsked()).toBe(false);

  expect(await signOutThere(there, url!)).toBe(`${ORIGIN}/web/login`);
  expect(await isAsked()).toBe(true);
  // It tells those it had signed in to as well.
  await expect.poll(() => isIn(ann)).toBe(false);
});

test('without sign_out_return the provider keeps them on a page of its own, signed out', async () => {
  const there = createCookieBrowser();
  const ann = gateway.browser();
  await gateway.signIn(ann, 'ann', { there });
  await ann.open();
  const { url } = await call(ann.send, identityRoutes.signOut, {});

  expect(await signOutThere(there, url!)).toContain(`${gateway.world.issuer}/session/end/success`);
});
