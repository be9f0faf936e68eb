import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { APP_TCP_SOCKET, appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { call } from '@gatehouse/contract/wire/client';
import { openTcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppWorld, makeRole, startAppWorld } from '../../../testing/apps/app-world.ts';
import { codeOf, enrolApp } from '../../../testing/identity-gateway.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

let world: AppWorld;
let upstream: Server;
let reached = 0;
const sockets = new Set<Socket>();

beforeAll(async () => {
  world = await startAppWorld({ secondFactor: 'optional' });
  upstream = createServer((socket) => {
    reached += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  await world.add('echo', `tcp://127.0.0.1:${port}`);
  await world.add('other', `tcp://127.0.0.1:${port}`);
  const web = await world.upstream((_, response) => void response.end('inside'));
  await world.add('web', `http://127.0.0.1:${web}`);
  await makeRole(
    world.admin,
    'careful',
    '{options: {require_session_mfa: true}, allow: {app_labels: {env: dev}, rules: [{resources: [app_server], verbs: [list]}]}}',
  );
});
afterAll(async () => {
  await world.close();
  for (const socket of sockets) socket.destroy();
  upstream.close();
});

let people = 0;
let tokens = 0;

/** Somebody whose role asks for a second factor, with an authenticator app. */
async function careful(): Promise<{ who: TestBrowser; secret: string }> {
  people += 1;
  const name = `careful-${people}`;
  await world.gateway.addUser(name, { roles: ['careful'] });
  const who = await world.gateway.signedIn(name);
  return { who, secret: await enrolApp(world.gateway, who) };
}

/** A command line of theirs, with a credential of its own. */
async function commandLine(who: TestBrowser) {
  tokens += 1;
  const { token } = await call(who.send, apiTokenRoutes.create, {
    body: { name: `cli-${tokens}`, scope: 'all' },
  });
  const send = world.gateway.browser().sendWith({ authorization: `Bearer ${token}` });
  const open = (pass = '', name = 'echo'): Promise<Duplex> =>
    openTcpStream({
      door: APP_TCP_SOCKET,
      origin: `http://127.0.0.1:${world.port}`,
      token,
      clusterId: 'localhost',
      name,
      userAgent: 'test',
      pass,
    });
  const pass = (factor?: { code: string }, name = 'echo') =>
    call(send, appRoutes.pass, { params: { clusterId: 'localhost', name }, body: { factor } });
  return { send, open, pass };
}

async function echoes(stream: Duplex): Promise<string> {
  stream.write('hi');
  const [data] = await once(stream, 'data');
  stream.destroy();
  return String(data);
}

test('without a role that asks for one, connections need no second factor', async () => {
  const { open, pass } = await commandLine(world.ann);

  expect(await pass()).toEqual({ pass: '' });
  expect(await echoes(await open())).toBe('hi');
});

test('where a role asks for a second factor a connection without one never reaches the application', async () => {
  const { who, secret } = await careful();
  const first = await commandLine(who);
  const second = await commandLine(who);
  const before = reached;

  await expect(first.open()).rejects.toMatchObject({ code: 'mfa_required' });
  await expect(first.open('0'.repeat(64))).rejects.toMatchObject({ code: 'mfa_required' });
  await expect(first.pass()).rejects.toMatchObject({ code: 'mfa_required' });
  await expect(first.pass({ code: '000000' })).rejects.toMatchObject({ code: 'bad_request' });
  expect(reached).toBe(before);

  world.gateway.clock.advance(30_000);
  const code = codeOf(secret, world.gateway.clock.now);
  const { pass } = await first.pass({ code });
  await expect(second.pass({ code })).rejects.toMatchObject({ code: 'bad_request' });
  expect(await echoes(await first.open(pass))).toBe('hi');
  expect(await echoes(await first.open(pass))).toBe('hi');

  // It is worth nothing with another credential, for another application, or an hour later.
  await expect(second.open(pass)).rejects.toMatchObject({ code: 'mfa_required' });
  await expect(first.open(pass, 'other')).rejects.toMatchObject({ code: 'mfa_required' });
  world.gateway.clock.advance(60 * 60_000);
  await expect(first.open(pass)).rejects.toMatchObject({ code: 'mfa_required' });
});

test('the session that programs use of a web application takes a second factor likewise', async () => {
  const { who, secret } = await careful();
  const { send } = await commandLine(who);
  const session = (factor?: { code: string }) =>
    call(send, appRoutes.session, { body: { fqdn: 'web.localhost', factor } as never });

  await expect(session()).rejects.toMatchObject({ code: 'mfa_required' });
  await expect(session({ code: '000000' })).rejects.toMatchObject({ code: 'bad_request' });
  world.gateway.clock.advance(30_000);

  expect(await session({ code: codeOf(secret, world.gateway.clock.now) })).toMatchObject({ fqdn: 'web.localhost' });
});
