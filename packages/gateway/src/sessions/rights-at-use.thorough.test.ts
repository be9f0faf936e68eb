/** Terminals and their sockets: whatever was opened before a right was taken away is decided by what holds when it is used. */

import { once } from 'node:events';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { CHANGES_SOCKET, CLOSE_CODES } from '@gatehouse/contract/identity/change-frames';
import { LIVE_SESSIONS_SOCKET } from '@gatehouse/contract/sessions/live-frames';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { codeOf, enrolApp, PASSWORD } from '../../testing/identity-gateway.ts';
import { type ShellWorld, startShellWorld } from '../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, tabOf } from '../../testing/sessions/terminal-client.ts';
import { sendTo } from '../../testing/start-test-gateway.ts';
import { makeTakeawayRoles, TAKEAWAY_NAMES, TAKEAWAYS, type TakeawayName } from '../../testing/takeaways.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

let world: ShellWorld;
beforeAll(async () => {
  world = await startShellWorld();
  await makeTakeawayRoles(world.admin);
  await world.makeRole('helper', '{allow: {join_sessions: [{name: h, kinds: [ssh], roles: [dev], modes: ["*"]}]}}');
});
afterAll(() => world.close());

let people = 0;
async function somebody(roles = ['dev']): Promise<{ name: string; browser: TestBrowser }> {
  people += 1;
  const name = `person-${people}`;
  await world.gateway.addUser(name, { roles });
  // Each from an address of their own: one address does not sign in so many.
  const browser = world.gateway.browser({ address: `127.0.1.${people}` });
  await browser.signIn(name, PASSWORD);
  return { name, browser };
}

/** A socket that has said who it is, and asks for nothing yet. */
async function hoard(browser: TestBrowser, path?: string) {
  const tab = tabOf(world.gateway.app, browser);
  const socket = new WebSocket(path === undefined ? tab.url : new URL(path, tab.url), { headers: tab.headers });
  const told: { type: string; code?: string; flow?: string }[] = [];
  const closed = vi.fn();
  socket.on(
    'message',
    (data: Buffer, isBinary) => void told.push(isBinary ? { type: 'output' } : JSON.parse(`${data}`)),
  );
  socket.on('close', closed);
  socket.on('error', () => {});
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'hello', token: tab.token }));
  // Nothing says that it was taken. Were it later, the socket would hold less than it could, and the test prove less.
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { socket, told, closed };
}

const open = (browser: TestBrowser, request: Parameters<typeof connectTerminal>[1] = opening('edge', 'ubuntu')) => {
  const client = connectTerminal(tabOf(world.gateway.app, browser), request);
  onTestFinished(() => client.cut());
  return client;
};

const take = (what: TakeawayName, name: string, roles = ['dev']) => TAKEAWAYS[what](world.admin, name, roles);

/** What a socket that said hello before hears when it asks for a shell after. */
const AFTER_HELLO: Record<TakeawayName, { type: string; code?: string; flow?: string } | 'closed'> = {
  'the role is taken away': { type: 'refused', code: 'not_found' },
  'the user is locked': 'closed',
  'the user is deleted': 'closed',
  'an administrator signs them out': 'closed',
  'a second factor is asked for': { type: 'refused', code: 'mfa_required' },
  'a moderator is asked for': { type: 'flow', flow: 'waiting' },
};

test.each(TAKEAWAY_NAMES)('a socket that said hello before %s opens no shell afterwards', async (what) => {
  const { name, browser } = await somebody();
  const { socket, told, closed } = await hoard(browser);
  const before = world.fakes.shells.size;
  await take(what, name);
  socket.send(JSON.stringify(opening('edge', 'ubuntu')));

  const expected = AFTER_HELLO[what];
  await vi.waitFor(
    () => {
      if (expected === 'closed')
        expect([CLOSE_CODES.signInEnded, CLOSE_CODES.notSignedIn]).toContain(closed.mock.lastCall?.[0]);
      else expect(told).toContainEqual(expect.objectContaining(expected));
    },
    { timeout: SOON_MS },
  );
  expect(world.fakes.shells.size).toBe(before);
});

/** What ends a terminal that is open is held against every door by `lifecycle.thorough.test.ts`; this alone ends none. */
test('a terminal that is open is frozen soon when a moderator is asked for', async () => {
  const { name, browser } = await somebody();
  const client = open(browser);
  await client.state;
  await take('a moderator is asked for', name);

  await vi.waitFor(() => expect(client.replies).toContainEqual(expect.objectContaining({ flow: 'frozen' })), {
    timeout: SOON_MS,
  });
  client.type('unwatched');
  await expect(client.until(/unwatched/, 300)).rejects.toThrow();
});

test.each(TAKEAWAY_NAMES)('the same request asked again gives nothing after %s', async (what) => {
  const { name, browser } = await somebody();
  const request = opening('edge', 'ubuntu');
  await open(browser, request).state;
  const again = await hoard(browser);
  await take(what, name);
  again.socket.send(JSON.stringify(request));

  await vi.waitFor(
    () => {
      const isOver = again.closed.mock.calls.length > 0 || again.told.some(({ type }) => type === 'refused');
      expect(isOver || again.told.some(({ flow }) => flow === 'frozen')).toBe(true);
    },
    { timeout: SOON_MS },
  );
  expect(again.told.some(({ type }) => type === 'output')).toBe(false);
});

/** Conditions on one's own sessions do not keep anybody from moderating another's. */
const ENDS_MODERATING = TAKEAWAY_NAMES.filter((what) => !what.includes('asked for'));

test.each(ENDS_MODERATING)('who moderates is out when %s, and what they watched over stands still', async (what) => {
  const owner = await somebody(['dev', 'asks-eyes']);
  const helper = await somebody(['helper']);
  const session = open(owner.browser);
  const { sid } = await session.state;
  const attach = { type: 'attach', sid, mode: 'moderator', cols: 80, rows: 24, writer: '00000000000000bb' } as const;
  const late = await hoard(helper.browser);
  const eyes = open(helper.browser, attach);
  await eyes.state;
  await vi.waitFor(() => expect(session.replies).toContainEqual(expect.objectContaining({ flow: 'live' })), {
    timeout: 5_000,
  });
  await take(what, helper.name, ['helper']);

  await vi.waitFor(() => expect(session.flowEnds.at(-1)?.flow).toBe('frozen'), { timeout: SOON_MS });
  await eyes.closed;
  if (late.socket.readyState === WebSocket.OPEN) late.socket.send(JSON.stringify(attach));
  await vi.waitFor(() => expect(late.closed).toHaveBeenCalled(), { timeout: SOON_MS });
  expect(late.told.some(({ type }) => type === 'state')).toBe(false);
});

test('a role that goes while somebody looks for their key is gone when they have found it', async () => {
  const { name, browser } = await somebody(['dev', 'asks-factor']);
  const secret = await enrolApp(world.gateway, browser);
  const client = open(browser);
  await client.told('factor');
  const before = world.fakes.shells.size;
  await take('the role is taken away', name);
  client.send({ type: 'factor', code: codeOf(secret, world.gateway.clock.now) });

  expect(await client.told('refused')).toMatchObject({ code: 'denied' });
  expect(world.fakes.shells.size).toBe(before);
});

test('only a socket that asks for nothing is closed: those of a console that listens or works stay', async () => {
  const { browser } = await somebody();
  const silent = await hoard(browser);
  const site = LIVE_SESSIONS_SOCKET.replace(':clusterId', '-current-');
  const listening = [await hoard(browser, CHANGES_SOCKET), await hoard(browser, site)];
  const client = open(browser);
  await client.state;

  await vi.waitFor(() => expect(silent.closed).toHaveBeenCalled(), { timeout: 12_000 });
  expect(silent.closed.mock.lastCall?.[0]).toBe(CLOSE_CODES.nothingAsked);
  for (const { closed } of listening) expect(closed).not.toHaveBeenCalled();
  client.type('still here');
  await client.until(/still here/);
});

test('a token that may do less than its owner neither finds nor ends their sessions, unless it names them', async () => {
  const { browser } = await somebody();
  const { sid } = await open(browser).state;
  const params = { clusterId: '-current-', sid };
  const tokenOf = async (name: string, scope: 'read' | { users: ['list'] }) => {
    const { token } = await call(browser.send, apiTokenRoutes.create, { body: { name, scope, ttlSeconds: 3600 } });
    return sendTo(world.gateway.app, { authorization: `Bearer ${token}` });
  };
  const lister = await tokenOf('lister', { users: ['list'] });
  const reader = await tokenOf('reader', 'read');

  await expect(call(lister, sessionRoutes.end, { params })).rejects.toMatchObject({ code: 'not_found' });
  await expect(call(lister, sessionRoutes.get, { params })).rejects.toMatchObject({ code: 'not_found' });
  expect((await call(lister, sessionRoutes.list, { params })).sessions).toEqual([]);
  expect(await call(reader, sessionRoutes.get, { params })).toMatchObject({ id: sid, mayEnd: false });
  expect((await call(reader, sessionRoutes.list, { params })).sessions).toMatchObject([{ id: sid, mayEnd: false }]);
  await call(browser.send, sessionRoutes.end, { params });
});
