import { createServer } from 'node:http';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import {
  AGENT,
  type Answered,
  type AppWorld,
  ask,
  cookieText,
  makeRole,
  openApp,
  startAppWorld,
} from '../../../testing/apps/app-world.ts';
import { codeOf, enrolApp } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let world: AppWorld;
const HOST = 'echo.localhost';
const ORIGIN = 'http://localhost:3080';

beforeAll(async () => {
  world = await startAppWorld({ secondFactor: 'optional' });
  const server = createServer((_, response) => void response.end('inside'));
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)));
  const port = await world.server(server);
  await world.add('echo', `http://127.0.0.1:${port}`);
  await world.add('secret', `http://127.0.0.1:${port}`, { labels: { env: 'prod' } });
});
afterAll(() => world.close());

const visit = (cookie: string, headers: Record<string, string> = {}) =>
  ask(world.port, { host: HOST, headers: { cookie, ...headers } });
const isSentAway = ({ status, headers }: Answered) =>
  status === 302 && headers.location?.startsWith(`${ORIGIN}/web/launch/`);

test('who is not signed in is sent to sign in and back to the same page and query', async () => {
  const { status, headers } = await ask(world.port, { host: HOST, path: '/deep/page?x=1&y=%20' });

  const location = new URL(headers.location ?? '');
  expect(status).toBe(302);
  expect(location.origin + location.pathname).toBe(`${ORIGIN}/web/launch/${HOST}`);
  expect(location.searchParams.get('path')).toBe('/deep/page?x=1&y=%20');
  expect(headers['set-cookie']?.[0]).toMatch(/^gatehouse_launch=[0-9a-f]{64}; Path=\/; HttpOnly; SameSite=Lax/);
});

test('what is no page is told instead of being sent elsewhere', async () => {
  const headers = { accept: 'application/json', 'sec-fetch-mode': 'cors' };

  expect((await ask(world.port, { host: HOST, headers })).status).toBe(401);
  expect((await ask(world.port, { host: HOST, method: 'POST', body: 'x' })).status).toBe(401);
});

test('both cookies open it; either alone, another browser or another application does not', async () => {
  const cookie = await openApp(world, world.ann, HOST);
  const [session = '', subject = ''] = cookie.split('; ');
  const other = await openApp(world, world.ann, HOST);
  const [, otherSubject = ''] = other.split('; ');

  expect((await visit(cookie)).body).toBe('inside');
  for (const wrong of [session, subject, `${session}; ${otherSubject}`, `${session}; ${subject.slice(0, -1)}`]) {
    expect(isSentAway(await visit(wrong))).toBe(true);
  }
  expect(isSentAway(await visit(cookie, { 'user-agent': `${AGENT} other` }))).toBe(true);
  expect((await ask(world.port, { host: 'secret.localhost', headers: { cookie } })).status).toBe(302);
});

test('cookies that were carried to another address open nothing there, and still work where they are at home', async () => {
  const cookie = await openApp(world, world.ann, HOST);
  const visits = ['127.0.0.1', '127.0.0.2', '127.0.0.1'].map(
    (from) => () => ask(world.port, { host: HOST, headers: { cookie }, from }),
  );

  expect((await visits[0]!()).body).toBe('inside');
  expect(isSentAway(await visits[1]!())).toBe(true);
  expect((await visits[2]!()).body).toBe('inside');
});

test('neither cookie nor code is ever written to the log of the gateway or to the audit log', async () => {
  const first = await ask(world.port, { host: HOST });
  const state = new URL(first.headers.location ?? '').searchParams.get('state') ?? '';
  const { url } = await call(world.ann.send, appRoutes.launch, { body: { fqdn: HOST, path: '/', state } as never });
  const { pathname, search, searchParams } = new URL(url);
  const second = await ask(world.port, {
    host: HOST,
    path: `${pathname}${search}`,
    headers: { cookie: cookieText(first) },
  });
  await visit(cookieText(second));

  const secrets = [...cookieText(second).split('; '), cookieText(first)].map((pair) => pair.split('=')[1] ?? '');
  const written = world.gateway.logged() + JSON.stringify(await world.gateway.events());
  expect(secrets).toHaveLength(3);
  for (const secret of [...secrets, searchParams.get('code') ?? '']) {
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(written).not.toContain(secret);
    expect(second.headers.location).not.toContain(secret);
  }
});

test('a session or a code that was given for an application before it changed does not open what it is now', async () => {
  const who = await person(`early-${Date.now()}`, `role-of-early-${Date.now()}`);
  const other = await world.upstream((_, response) => void response.end('another place'));
  await world.add('moving', `http://127.0.0.1:${other}`, { description: 'before' });
  const host = 'moving.localhost';
  const begun = await ask(world.port, { host });
  const state = new URL(begun.headers.location ?? '').searchParams.get('state') ?? '';
  const { url } = await call(who.send, appRoutes.launch, { body: { fqdn: host, path: '/', state } as never });
  // Not visited yet: nobody watches it.
  const cookie = await openApp(world, who, host);
  const params = { clusterId: 'localhost', name: 'moving' };
  const { app: _, ...rest } = await call(world.admin.send, appRoutes.get, { params });
  await call(world.admin.send, appRoutes.update, {
    params,
    body: { ...rest, labels: { env: 'dev', new: '1' } },
  } as never);

  expect((await ask(world.port, { host, headers: { cookie } })).status).toBe(302);
  const { pathname, search } = new URL(url);
  const path = `${pathname}${search}`;
  const redeemed = await ask(world.port, { host, path, headers: { cookie: cookieText(begun) } });
  expect((await ask(world.port, { host, headers: { cookie: cookieText(redeemed) } })).body).not.toBe('another place');
  await call(world.admin.send, appRoutes.remove, { params });
});

test('a code works once, in the browser it was made for, on its own host', async () => {
  const first = await ask(world.port, { host: HOST });
  const state = cookieText(first);
  const asked = new URL(first.headers.location ?? '').searchParams.get('state') ?? '';
  const code = async () => {
    const { url } = await call(world.ann.send, appRoutes.launch, {
      body: { fqdn: HOST, path: '/', state: asked } as never,
    });
    return new URL(url).search;
  };
  const redeem = (search: string, cookie: string, host = HOST) =>
    ask(world.port, { host, path: `/x-gatehouse-launch${search}`, headers: { cookie } });

  const good = await code();
  expect((await redeem(good, state)).status).toBe(303);
  expect((await redeem(good, state)).status).toBe(403);
  expect((await redeem(await code(), `gatehouse_launch=${'0'.repeat(64)}`)).status).toBe(403);
  expect((await redeem(await code(), '')).status).toBe(403);
  expect((await redeem(await code(), state, 'secret.localhost')).status).toBe(403);
  expect((await redeem('?code=', state)).status).toBe(403);
  const late = await code();
  world.gateway.clock.advance(61_000);
  expect((await redeem(late, state)).status).toBe(403);
});

test('without a state the browser first fetches one; a path never leads elsewhere', async () => {
  const launch = (path: string) => call(world.ann.send, appRoutes.launch, { body: { fqdn: HOST, path } as never });

  const { url } = await launch('//evil.example/x');

  expect(url).toBe(`http://${HOST}:3080/x-gatehouse-start?path=%2Fevil.example%2Fx`);
  await expect(launch('/\\evil.example')).rejects.toMatchObject({ status: 400 });
  await expect(launch('/a\nb')).rejects.toMatchObject({ status: 400 });
});

test('the handshake of the reference sets both cookies for the console’s origin alone, once', async () => {
  const { cookie_value, subject_cookie_value, fqdn } = await call(world.ann.send, appRoutes.session, {
    body: { fqdn: HOST, cluster_name: '', public_addr: '', arn: '' },
  });
  const post = (origin: string | undefined, subject = subject_cookie_value, host = HOST) =>
    ask(world.port, {
      host,
      path: '/x-teleport-auth',
      method: 'POST',
      headers: {
        'x-cookie-value': cookie_value,
        'x-subject-cookie-value': subject,
        ...(origin === undefined ? {} : { origin }),
      },
    });

  expect(fqdn).toBe(HOST);
  const preflight = await ask(world.port, {
    host: HOST,
    path: '/x-teleport-auth',
    method: 'OPTIONS',
    headers: { origin: ORIGIN },
  });
  expect(preflight.headers).toMatchObject({
    'access-control-allow-origin': ORIGIN,
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'POST',
  });
  expect((await post('https://evil.example')).status).toBe(403);
  expect((await post('null')).status).toBe(400);
  expect((await post(undefined)).status).toBe(400);
  expect((await post(ORIGIN, 'f'.repeat(64))).status).toBe(403);
  expect((await post(ORIGIN, subject_cookie_value, 'secret.localhost')).status).toBe(403);
  const right = await post(ORIGIN);
  expect(right.status).toBe(200);
  expect((await visit(cookieText(right))).body).toBe('inside');
  expect((await post(ORIGIN)).status).toBe(403);
  const codes = (await world.gateway.events()).map(({ code }) => code);
  expect(codes).toContain('T3007W');
});

test('what one does not see is launched like what is not there', async () => {
  const launch = (name: string) => {
    const body = { fqdn: `${name}.localhost`, path: '/', state: '0'.repeat(64) } as never;
    return call(world.ann.send, appRoutes.launch, { body });
  };

  for (const name of ['secret', 'nothing'])
    await expect(launch(name)).rejects.toMatchObject({
      status: 404,
      message: `application '${name}.localhost' not found`,
    });
});

test('where a role asks for a second factor for each session, a launch takes one', async () => {
  const careful = '{options: {require_session_mfa: true}, allow: {app_labels: {env: dev}}}';
  await makeRole(world.admin, 'careful', careful);
  await world.gateway.addUser('cautious', { roles: ['careful'] });
  const who = await world.gateway.signedIn('cautious');
  const secret = await enrolApp(world.gateway, who);
  const state = '0'.repeat(64);
  const launch = (factor?: { code: string }) =>
    call(who.send, appRoutes.launch, { body: { fqdn: HOST, path: '/', state, factor } as never });

  await expect(launch()).rejects.toMatchObject({ code: 'mfa_required' });
  await expect(launch({ code: '000000' })).rejects.toMatchObject({ status: 400 });
  world.gateway.clock.advance(30_000);
  const { url } = await launch({ code: codeOf(secret, world.gateway.clock.now) });

  expect(url).toContain('?code=');
});

async function person(name: string, role: string): Promise<TestBrowser> {
  await makeRole(
    world.admin,
    role,
    '{allow: {app_labels: {env: dev}, rules: [{resources: [app_server], verbs: [list]}]}}',
  );
  await world.gateway.addUser(name, { roles: [role] });
  return await world.gateway.signedIn(name);
}

test('a sign-out that nobody has heard of yet opens nothing either', async () => {
  const who = await person('swift', 'role-of-swift');
  const cookie = await openApp(world, who, HOST);
  const ended = { ended: 1, ended_reason: 'signed_out' };
  await world.gateway.storage.db.updateTable('sign_in').set(ended).where('user', '=', 'swift').execute();
  expect(isSentAway(await visit(cookie))).toBe(true);
});

test('the application’s own sign-out ends the session and takes the cookies away', async () => {
  const cookie = await openApp(world, world.ann, HOST);

  const { status, headers } = await ask(world.port, { host: HOST, path: '/teleport-logout', headers: { cookie } });

  expect(status).toBe(200);
  expect(headers['set-cookie']).toHaveLength(2);
  expect(headers['set-cookie']?.every((line) => line.includes('=; ') && line.includes('Max-Age=0'))).toBe(true);
  expect(isSentAway(await visit(cookie))).toBe(true);
});
