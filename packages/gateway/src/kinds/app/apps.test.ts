import { createPublicKey, verify } from 'node:crypto';
import { appRoutes, jwksRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppWorld, ask, openApp, startAppWorld } from '../../../testing/apps/app-world.ts';

let world: AppWorld;
let cookie: string;
let uri: string;
const seen: { url: string; headers: Record<string, unknown> }[] = [];

beforeAll(async () => {
  world = await startAppWorld();
  const port = await world.upstream((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    response.writeHead(200, { 'content-type': 'text/plain', 'set-cookie': ['own=1; Path=/'] });
    response.end(`hello from ${request.url}`);
  });
  uri = `http://127.0.0.1:${port}`;
  await world.add('hello', uri);
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

test('what says who somebody is says for which application: by its address, and by the name that no other has', async () => {
  await world.add('other', uri);
  const audienceAt = async (name: string, cookies: string) => {
    await ask(world.port, { host: `${name}.localhost`, path: '/', headers: { cookie: cookies } });
    const claims = String(seen.at(-1)!.headers['gatehouse-jwt-assertion']).split('.')[1]!;
    const { iss, aud } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    return { iss, aud };
  };

  const others = await openApp(world, world.ann, 'other.localhost');

  expect(await audienceAt('hello', cookie)).toEqual({ iss: 'localhost', aud: [uri, 'hello'] });
  expect(await audienceAt('other', others)).toEqual({ iss: 'localhost', aud: [uri, 'other'] });
});

test('the list shows it with where it is served', async () => {
  const { items } = await call(world.ann.send, appRoutes.list, { params: { clusterId: 'localhost' } } as never);

  expect(items).toContainEqual(
    expect.objectContaining({ name: 'hello', fqdn: 'hello.localhost', publicAddr: 'hello.localhost' }),
  );
});

test('the list is sorted by the address it shows, and searches it', async () => {
  await world.add('zzz', uri, { publicAddr: 'aa.elsewhere.example' });
  const list = async (query: object) => {
    const asked = { params: { clusterId: 'localhost' }, query } as never;
    return (await call(world.ann.send, appRoutes.list, asked)).items.map(({ name }) => name);
  };

  expect((await list({ sort: 'publicAddress:asc' }))[0]).toBe('zzz');
  expect(await list({ search: 'hello.localhost' })).toEqual(['hello']);
});
