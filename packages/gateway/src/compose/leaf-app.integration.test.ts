/** Web applications of a leaf in a browser that is signed in at its root: launched, passed on, and over with what they stand on. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { appRoutes, JWT_HEADER } from '@gatehouse/contract/kinds/app/apps';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { AGENT, type AppWorld, ask, makeRole, openApp, startAppWorld } from '../../testing/apps/app-world.ts';
import { startCluster, type TestCluster } from '../../testing/federation/two-clusters.ts';
import { codeOf, enrolApp } from '../../testing/identity-gateway.ts';
import { makeLeaf } from '../../testing/relay/leaf-world.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

let root: TestCluster;
let leaf: AppWorld;
let ann: TestBrowser;
let world: { port: number };
/** The leaf is called as the host of the root. */
const HOST = 'web.localhost.localhost';
const params = { clusterId: '-current-' };

beforeAll(async () => {
  root = await startCluster('home', undefined, { secondFactor: 'optional' });
  leaf = await startAppWorld();
  const server = createServer(async (incoming, response) => {
    let size = 0;
    for await (const piece of incoming) size += (piece as Buffer).length;
    if (incoming.url === '/redirect')
      response.writeHead(302, { location: `http://${incoming.headers.host}/next` }).end();
    else if (incoming.url === '/cookies')
      response
        .setHeader('set-cookie', [
          'own=1',
          'wide=1; Domain=localhost',
          'all=1; Domain=localhost.localhost',
          'grv_app_session=stolen',
        ])
        .end('ok');
    else response.end(JSON.stringify({ ...incoming.headers, size, url: incoming.url }));
  });
  const echo = new WebSocketServer({ server });
  echo.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)));
  await leaf.add('web', `http://127.0.0.1:${await leaf.server(server)}`);
  await makeRole(leaf.admin, 'careful', '{options: {require_session_mfa: true}}');
  await makeLeaf(root, leaf.gateway, [
    { remote: 'access', local: ['dev'] },
    { remote: 'editor', local: ['dev', 'careful'] },
  ]);
  ann = await root.signedIn('ann');
  world = { port: (root.app.server.address() as AddressInfo).port };
});
afterAll(async () => {
  await leaf?.close();
  await root?.close();
});

const visit = (cookie: string, path = '/', more: object = {}) =>
  ask(world.port, { host: HOST, path, headers: { cookie }, ...more });
const sessions = async () => (await call(leaf.admin.send, sessionRoutes.list, { params })).sessions ?? [];

test('an application of the leaf is opened at a host of the root, and hears from the leaf who it is', async () => {
  const cookie = await openApp(world, ann, HOST, '/start?x=1');

  const { status, body } = await visit(`${cookie}; mine=1`, '/page?y=2');

  expect(status).toBe(200);
  const heard = JSON.parse(body) as Record<string, string>;
  expect(heard).toMatchObject({ url: '/page?y=2', cookie: 'mine=1', 'x-forwarded-host': `${HOST}:3080` });
  const [, claims = ''] = (heard[JWT_HEADER.toLowerCase()] ?? '').split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({ iss: 'localhost', sub: 'root/ann' });
  await vi.waitFor(async () => {
    const events = await leaf.gateway.events();
    expect(events).toContainEqual(expect.objectContaining({ code: 'T2007I', user: 'root/ann' }));
  });
  expect((await root.events()).map(({ code }) => code)).not.toContain('T2007I');
});

test('bodies, redirects and cookies go as they do for an application of ones own', async () => {
  const cookie = await openApp(world, ann, HOST);

  const sent = await visit(cookie, '/upload', { method: 'POST', body: 'x'.repeat(300_000) });
  const redirected = await visit(cookie, '/redirect');
  const cookies = await visit(cookie, '/cookies');

  expect(JSON.parse(sent.body)).toMatchObject({ size: 300_000 });
  expect(redirected.headers.location).toBe(`http://${HOST}:3080/next`);
  expect(cookies.headers['set-cookie']?.join('|')).not.toMatch(/stolen|Domain/);
});

test('a websocket is carried both ways', async () => {
  const cookie = await openApp(world, ann, HOST);
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}/live`, {
    headers: { host: `${HOST}:3080`, cookie, 'user-agent': AGENT },
  });
  await once(socket, 'open');
  socket.send('hello');
  const [said] = await once(socket, 'message');

  expect(String(said)).toBe('echo hello');
  socket.close();
});

test('the console launches it by what the list of the leaf calls it', async () => {
  const { items = [] } = await call(ann.send, appRoutes.list, { params: { clusterId: 'localhost' }, query: {} });
  const [listed] = items ?? [];
  const { fqdn, clusterId, publicAddr } = listed!;

  const body = { fqdn, cluster_name: clusterId, public_addr: publicAddr } as never;
  const launched = await call(ann.send, appRoutes.launch, { body });

  expect(launched.fqdn).toBe(HOST);
  expect(launched.url).toContain(`http://${HOST}:3080/`);
});

test('cookies are of one browser and one host, and whoever is not seen there does not come in', async () => {
  const cookie = await openApp(world, ann, HOST);

  expect((await visit(cookie, '/', { headers: { cookie, 'user-agent': 'another' } })).status).toBe(302);
  expect((await ask(world.port, { host: 'other.localhost.localhost', headers: { cookie } })).status).toBe(302);
  await root.addUser('eve', { roles: ['auditor'] });
  const eve = await root.signedIn('eve');
  await expect(openApp(world, eve, HOST)).rejects.toThrow('none of your roles');
  await expect(openApp(world, ann, 'nothing.localhost.localhost')).rejects.toThrow("'nothing' not found");
  await expect(openApp(world, ann, 'web.nowhere.localhost')).rejects.toThrow("cluster 'nowhere' not found");
});

test('a second factor that a role of the leaf wants at each launch is checked by the root', async () => {
  await root.addUser('carl', { roles: ['editor'] });
  const carl = await root.signedIn('carl');
  const secret = await enrolApp(root, carl);
  root.clock.advance(30_000);
  leaf.gateway.clock.now = root.clock.now;
  const state = 'a'.repeat(64);
  const wanted = { fqdn: HOST, cluster_name: 'localhost', public_addr: '', state };
  const launch = (more = {}) => call(carl.send, appRoutes.launch, { body: { ...wanted, ...more } });

  await expect(launch()).rejects.toMatchObject({ code: 'mfa_required' });
  await expect(launch({ factor: { code: '000000' } })).rejects.toThrow();
  const { url } = await launch({ factor: { code: codeOf(secret, root.clock.now) } });

  expect(url).toContain(`http://${HOST}:3080/`);
  expect(url).toContain('code=');
});

test('signing out at the root ends it at the leaf, and what is open of it', async () => {
  const browser = await root.signedIn('ann');
  const cookie = await openApp(world, browser, HOST);
  const socket = new WebSocket(`ws://127.0.0.1:${world.port}/live`, {
    headers: { host: `${HOST}:3080`, cookie, 'user-agent': AGENT },
  });
  await once(socket, 'open');
  const closed = once(socket, 'close');
  const before = (await sessions()).length;

  const from = performance.now();
  await call(browser.send, signInRoutes.signOut, {});
  await closed;

  expect(performance.now() - from).toBeLessThan(SOON_MS);
  expect((await visit(cookie)).status).toBe(302);
  await vi.waitFor(async () => expect((await sessions()).length).toBe(before - 1), { timeout: SOON_MS });
});

test('a session that is ended at the leaf is not begun anew by its cookies', async () => {
  const known = new Set((await sessions()).map(({ id }) => id));
  const cookie = await openApp(world, ann, HOST);
  await visit(cookie);
  const [own] = (await sessions()).filter(({ id }) => !known.has(id));

  await leaf.gateway.sessions.end(own!.id, { cause: 'ended_by', message: 'it was ended by admin' });

  await vi.waitFor(async () => expect((await visit(cookie)).status).toBe(302), { timeout: SOON_MS });
});

test('somebody who opens sessions without end is refused, and nobody else', async () => {
  await root.addUser('mallory', { roles: ['access'] });
  const mallory = await root.signedIn('mallory');
  const wanted = { fqdn: HOST, cluster_name: 'localhost', public_addr: '', state: 'b'.repeat(64) };
  const launch = () => call(mallory.send, appRoutes.launch, { body: wanted as never });
  for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 10 }, launch));

  await expect(launch()).rejects.toMatchObject({ code: 'too_many', message: expect.stringContaining('100 sessions') });
  expect((await visit(await openApp(world, ann, HOST))).status).toBe(200);
});
