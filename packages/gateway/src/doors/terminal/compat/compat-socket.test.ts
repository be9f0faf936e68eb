/** The terminal as clients of the wire reference use it. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type ShellWorld, startShellWorld } from '../../../../testing/sessions/shell-world.ts';
import { MAX_WAITING_BYTES } from '../waiting-input.ts';
import { decodeEnvelope, encodeEnvelope } from './envelope.ts';

let world: ShellWorld;
beforeEach(async () => {
  world = await startShellWorld();
});
afterEach(() => world.close());

function connect(params: unknown, as = world.ann): WebSocket {
  const { gateway } = world;
  const { port } = gateway.app.server.address() as AddressInfo;
  const query = `access_token=${as.bearer}&params=${encodeURIComponent(JSON.stringify(params))}`;
  const cookie = [...as.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return new WebSocket(`ws://127.0.0.1:${port}/v1/webapi/sites/localhost/connect?${query}`, {
    headers: { host: 'localhost:3080', origin: 'http://localhost:3080', cookie },
  });
}

function listen(socket: WebSocket) {
  const heard: { type: string; payload: string }[] = [];
  socket.on('message', (data: Buffer, isBinary: boolean) => {
    const { type, payload } = decodeEnvelope(data) ?? { type: '?', payload: '' };
    heard.push({ type: isBinary ? type : 'text', payload: String(payload) });
  });
  return {
    heard,
    printed: () =>
      heard
        .filter(({ type }) => type === 'r')
        .map(({ payload }) => payload)
        .join(''),
  };
}
const type = (socket: WebSocket, text: string) => socket.send(encodeEnvelope('r', Buffer.from(text)));

test('a session is told first, keys are echoed, sizes followed, and the end is an envelope', async () => {
  const socket = connect({ login: 'ubuntu', server_id: 'edge:22', term: { h: 24, w: 80 } });
  const { heard, printed } = listen(socket);
  await vi.waitFor(() => expect(heard[0]?.type).toBe('s'), { timeout: 5_000 });
  const { session } = JSON.parse(heard[0]?.payload ?? '');
  expect(session).toMatchObject({ login: 'ubuntu', server_hostname: 'edge', cluster_name: 'localhost', kind: 'ssh' });
  await vi.waitFor(() => expect(world.fakes.shells.size).toBe(1));
  await new Promise((resolve) => setTimeout(resolve, 50));

  type(socket, 'héllo');
  await vi.waitFor(() => expect(printed()).toBe('héllo'));
  const resize = { event: 'resize', width: 100, height: 30, size: '100:30' };
  socket.send(encodeEnvelope('w', Buffer.from(JSON.stringify(resize))));
  await vi.waitFor(() => expect(world.fakes.last().size).toEqual({ cols: 100, rows: 30 }));
  world.fakes.last().print('x'.repeat(200_000));
  await vi.waitFor(() => expect(printed()).toHaveLength(200_005), { timeout: 5_000 });

  const joined = connect({ sid: session.id, term: { h: 24, w: 80 } });
  const second = listen(joined);
  // Who comes late is given the screen as it is now; the first word has long scrolled out of it.
  await vi.waitFor(() => expect(second.printed()).toContain('x'.repeat(100)), { timeout: 5_000 });
  type(socket, 'exit');
  await once(socket, 'close');

  expect(heard.at(-1)).toEqual({ type: 'c', payload: '' });
});

const sized = (cols: number, rows: number) =>
  encodeEnvelope(
    'w',
    Buffer.from(JSON.stringify({ event: 'resize', width: cols, height: rows, size: `${cols}:${rows}` })),
  );

test('what is typed before the shell is there waits for it, in order, and so does a size', async () => {
  const socket = connect({ login: 'ubuntu', server_id: 'edge', term: { h: 24, w: 80 } });
  const { printed } = listen(socket);
  await once(socket, 'open');
  for (const key of 'first') type(socket, key);
  socket.send(sized(90, 20));
  socket.send(sized(100, 30));
  for (const key of ' then') type(socket, key);

  await vi.waitFor(() => expect(printed()).toBe('first then'), { timeout: 5_000 });
  expect([world.fakes.last().typed(), world.fakes.last().size]).toEqual(['first then', { cols: 100, rows: 30 }]);
  type(socket, '!');
  await vi.waitFor(() => expect(world.fakes.last().typed()).toBe('first then!'));
  socket.terminate();
});

test('more than can wait is said, on the screen and by the close', async () => {
  const socket = connect({ login: 'ubuntu', server_id: 'edge', term: { h: 24, w: 80 } });
  const { printed } = listen(socket);
  await once(socket, 'open');
  type(socket, 'x'.repeat(MAX_WAITING_BYTES + 1));
  const [code, reason] = await once(socket, 'close');

  expect([code, String(reason)]).toEqual([1008, 'too much was typed before the shell could take it']);
  expect(printed()).toContain('too much was typed');
});

test('a paste that is more than may be under way at once arrives whole', async () => {
  const socket = connect({ login: 'ubuntu', server_id: 'edge', term: { h: 24, w: 80 } });
  const { printed } = listen(socket);
  type(await open(socket), 'begin ');
  await vi.waitFor(() => expect(printed()).toBe('begin '), { timeout: 5_000 });
  const paste = Array.from({ length: 20_000 }, (_, at) => `line ${at}`).join('\n');

  type(socket, paste);

  await vi.waitFor(() => expect(world.fakes.last().typed()).toHaveLength(6 + paste.length), { timeout: 5_000 });
  expect(world.fakes.last().typed()).toBe(`begin ${paste}`);
  socket.terminate();
});

async function open(socket: WebSocket): Promise<WebSocket> {
  await once(socket, 'open');
  return socket;
}

test('who joins to look on types nothing, and a moderator is told how to end it', async () => {
  const modes = 'modes: [observer, moderator]';
  await world.makeRole('eyes', `{allow: {join_sessions: [{name: e, kinds: [ssh], roles: [dev], ${modes}}]}}`);
  await world.gateway.addUser('bob', { roles: ['eyes'] });
  const bob = await world.gateway.signedIn('bob');
  const owner = connect({ login: 'ubuntu', server_id: 'edge', term: { h: 24, w: 80 } });
  const { heard, printed } = listen(owner);
  await vi.waitFor(() => expect(heard[0]?.type).toBe('s'), { timeout: 5_000 });
  const { id } = JSON.parse(heard[0]?.payload ?? '').session;
  await vi.waitFor(() => expect(world.fakes.shells.size).toBe(1));
  const observer = connect({ sid: id, term: { h: 5, w: 20 } }, bob);
  const moderator = connect({ sid: id, mode: 'moderator', term: { h: 5, w: 20 } }, bob);
  const [seen, told] = [listen(observer), listen(moderator)];
  await vi.waitFor(() => expect(told.printed()).toContain('You moderate this session of ann'), { timeout: 5_000 });
  type(owner, 'hello');
  await vi.waitFor(() => expect(seen.printed()).toContain('hello'));
  type(observer, 'not me');
  type(moderator, 'nor me');
  type(owner, '!');
  await vi.waitFor(() => expect(printed()).toContain('hello!'));
  expect([world.fakes.last().typed(), world.fakes.last().size]).toEqual(['hello!', { cols: 80, rows: 24 }]);
  type(moderator, 't');
  await once(owner, 'close');

  expect(printed()).toContain('it was ended by bob');
});

test('who waits for a moderator reads so, types nothing meanwhile, and goes on when one is there', async () => {
  const policy = `{name: m, filter: 'contains(user.roles, "eyes")', kinds: [ssh], modes: [moderator], on_leave: pause}`;
  await world.makeRole('watched', `{allow: {require_session_join: [${policy}]}}`);
  await world.makeRole('eyes', '{allow: {join_sessions: [{name: e, kinds: [ssh], roles: [dev], modes: [moderator]}]}}');
  await world.gateway.addUser('cat', { roles: ['dev', 'watched'] });
  await world.gateway.addUser('bob', { roles: ['eyes'] });
  const owner = connect(
    { login: 'ubuntu', server_id: 'edge', term: { h: 24, w: 80 } },
    await world.gateway.signedIn('cat'),
  );
  const { heard, printed } = listen(owner);
  await vi.waitFor(() => expect(printed()).toContain('1 more must join as moderator. These could join: bob.'));
  type(owner, 'early');
  const { id } = JSON.parse(heard[0]?.payload ?? '').session;
  connect({ sid: id, mode: 'moderator', term: { h: 24, w: 80 } }, await world.gateway.signedIn('bob'));
  await vi.waitFor(() => expect(printed()).toContain('The session goes on.'), { timeout: 5_000 });
  type(owner, 'hello');
  await vi.waitFor(() => expect(printed()).toContain('hello'));

  expect(world.fakes.last().typed()).toBe('hello');
  owner.terminate();
});

test('a refusal is told as an error and printed for clients that know none', async () => {
  const socket = connect({ login: 'root', server_id: 'edge', term: { h: 24, w: 80 } });
  const { heard, printed } = listen(socket);
  await once(socket, 'close');

  expect(heard[0]).toMatchObject({ type: 'e', payload: expect.stringContaining("as 'root'") });
  expect(printed()).toContain("as 'root'");
});

test.each([[undefined], [{ term: { h: 0, w: 80 } }], ['text']])(
  'parameters %j are refused before the upgrade',
  async (params) => {
    const socket = connect(params);
    const [, response] = await once(socket, 'unexpected-response');

    expect(response.statusCode).toBe(400);
    socket.on('error', () => undefined).terminate();
  },
);
