/** Several people in one real shell: what each may do there, whose size it has, and what stops when a moderator goes. */

import { sessionRoutes } from '@gatehouse/contract/sessions/sessions';
import { call } from '@gatehouse/contract/wire/client';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { params, type ServerWorld, startServerWorld } from '../../testing/connection-tests/server-world.ts';
import { connectTerminal, opening, type TerminalClient, tabOf } from '../../testing/sessions/terminal-client.ts';
import type { TestBrowser } from '../../testing/test-browser.ts';

const MODES = 'modes: [observer, peer, moderator]';
let world: ServerWorld;
let bob: TestBrowser;

beforeEach(async () => {
  world = await startServerWorld();
  await world.trustGateway();
  await world.gateway.app.listen({ host: '127.0.0.1', port: 0 });
  await world.add({ name: 'web-1' });
  await world.makeRole('helper', `{allow: {join_sessions: [{name: h, kinds: [ssh], roles: [dev], ${MODES}}]}}`);
  await world.gateway.addUser('bob', { roles: ['helper'] });
  bob = await world.gateway.signedIn('bob');
});
afterEach(() => world.close());

function connect(as: TestBrowser, request: Parameters<typeof connectTerminal>[1]): TerminalClient {
  const client = connectTerminal(tabOf(world.gateway.app, as), request);
  onTestFinished(() => client.cut());
  return client;
}
const joining = (sid: string, mode: 'observer' | 'peer' | 'moderator', size = { cols: 80, rows: 24 }) =>
  ({ type: 'attach', sid, mode, ...size, writer: '00000000000000bb' }) as const;
const flowOf = (client: TerminalClient, flow: string) =>
  vi.waitFor(() => expect(client.flowEnds.at(-1)).toMatchObject({ flow }), { timeout: 10_000 });

test('peers type in the same shell at the smallest of their sizes, an observer neither types nor shrinks it', async () => {
  const owner = connect(world.ann, { ...opening('web-1', world.logins[0]), cols: 100, rows: 40 });
  const { sid } = await owner.state;
  owner.type('PS1=; stty size\n');
  await owner.until(/40 100\n/);
  const observer = connect(bob, joining(sid, 'observer', { cols: 20, rows: 5 }));
  expect(await observer.state).toMatchObject({ mode: 'observer', cols: 100, rows: 40 });
  observer.type('echo by-observer\n');
  observer.send({ type: 'resize', cols: 10, rows: 3 });
  const peer = connect(bob, joining(sid, 'peer', { cols: 90, rows: 50 }));
  await peer.state;
  peer.type('echo by-$((1+1))-peer; stty size\n');
  await owner.until(/by-2-peer\n40 90\n/);
  await observer.until(/by-2-peer\n40 90\n/);
  // Who types is told for a moment only: it may be over again by now.
  const party = (facts: object) => expect.objectContaining(facts);
  await vi.waitFor(() =>
    expect(owner.replies).toContainEqual(
      expect.objectContaining({
        type: 'parties',
        parties: [
          party({ user: 'ann', mode: 'peer', self: true }),
          party({ user: 'bob', mode: 'observer' }),
          party({ user: 'bob', mode: 'peer', typing: true }),
        ],
      }),
    ),
  );
  peer.socket.close();
  await peer.closed;
  await vi.waitFor(() => expect(observer.replies.findLast(({ type }) => type === 'size')).toMatchObject({ cols: 100 }));
  owner.type('stty size\n');
  await owner.until(/40 90\nstty size\n40 100\n$/);

  expect(owner.text()).not.toContain('by-observer');
  await call(world.admin.send, sessionRoutes.end, { params: { ...params, sid }, query: { reason: 'over now' } });
  for (const client of [owner, observer])
    expect(await client.told('ended')).toMatchObject({ message: 'it was ended by admin: over now' });
  await vi.waitFor(async () => {
    const joins = (await world.gateway.events()).filter(({ code }) => code === 'T2001I' || code === 'T2003I');
    expect(joins.map(({ code }) => code).sort()).toEqual(['T2001I', 'T2001I', 'T2003I', 'T2003I']);
  });
});

test('a real shell that prints without end is frozen with the byte before the moderator left, and goes on from it', async () => {
  const policy = `{name: m, filter: 'contains(user.roles, "helper")', kinds: [ssh], modes: [moderator], on_leave: pause}`;
  await world.makeRole('watched', `{allow: {require_session_join: [${policy}]}}`);
  await world.gateway.addUser('cat', { roles: ['dev', 'watched'] });
  const owner = connect(await world.gateway.signedIn('cat'), opening('web-1', world.logins[0]));
  const { sid } = await owner.state;
  await flowOf(owner, 'waiting');
  const moderator = connect(bob, joining(sid, 'moderator'));
  await flowOf(owner, 'live');
  // In a shell of its own: between two commands of an interactive one Ctrl-C may reach nobody.
  owner.type(`PS1=; sh -c 'i=0; while sleep 0.002; do i=$((i+1)); echo line $i; done'\n`);
  await moderator.until(/line 50\n/);
  moderator.cut();
  await moderator.closed;
  await flowOf(owner, 'frozen');
  owner.type('\x03touch ~/typed-alone\n');
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(owner.end()).toBe(owner.flowEnds.at(-1)?.end);

  const again = connect(bob, joining(sid, 'moderator'));
  await flowOf(owner, 'live');
  owner.type('\x03');
  owner.type('echo files=$(ls ~/typed-alone 2>/dev/null | wc -l)\n');
  await again.until(/files=0\n/);
  await owner.until(/files=0\n/);
  const lines = [...owner.text().matchAll(/^line (\d+)$/gm)].map(([, number]) => Number(number));
  expect(lines).toEqual(Array.from({ length: lines.length }, (_, index) => index + 1));
});
