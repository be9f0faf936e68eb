/** Pages of other sites, and strangers, at the pages of signing in through a provider: nobody else's sign-in suffers. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type SsoGateway, startSsoGateway, visit } from '../../../../testing/connectors/sso-gateway.ts';
import { PASSWORD } from '../../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../../testing/test-browser.ts';

let gateway: SsoGateway;
beforeEach(async () => {
  gateway = await startSsoGateway();
  await gateway.save();
  await gateway.addUser('bob');
});
afterEach(() => gateway.close());

type Headers = Record<string, string>;

/** As Chromium and Firefox send them from a page of another site. */
const EMBEDDED: readonly { as: string; headers: Headers }[] = [
  { as: 'an image', headers: { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' } },
  { as: 'a script', headers: { 'sec-fetch-dest': 'script', 'sec-fetch-mode': 'no-cors' } },
  { as: 'a frame', headers: { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' } },
  { as: 'an object', headers: { 'sec-fetch-dest': 'object', 'sec-fetch-mode': 'navigate' } },
  { as: 'a fetch', headers: { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' } },
  { as: 'a beacon', headers: { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'no-cors' } },
].map(({ as, headers }) => ({ as, headers: { 'sec-fetch-site': 'cross-site', ...headers } }));

const AHEAD: readonly { as: string; headers: Headers }[] = [
  { as: 'a prefetch', headers: { 'sec-purpose': 'prefetch', 'sec-fetch-dest': 'document' } },
  {
    as: 'a prerender',
    headers: { 'sec-purpose': 'prefetch;prerender', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' },
  },
  { as: 'an older prefetch', headers: { purpose: 'prefetch' } },
];

const OPENED: readonly { as: string; headers: Headers }[] = [
  {
    as: 'a page another site leads to',
    headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' },
  },
  {
    as: 'a navigation that is for nothing in particular',
    headers: { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'navigate' },
  },
  { as: 'a client without such headers', headers: {} },
  { as: 'a program that says cors and nothing else', headers: { 'sec-fetch-mode': 'cors' } },
];

const get = (browser: TestBrowser, url: string, headers: Headers = {}) =>
  browser.sendWith(headers)({ method: 'GET', url });
const forged = (index: number) => `/v1/webapi/oidc/callback?state=nobody${index}&code=x`;

test('of sixty failing answers at once from one address twenty are looked at', async () => {
  const browser = gateway.browser();

  const answers = await Promise.all(Array.from({ length: 60 }, (_, index) => get(browser, forged(index))));

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(40);
  const failures = (await gateway.events()).filter(({ code }) => code === 'T1001W');
  expect(failures).toHaveLength(20);
});

test('failing answers take nothing from signing in with a password', async () => {
  const browser = gateway.browser();
  for (let index = 0; index < 40; index++) await get(browser, forged(index));

  expect(await browser.signIn('bob', PASSWORD)).toMatchObject({ type: 'Bearer' });
});

test('nor do the words of the failures', async () => {
  const browser = gateway.browser();
  for (let index = 0; index < 40; index++) await get(browser, '/v1/webapi/login/failure?kind=generic&said=x');

  expect(await browser.signIn('bob', PASSWORD)).toMatchObject({ type: 'Bearer' });
});

test.each([...EMBEDDED, ...AHEAD])('$as uses no answer up, and counts as nothing', async ({ headers }) => {
  const browser = gateway.browser();
  const callback = await gateway.toCallback(browser, 'ann');

  const embedded = [callback, ...Array.from({ length: 30 }, (_, index) => forged(index))];
  for (const url of embedded) expect((await get(browser, url, headers)).status).toBe(403);

  expect(await gateway.events()).not.toContainEqual(expect.objectContaining({ code: 'T1001W' }));
  const finish = await visit(browser, callback);
  expect((await get(browser, finish, headers)).status).toBe(403);
  expect(await visit(browser, finish)).toBe('/web');
});

test.each([...EMBEDDED, ...AHEAD])('$as begins nothing', async ({ headers }) => {
  const begin = '/v1/webapi/oidc/login/web?connector_id=okta';

  expect((await get(gateway.browser(), begin, headers)).status).toBe(403);

  expect(await gateway.storage.db.selectFrom('sso_attempt').select('id').execute()).toEqual([]);
});

test.each(EMBEDDED)('$as of another site takes nothing from whoever looks at it', async ({ headers }) => {
  const browser = gateway.browser();
  const failure = '/v1/webapi/login/failure?kind=generic&said=x';
  for (let index = 0; index < 300; index++) await get(browser, failure, headers);

  // Of no use, and not one too many.
  expect((await get(browser, failure)).status).toBe(404);
});

test('a HEAD uses nothing up and begins nothing', async () => {
  const browser = gateway.browser();
  const callback = await gateway.toCallback(browser, 'ann');
  const head = (url: string) => browser.send({ method: 'HEAD', url });

  expect((await head('/v1/webapi/oidc/login/web?connector_id=okta')).status).toBe(405);
  expect((await head(callback)).status).toBe(405);
  const finish = await visit(browser, callback);
  expect((await head(finish)).status).toBe(405);

  expect(await gateway.storage.db.selectFrom('sso_attempt').select('id').execute()).toHaveLength(1);
  expect(await visit(browser, finish)).toBe('/web');
});

test.each(OPENED)('$as gets in', async ({ headers }) => {
  const browser = gateway.browser();
  const callback = await gateway.toCallback(browser, 'ann');

  const { status, text } = await get(browser, callback, headers);

  expect([status, /sso\/finish/.test(text)]).toEqual([200, true]);
});
