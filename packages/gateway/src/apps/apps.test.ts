import { createPublicKey, verify } from 'node:crypto';
import { appRoutes, jwksRoutes } from '@gatehouse/contract/apps/apps';
import { call } from '@gatehouse/contract/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppWorld, ask, openApp, startAppWorld } from './testing/app-world.ts';

let world: AppWorld;
let cookie: string;
const seen: { url: string; headers: Record<string, unknown> }[] = [];

beforeAll(async () => {
  world = await startAppWorld();
  const port = await world.upstream((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    response.writeHead(200, { 'content-type': 'text/plain', 'set-cookie': ['own=1; Path=/'] });
    response.end(`hello from ${request.url}`);
  });
  await world.add('hello', `http://127.0.0.1:${port}`);
  cookie = await openApp(world, world.ann, 'hello.localhost', '/first?a=1');
});
afterAll(() => world.close());

test('a browser with both cookies reaches the application, which learns who it is and nothing else of ours', async () => {
  const { status, body, headers } = await ask(world.port, {
    host: 'hello.localhost',
    path: '/page?x=1',
    headers: { cookie: `${cookie}; theirs=2`, 'x-forwarded-for': '6.6.6.6', 'gatehouse-jwt-assertion': 'forged' },
  });

  expect([status, body]).toEqual([200, 'hello from /page?x=1']);
  expect(headers['set-cookie']).toEqual(['own=1; Path=/']);
  const got = seen.at(-1)!.headers;
  expect(got).toMatchObject({
    cookie: 'theirs=2',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-host': 'hello.localhost:3080',
  });
  const { keys } = await call(world.ann.send, jwksRoutes.keys, {});
  const [head, claims, signature] = String(got['gatehouse-jwt-assertion']).split('.');
  const isGenuine = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key: createPublicKey({ key: keys[0] as never, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature!, 'base64url'),
  );
  expect(isGenuine).toBe(true);
  expect(JSON.parse(Buffer.from(claims!, 'base64url').toString())).toMatchObject({ sub: 'ann', roles: ['dev'] });
});

test('the list shows it with where it is served', async () => {
  const { items } = await call(world.ann.send, appRoutes.list, { params: { clusterId: 'localhost' } } as never);

  expect(items).toMatchObject([{ name: 'hello', fqdn: 'hello.localhost', publicAddr: 'hello.localhost' }]);
});
