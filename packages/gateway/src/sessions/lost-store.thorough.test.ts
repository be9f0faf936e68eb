/** Terminals while the gateway hears nothing from its store: who is inside goes on for a minute, and nobody comes in. */
import { once } from 'node:events';
import { CHANGES_SOCKET } from '@gatehouse/contract/identity/change-frames';
import { LIVE_SESSIONS_SOCKET } from '@gatehouse/contract/sessions/live-frames';
import { TERMINAL_SOCKET } from '@gatehouse/contract/sessions/terminal-frames';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type ShellWorld, startShellWorld } from '../../testing/sessions/shell-world.ts';
import { connectTerminal, opening, tabOf } from '../../testing/sessions/terminal-client.ts';
import { FROZEN_AFTER_MS, LOST_AFTER_MS } from '../platform/change-feed/lost-store.ts';

let world: ShellWorld;
beforeAll(async () => {
  world = await startShellWorld();
});
afterAll(() => world.close());
afterEach(() => world.gateway.beSilentFor(0));

const tab = () => tabOf(world.gateway.app, world.ann);
const connect = (request: Parameters<typeof connectTerminal>[1] = opening('edge', 'ubuntu')) => {
  const client = connectTerminal(tab(), request);
  onTestFinished(() => client.cut());
  return client;
};
const attaching = (sid: string) => ({ type: 'attach' as const, sid, cols: 80, rows: 24, writer: '00000000000000aa' });

/** What an upgrade is answered with. */
async function answerTo(path: string): Promise<number> {
  const { url, headers } = tab();
  const socket = new WebSocket(new URL(path, url), { headers });
  socket.on('error', () => {});
  onTestFinished(() => socket.terminate());
  return await Promise.race([
    once(socket, 'open').then(() => 101),
    once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode),
  ]);
}

test.each([TERMINAL_SOCKET, CHANGES_SOCKET, LIVE_SESSIONS_SOCKET])(
  'while the store is lost nobody opens a socket to %s, and nobody is told that they are signed out',
  async (path) => {
    const there = path.replace(':clusterId', '-current-');
    world.gateway.beSilentFor(LOST_AFTER_MS + 1);
    expect(await answerTo(there)).toBe(503);

    world.gateway.beSilentFor(0);
    expect(await answerTo(there)).toBe(101);
  },
);

test('who stays in their terminal goes on; who left it does not come back in before the store answers', async () => {
  const inside = connect();
  const { sid } = await inside.state;
  // It has said who it is before, and asks for the terminal after.
  const { url, headers, token } = tab();
  const early = new WebSocket(url, { headers });
  onTestFinished(() => early.terminate());
  await once(early, 'open');
  early.send(JSON.stringify({ type: 'hello', token }));
  // Nothing says that it was taken.
  await new Promise((resolve) => setTimeout(resolve, 500));

  world.gateway.beSilentFor(LOST_AFTER_MS + 1);
  early.send(JSON.stringify(attaching(sid)));
  const [refused] = await once(early, 'message');
  expect(JSON.parse(`${refused}`)).toMatchObject({
    type: 'refused',
    message: expect.stringContaining('lost its database'),
  });
  await expect(connect(attaching(sid)).state).rejects.toThrow('closed with');
  inside.type('still here');
  await inside.until(/still here/);

  world.gateway.beSilentFor(0);
  expect(await connect(attaching(sid)).state).toMatchObject({ sid });
});

test('a terminal stands still after a minute and goes on by itself', async () => {
  const inside = connect();
  await inside.state;

  world.gateway.beSilentFor(FROZEN_AFTER_MS + 1);
  await vi.waitFor(() => expect(inside.flowEnds.at(-1)?.flow).toBe('frozen'), 5_000);
  inside.type('unheard');
  await expect(inside.until(/unheard/, 300)).rejects.toThrow();

  world.gateway.beSilentFor(0);
  await vi.waitFor(() => expect(inside.flowEnds.at(-1)?.flow).toBe('live'), 5_000);
  inside.type('heard');
  await inside.until(/heard/);
});
