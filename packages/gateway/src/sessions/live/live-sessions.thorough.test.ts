/** The live list of sessions and the pictures of their screens: for those who may, as they change, and for nobody else. */

import { type LiveSessionsReply, liveSessionsReply } from '@gatehouse/contract/sessions/live-frames';
import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type ShellWorld, startShellWorld } from '../../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, tabOf } from '../../../testing/sessions/terminal-client.ts';
import type { TestBrowser } from '../../../testing/test-browser.ts';

const params = { clusterId: '-current-' };
const WATCH = '{allow: {join_sessions: [{name: w, kinds: [ssh], roles: [dev], modes: [observer]}]}}';
let world: ShellWorld;
beforeEach(async () => {
  world = await startShellWorld();
  await world.makeRole('watcher', WATCH);
  await world.makeRole('counter', '{allow: {rules: [{resources: [ssh_session], verbs: [list]}]}}');
});
afterEach(() => world.close());

async function person(name: string, roles: string[]): Promise<TestBrowser> {
  await world.gateway.addUser(name, { roles });
  return world.gateway.signedIn(name);
}

function open(as = world.ann) {
  const client = connectTerminal(tabOf(world.gateway.app, as), opening('edge', 'ubuntu'));
  onTestFinished(() => client.cut());
  return client;
}

function follow(as: TestBrowser) {
  const tab = tabOf(world.gateway.app, as);
  const socket = new WebSocket(tab.url.replace(/terminal$/, 'live-sessions'), { headers: tab.headers });
  onTestFinished(() => socket.terminate());
  const replies: LiveSessionsReply[] = [];
  socket.on('open', () => socket.send(JSON.stringify({ type: 'hello', token: tab.token })));
  socket.on('message', (data: Buffer) => replies.push(liveSessionsReply.parse(JSON.parse(data.toString()))));
  const last = () => replies.findLast((reply) => reply.type === 'sessions')?.sessions;
  const screens = () => replies.filter((reply) => reply.type === 'screen');
  return {
    replies,
    last,
    screens,
    look: (sids: string[]) => socket.send(JSON.stringify({ type: 'look', sids })),
    until: (check: () => void) => vi.waitFor(check, { timeout: 5_000 }),
  };
}

test('sessions come, change and go by themselves', async () => {
  const bob = await person('bob', ['watcher']);
  const live = follow(bob);
  await live.until(() => expect(live.last()).toEqual([]));
  const client = open();
  const { sid } = await client.state;
  await live.until(() =>
    expect(live.last()).toMatchObject([
      {
        id: sid,
        kind: 'ssh',
        owner: 'ann',
        login: 'ubuntu',
        resource_name: 'edge',
        state: 'live',
        participantModes: ['observer'],
        mayEnd: false,
        parties: [{ user: 'ann', mode: 'peer', remote_addr: '127.0.0.1' }],
      },
    ]),
  );
  const attach = { type: 'attach', sid, cols: 80, rows: 24, writer: '00000000000000bb' } as const;
  const watching = connectTerminal(tabOf(world.gateway.app, bob), attach);
  await live.until(() => expect(live.last()?.[0]?.parties.map(({ mode }) => mode)).toEqual(['peer', 'observer']));
  watching.cut();
  await live.until(() => expect(live.last()?.[0]?.parties).toHaveLength(1));
  await call(world.admin.send, sessionRoutes.end, { params: { ...params, sid }, query: { reason: 'tea time' } });

  expect(await client.told('ended')).toMatchObject({ message: 'it was ended by admin: tea time' });
  await live.until(() => expect(live.last()).toEqual([]));
});

test('a picture is drawn for who looks and may observe, and again when it has changed', async () => {
  const live = follow(await person('bob', ['watcher']));
  const client = open();
  const { sid } = await client.state;
  client.type('hello \x1b[31mred');
  await client.until(/hello/);
  await live.until(() => expect(live.last()).toHaveLength(1));
  expect(live.screens()).toEqual([]);
  live.look([sid]);
  await live.until(() =>
    expect(live.screens()).toMatchObject([{ sid, cols: 80, rows: 24, ansi: 'hello \x1b[0;38;5;1mred\x1b[0m' }]),
  );
  const from = performance.now();
  client.type('!');
  await live.until(() => expect(live.screens().at(-1)).toMatchObject({ ansi: expect.stringContaining('red!') }));
  expect(live.screens()).toHaveLength(2);
  expect(performance.now() - from).toBeLessThan(SOON_MS);
});

test('who may not see a session gets neither it, nor its count, nor its screen, by any id or spelling of it', async () => {
  const client = open();
  const { sid } = await client.state;
  const eve = await person('eve', ['dev']);
  const live = follow(eve);
  await live.until(() => expect(live.last()).toEqual([]));
  live.look([sid, sid.toUpperCase()]);
  client.type('secret');
  await client.until(/secret/);
  expect((await call(eve.send, sessionRoutes.list, { params })).sessions).toEqual([]);
  for (const spelled of [
    sid,
    sid.toUpperCase(),
    `${sid}.json`,
    `${sid}/`,
    `${sid}%2f`,
    `./${sid}`,
    `${sid};a`,
    `${sid}%00`,
  ]) {
    const reply = await eve.send({ method: 'GET', url: `/v1/webapi/sites/-current-/sessions/${spelled}` });
    expect(reply.status, spelled).toBeGreaterThanOrEqual(400);
    expect(reply.text, spelled).not.toMatch(/ann|edge|ubuntu/);
  }
  const attach = { type: 'attach', sid, cols: 80, rows: 24, writer: '00000000000000bb' } as const;
  for (const mode of ['observer', 'peer', 'moderator'] as const) {
    const refused = connectTerminal(tabOf(world.gateway.app, eve), { ...attach, mode });
    expect(await refused.told('refused')).toMatchObject({ code: 'not_found' });
  }
  await new Promise((resolve) => setTimeout(resolve, 500));

  expect(live.replies.every((reply) => reply.type === 'sessions' && reply.sessions.length === 0)).toBe(true);
});

test('who may list but not observe sees no screen, and a right that is taken away closes the view', async () => {
  const client = open();
  const { sid } = await client.state;
  const counting = follow(await person('cid', ['counter']));
  await counting.until(() => expect(counting.last()).toMatchObject([{ id: sid, participantModes: [] }]));
  counting.look([sid]);
  const watching = follow(await person('bob', ['watcher']));
  await watching.until(() => expect(watching.last()).toHaveLength(1));
  watching.look([sid]);
  client.type('visible');
  await watching.until(() => expect(watching.screens()).toHaveLength(1));
  await world.gateway.setRoles('bob', []);
  await watching.until(() => expect(watching.last()).toEqual([]));
  client.type('hidden');
  await client.until(/hidden/);
  await new Promise((resolve) => setTimeout(resolve, 2_300));

  expect(watching.screens()).toHaveLength(1);
  expect(counting.screens()).toEqual([]);
});
