import { setImmediate } from 'node:timers/promises';
import { allRoutes } from '@gatehouse/contract/api/api';
import { errorBody } from '@gatehouse/contract/wire/errors';
import { paramNames, pathFor } from '@gatehouse/contract/wire/route';
import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestGateway, type TestGateway } from '../../../testing/start-test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

const CSRF = 'ab'.repeat(32);
const JSON_TYPE = { 'content-type': 'application/json' };
/** What a browser of somebody else, signed in elsewhere, would send. */
const FOREIGN = {
  cookie: `session=${Buffer.from('{"user":"mallory","sid":"0"}').toString('hex')}; grv_csrf=${CSRF}`,
  'x-csrf-token': CSRF,
  authorization: 'Bearer 00',
};

const routes = allRoutes().map(({ route }) => ({
  title: `${route.method} ${route.path}`,
  route,
  path: pathFor(route.path, Object.fromEntries(paramNames(route.path).map((param) => [param, 'x1']))),
}));
const priv = routes.filter(({ route }) => route.auth !== 'public');
const changing = routes.filter(({ route }) => route.method !== 'GET');
const withBody = routes.filter(({ route }) => route.body);

type Verdict = Awaited<ReturnType<typeof verdict>>;

async function verdict(options: InjectOptions) {
  // Calls without a socket never leave the turn they are made in: without this nothing would be heard from the store.
  await setImmediate();
  // The limiter must not be what answers here.
  gateway.clock.advance(60_000);
  const response = await gateway.app.inject({ ...options, headers: { host: 'localhost:3080', ...options.headers } });
  // Drawn anew for each call.
  const body = response.body.replace(/"nonce":"[^"]*"/, '"nonce":"…"').replaceAll(/\?said=[^'"]*/g, '?said=…');
  return { status: response.statusCode, body, type: String(response.headers['content-type'] ?? '') };
}

function expectRefusal({ status, body, type }: Verdict) {
  expect(status).toBeGreaterThanOrEqual(400);
  // What is not offered at all says so, by 501.
  if (status !== 501) expect(status).toBeLessThan(500);
  expect(type).toContain('application/json');
  expect(errorBody.safeParse(JSON.parse(body)).success).toBe(true);
}

test('the tables are not empty', () => {
  for (const table of [priv, changing, withBody]) expect(table.length).toBeGreaterThan(2);
});

test.each(priv)('$title without a cookie is refused with 403', async ({ route, path }) => {
  const given = await verdict({ method: route.method, url: path });

  expectRefusal(given);
  expect(given.status).toBe(403);
});

test.each(priv)('$title with a foreign cookie is refused with 403', async ({ route, path }) => {
  const given = await verdict({ method: route.method, url: path, headers: FOREIGN });

  expectRefusal(given);
  expect(given.status).toBe(403);
});

test.each(routes)('$title answers another method with 405', async ({ path }) => {
  const taken = routes.filter((other) => other.path === path).map(({ route }) => route.method as string);
  for (const method of (['PATCH', 'DELETE', 'PUT', 'POST', 'GET'] as const).filter((each) => !taken.includes(each))) {
    const given = await verdict({ method, url: path });

    expectRefusal(given);
    expect([method, given.status]).toEqual([method, 405]);
  }
});

test.each(changing)('$title refuses malformed JSON', async ({ route, path }) => {
  expectRefusal(
    await verdict({ method: route.method, url: path, headers: { ...JSON_TYPE, ...FOREIGN }, payload: '{"a":' }),
  );
});

test.each(withBody)('$title refuses a body of the wrong types', async ({ route, path }) => {
  for (const payload of ['[]', '"text"', '7', 'null', '{"user":[],"pass":{},"event":7}', '{"__proto__":{"a":1}}']) {
    expectRefusal(await verdict({ method: route.method, url: path, headers: { ...JSON_TYPE, ...FOREIGN }, payload }));
  }
});

test.each(withBody)('$title refuses a wrong content type', async ({ route, path }) => {
  const headers = { ...FOREIGN, 'content-type': 'text/plain' };
  expectRefusal(await verdict({ method: route.method, url: path, headers, payload: '{}' }));
});

/** Made once: as text it would be written out again for each route. */
const TOO_LARGE = Buffer.from(`{"a":"${'x'.repeat(10 * 1024 * 1024)}"}`);

test.each(changing)('$title refuses a body over 10 MiB', async ({ route, path }) => {
  const headers = { ...JSON_TYPE, ...FOREIGN };
  expectRefusal(await verdict({ method: route.method, url: path, headers, payload: TOO_LARGE }));
});

const forms = routes.filter(({ route }) => route.bodyAs === 'form');

test.each(forms)('$title refuses a form of very many fields, or of one twice, at once', async ({ route, path }) => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const many = Array.from({ length: 150_000 }, (_, at) => at.toString(36)).join('&');
  const before = process.cpuUsage();

  for (const payload of [many, 'a=1&a=2'])
    expectRefusal(await verdict({ method: route.method, url: path, headers, payload }));

  // What grows with the square takes a minute.
  expect(process.cpuUsage(before).user).toBeLessThan(3_000_000);
});

const TRICKS: Record<string, (path: string) => string> = {
  'a dot segment in front': (path) => `/v1/..${path}`,
  'an encoded dot segment': (path) => `/v1/%2e%2e${path}`,
  'a doubled slash': (path) => `/${path}`,
  'a doubled slash inside': (path) => path.replace('/v1/', '/v1//'),
  'upper case': (path) => path.toUpperCase(),
  'a .json suffix': (path) => `${path}.json`,
  'a trailing slash': (path) => `${path}/`,
  'a semicolon': (path) => `${path};x=1`,
  'an encoded slash': (path) => path.replace('/v1/', '/v1%2f'),
  'an encoded letter': (path) => path.replace('v1', '%76%31'),
  'a NUL': (path) => `${path}%00`,
  'a broken escape': (path) => `${path}%zz`,
  backslashes: (path) => path.replaceAll('/', '\\'),
};

test.each(routes)('$title gives no trick of the path another verdict than the plain path', async ({ route, path }) => {
  const plain = await verdict({ method: route.method, url: path });
  for (const change of Object.values(TRICKS)) {
    const tricked = await verdict({ method: route.method, url: change(path) });

    // Either the very same answer as the plain path, or a refusal: never more than the plain path gives.
    if (tricked.status < 400) expect({ ...tricked, trick: change.name }).toEqual({ ...plain, trick: change.name });
    else expectRefusal(tricked);
  }
});
