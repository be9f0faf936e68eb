/** What the gateway itself answers, at its own address and at those of applications: nobody frames it, and no redirect leads away. */
import { connect } from 'node:net';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Answered,
  type AppWorld,
  ask,
  cookieText,
  openApp,
  startAppWorld,
} from '../../../testing/apps/app-world.ts';

let world: AppWorld;
const HOST = 'echo.localhost';
const CONSOLE = 'localhost';
const OWN_HOSTS = ['localhost:3080', `${HOST}:3080`];

beforeAll(async () => {
  world = await startAppWorld();
  const port = await world.upstream((_, response) => void response.end('inside'));
  await world.add('echo', `http://127.0.0.1:${port}`);
  await world.add('down', 'http://127.0.0.1:9');
});
afterAll(() => world.close());

const AWAY = [
  'https://evil.example/',
  '//evil.example/',
  '///evil.example/',
  '/\\evil.example/',
  '\\\\evil.example',
  '/%5cevil.example',
  '/%2f%2fevil.example',
  '/.//evil.example',
  '/..//evil.example',
  'https:evil.example',
  'https:/\\evil.example',
  '//localhost:3080@evil.example/',
  '//localhost:3080.evil.example/',
  '//[::1]/',
  '//2130706433/',
  '/\t/evil.example',
  '/\n/evil.example',
  '\u0001//evil.example',
  'javascript:alert(1)',
  'data:text/html,x',
  '@evil.example',
  '.evil.example',
  ':81/',
];

/** Where a browser would go. */
function leadsTo({ headers }: Answered, host: string): string | undefined {
  return headers.location === undefined ? undefined : new URL(headers.location, `http://${host}:3080/`).host;
}

/** Each is given the text in every place that other products have taken a target from. */
const DOORS: Record<string, (text: string) => { host: string; path: string }> = {
  'the root': (text) => ({ host: CONSOLE, path: `/?redirect_uri=${text}&next=${text}` }),
  'the page to sign in': (text) => ({ host: CONSOLE, path: `/web/login?redirect_uri=${text}&redirect_url=${text}` }),
  'an address that is none': (text) => ({ host: CONSOLE, path: `/nowhere?redirect_uri=${text}` }),
  'an application without a session': (text) => ({ host: HOST, path: `/?path=${text}&redirect_uri=${text}` }),
  'the begin of a launch': (text) => ({ host: HOST, path: `/x-gatehouse-start?path=${text}` }),
  'the end of a launch': (text) => ({ host: HOST, path: `/x-gatehouse-launch?code=x&path=${text}&state=${text}` }),
  'the sign-out of an application': (text) => ({ host: HOST, path: `/teleport-logout?redirect=${text}` }),
  'an application nobody has': (text) => ({ host: `nobody.${CONSOLE}`, path: `/?redirect_uri=${text}` }),
};

test.each(Object.entries(DOORS))('%s leads nobody away, by query or Referer', async (_, door) => {
  for (const text of AWAY) {
    const { host, path } = door(encodeURIComponent(text));
    const headers = { referer: 'https://evil.example/page', 'x-forwarded-host': 'evil.example' };
    const answer = await ask(world.port, { host, path, headers });

    expect([text, [undefined, ...OWN_HOSTS].includes(leadsTo(answer, host))]).toEqual([text, true]);
    expect([text, answer.headers.location?.startsWith('/') ? answer.headers.location[1] : '']).not.toEqual([text, '/']);
    expect(answer.headers.refresh).toBeUndefined();
  }
});

test('a path that was asked for at an application leads back to that application, whatever it holds', async () => {
  for (const text of AWAY) {
    const begun = await ask(world.port, { host: HOST, path: `/x-gatehouse-start?path=${encodeURIComponent(text)}` });
    const { searchParams } = new URL(begun.headers.location ?? '');
    const body = { fqdn: HOST, path: searchParams.get('path') ?? '', state: searchParams.get('state') ?? '' } as never;
    const { url } = await call(world.ann.send, appRoutes.launch, { body });
    const { pathname, search } = new URL(url);
    const headers = { cookie: cookieText(begun) };
    const landed = await ask(world.port, { host: HOST, path: `${pathname}${search}`, headers });

    expect([text, landed.status, leadsTo(landed, HOST)]).toEqual([text, 303, `${HOST}:3080`]);
  }
});

const MARKUP = '<img/src=x>"\'`--></script><svg/onload=x>';

test.each(Object.entries(DOORS))('%s shows nothing of an address as markup', async (_, door) => {
  const { host, path } = door(encodeURIComponent(MARKUP));
  for (const asked of [path, path.replaceAll(encodeURIComponent(MARKUP), MARKUP.replaceAll(' ', '')), `/${MARKUP}`]) {
    const answer = await ask(world.port, { host, path: asked, headers: { referer: MARKUP, 'user-agent': MARKUP } });
    const isText = !String(answer.headers['content-type'] ?? '').includes('html');

    expect([asked, isText || !/<img|<svg\/|<\/script><svg/.test(answer.body)]).toEqual([asked, true]);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  }
});

test('whatever the gateway itself answers at any address refuses to be framed', async () => {
  const cookie = await openApp(world, world.ann, HOST);
  const answers: [string, Answered][] = [];
  for (const path of [
    '/',
    '/web',
    '/web/login',
    '/web/config.js',
    '/nowhere',
    '/%zz',
    '/web/app/none.js',
    '/scripts/x/y',
  ])
    answers.push([path, await ask(world.port, { host: CONSOLE, path })]);
  for (const path of ['/', '/x-gatehouse-start', '/x-gatehouse-launch?code=x', '/teleport-logout', '/x-teleport-auth'])
    for (const method of ['GET', 'POST', 'OPTIONS'])
      answers.push([`${method} ${path}`, await ask(world.port, { host: HOST, path, method })]);
  answers.push(['no such application', await ask(world.port, { host: `nobody.${CONSOLE}` })]);
  answers.push(['another name', await ask(world.port, { host: 'evil.example' })]);
  answers.push(['signed out', await ask(world.port, { host: HOST, path: '/teleport-logout', headers: { cookie } })]);
  const down = await openApp(world, world.ann, 'down.localhost');
  answers.push(['down', await ask(world.port, { host: 'down.localhost', headers: { cookie: down } })]);

  for (const [what, { headers }] of answers) {
    expect([what, headers['content-security-policy']]).toEqual([
      what,
      expect.stringContaining("frame-ancestors 'none'"),
    ]);
    expect([what, headers['x-frame-options']]).toEqual([what, 'DENY']);
  }
});

test.each([
  ['bytes that are no HTTP', 'NOT HTTP\r\n\r\n'],
  ['a header without end', `GET / HTTP/1.1\r\nhost: localhost:3080\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`],
  ['an upgrade of an application', `GET / HTTP/1.1\r\nhost: ${HOST}:3080\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n`],
  ['an upgrade of nothing', 'GET / HTTP/1.1\r\nhost: localhost:3080\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
])('%s: the refusal cannot be framed either', async (_, bytes) => {
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect(world.port, '127.0.0.1', () => void socket.write(bytes));
    socket.on('data', (piece) => {
      text += piece;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });

  expect(answer.toLowerCase()).toContain("frame-ancestors 'none'");
});
