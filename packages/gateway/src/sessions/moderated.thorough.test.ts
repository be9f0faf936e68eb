/** Sessions that go on only under the eyes of somebody: they wait, freeze before the next byte, go on, and end. */

import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type ShellWorld, startShellWorld } from '../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, type TerminalClient, tabOf } from '../../testing/sessions/terminal-client.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

const params = { clusterId: '-current-' };
const JOIN = 'join_sessions: [{name: j, kinds: [ssh], roles: [watched], modes: [moderator, observer]}]';
let world: ShellWorld;
let bob: TestBrowser;
let cat: TestBrowser;

beforeEach(async () => {
  world = await startShellWorld();
  const { gateway, makeRole } = world;
  await makeRole('watched', watched('pause'));
  await makeRole('eyes', `{allow: {${JOIN}}}`);
  await gateway.addUser('cat', { roles: ['dev', 'watched'] });
  await gateway.addUser('bob', { roles: ['eyes'] });
  [bob, cat] = [await gateway.signedIn('bob'), await gateway.signedIn('cat')];
});
afterEach(() => world.close());

function watched(onLeave: string): string {
  return `{allow: {require_session_join: [{name: four eyes, filter: 'contains(user.roles, "eyes")', kinds: [ssh], modes: [moderator], on_leave: ${onLeave}}]}}`;
}
function open(as: TestBrowser, request: Parameters<typeof connectTerminal>[1] = opening('edge', 'ubuntu')) {
  const client = connectTerminal(tabOf(world.gateway.app, as), request);
  onTestFinished(() => client.cut());
  return client;
}
const attaching = (sid: string, more: object = {}) =>
  ({ type: 'attach', sid, cols: 80, rows: 24, writer: '00000000000000bb', ...more }) as const;
const moderate = (sid: string) => open(bob, attaching(sid, { mode: 'moderator' }));
const flows = (client: TerminalClient) =>
  client.replies
    .flatMap((reply) => (reply.type === 'flow' ? [reply.flow] : []))
    .filter((flow, at, all) => flow !== all[at - 1]);
const flowOf = (client: TerminalClient, flow: string) =>
  vi.waitFor(() => expect(client.replies.findLast(({ type }) => type === 'flow')).toMatchObject({ flow }));

test('it waits without a shell and says for whom, and begins when they come', async () => {
  const client = open(cat);
  const { sid } = await client.state;
  await vi.waitFor(() =>
    expect(client.replies.findLast(({ type }) => type === 'flow')).toMatchObject({
      flow: 'waiting',
      needs: [{ role: 'watched', policy: 'four eyes', missing: 1, modes: ['moderator'] }],
      could: ['bob'],
    }),
  );
  client.type('too early');
  expect(world.fakes.shells.size).toBe(0);
  const watching = open(bob, attaching(sid));
  await watching.state;
  expect(world.fakes.shells.size).toBe(0);
  const moderator = moderate(sid);
  await flowOf(client, 'live');
  await vi.waitFor(() => expect(world.fakes.shells.size).toBe(1));
  client.type('hello');
  await moderator.until(/hello/);

  expect(client.text()).not.toContain('early');
  expect((await call(bob.send, sessionRoutes.list, { params })).sessions).toMatchObject([
    { id: sid, owner: 'cat', state: 'live', participantModes: ['observer', 'moderator'], mayEnd: false },
  ]);
});

test('not one byte passes in either direction after the moderator has gone, and it goes on when one returns', async () => {
  const client = open(cat);
  const { sid } = await client.state;
  const observer = open(bob, attaching(sid));
  const moderator = moderate(sid);
  await flowOf(client, 'live');
  client.type('one ');
  await client.until(/one /);
  await observer.until(/one /);
  const shell = world.fakes.last();
  // The shell prints without an end, and the owner types without an end, while the moderator goes.
  const noise = setInterval(() => {
    shell.print('.');
    client.type('x');
  }, 1);
  onTestFinished(() => clearInterval(noise));
  await new Promise((resolve) => setTimeout(resolve, 50));
  moderator.socket.close();
  await moderator.closed;
  await Promise.all([flowOf(client, 'frozen'), flowOf(observer, 'frozen')]);
  const frozenAt = (of: TerminalClient) => of.flowEnds.findLast(({ flow }) => flow === 'frozen')?.end;
  const shown = [frozenAt(client), frozenAt(observer)];
  // What was passed on before is still on its way to the shell.
  await new Promise((resolve) => setTimeout(resolve, 100));
  const [typed, size] = [shell.typed(), shell.size];
  client.send({ type: 'resize', cols: 40, rows: 10 });
  await new Promise((resolve) => setTimeout(resolve, 300));

  expect([client.end(), observer.end()]).toEqual(shown);
  expect([shell.typed(), shell.size]).toEqual([typed, size]);
  clearInterval(noise);
  const again = moderate(sid);
  await again.state;
  await flowOf(client, 'live');
  await vi.waitFor(() => expect(shell.size).toEqual({ cols: 40, rows: 10 }));
  await vi.waitFor(() => expect(client.end()).toBeGreaterThan(shown[0] ?? 0));
  expect(flows(client)).toEqual(['waiting', 'live', 'frozen', 'live']);
});

test('what was typed into a frozen session never reaches the shell by itself', async () => {
  const client = open(cat);
  const { sid } = await client.state;
  const moderator = moderate(sid);
  await flowOf(client, 'live');
  client.type('abc');
  await client.until(/abc/);
  moderator.cut();
  await flowOf(client, 'frozen');
  client.type('lost');
  const frame = Buffer.alloc(12, 'z');
  frame[0] = 0x11;
  frame.writeBigUInt64BE(7n, 1);
  await moderate(sid).state;
  client.socket.send(frame);
  await flowOf(client, 'live');
  expect(client.replies.findLast(({ type }) => type === 'flow')).toMatchObject({ taken: 3 });
  client.type('def');
  await client.until(/abcdef/);

  expect(world.fakes.last().typed()).toBe('abcdef');
});

test('a moderator whose role is taken away, or who is locked or signs out, counts no longer at once', async () => {
  const client = open(cat);
  const { sid } = await client.state;
  const moderator = moderate(sid);
  await flowOf(client, 'live');
  await world.gateway.setRoles('bob', ['dev']);

  expect(await moderator.told('ended')).toMatchObject({ cause: 'denied' });
  await flowOf(client, 'frozen');
});

test('a role that says so ends the session with its moderator', async () => {
  await world.makeRole('strict', watched('terminate'));
  await world.gateway.addUser('dan', { roles: ['dev', 'watched', 'strict'] });
  const client = open(await world.gateway.signedIn('dan'));
  const { sid } = await client.state;
  const moderator = moderate(sid);
  await flowOf(client, 'live');
  moderator.socket.close();

  expect(await client.told('ended')).toMatchObject({ cause: 'moderator_left' });
  await vi.waitFor(() => expect(world.fakes.last().ends).toHaveLength(1));
});

test('a moderator ends it with a reason, an observer only leaves', async () => {
  const client = open(cat);
  const { sid } = await client.state;
  const [observer, moderator] = [open(bob, attaching(sid)), moderate(sid)];
  await flowOf(client, 'live');
  observer.send({ type: 'end', reason: 'me?' });
  expect(await observer.closed).toBe(1000);
  moderator.send({ type: 'end', reason: 'enough seen' });

  expect(await client.told('ended')).toMatchObject({ cause: 'ended_by', message: 'it was ended by bob: enough seen' });
  const events = (await world.gateway.events()).filter(({ code }) => code === 'GH300I');
  expect(events).toMatchObject([{ user: 'bob', data: { sid, name: 'cat', reason: 'enough seen' } }]);
});

test('the owner cannot moderate themselves, by mode or by a second window', async () => {
  await world.gateway.addUser('own', { roles: ['dev', 'watched', 'eyes'] });
  const own = await world.gateway.signedIn('own');
  const client = open(own);
  const { sid } = await client.state;

  expect(await open(own, attaching(sid, { mode: 'moderator' })).told('refused')).toMatchObject({ code: 'denied' });
  await open(own, attaching(sid, { mode: 'observer' })).state;
  await open(own, attaching(sid, { mode: 'peer' })).state;
  await flowOf(client, 'waiting');
  expect(world.fakes.shells.size).toBe(0);
});

test('the owner gives up waiting, and nothing was ever dialled', async () => {
  const client = open(cat);
  await client.state;
  client.send({ type: 'end' });

  expect(await client.told('ended')).toMatchObject({ cause: 'closed' });
  expect(world.fakes.shells.size).toBe(0);
});

test('a role of the owner that has run out lets nobody in', async () => {
  const expires = new Date(world.gateway.clock.now + 60_000).toISOString();
  await world.makeRole(`soon, expires: "${expires}"`, '{allow: {}}');
  await world.makeRole('late', '{allow: {join_sessions: [{name: j, kinds: [ssh], roles: [soon], modes: ["*"]}]}}');
  await world.gateway.addUser('dan', { roles: ['dev', 'watched', 'soon'] });
  await world.gateway.addUser('eve', { roles: ['late'] });
  const [dan, eve] = [await world.gateway.signedIn('dan'), await world.gateway.signedIn('eve')];
  const listed = async () => (await call(eve.send, sessionRoutes.list, { params })).sessions.length;
  const { sid } = await open(dan).state;
  expect(await listed()).toBe(1);

  world.gateway.clock.advance(60_001);
  expect(await listed()).toBe(0);
  await expect(open(eve, attaching(sid)).state).rejects.toThrow();
});
