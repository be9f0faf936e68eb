/** Every socket of the contract that names a cluster, opened for one that is not there: told in the way its clients read, and never served. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SOCKETS } from '@gatehouse/contract/api/sockets';
import { APP_TCP_SOCKET, APP_WEB_SOCKET } from '@gatehouse/contract/kinds/app/apps';
import { DB_TCP_SOCKET } from '@gatehouse/contract/kinds/db/databases';
import { DB_EDITOR_SOCKET } from '@gatehouse/contract/kinds/db/editor';
import { KUBE_BROWSE_SOCKET } from '@gatehouse/contract/kinds/kube/browse';
import { KUBE_DOOR_SOCKET } from '@gatehouse/contract/kinds/kube/kube-pass';
import { COMPAT_DESKTOP_PLAYBACK_SOCKET, COMPAT_DESKTOP_SOCKET } from '@gatehouse/contract/sessions/compat-desktop';
import { COMPAT_TERMINAL_SOCKET } from '@gatehouse/contract/sessions/compat-terminal';
import { DESKTOP_SOCKET } from '@gatehouse/contract/sessions/desktop-frames';
import { LIVE_SESSIONS_SOCKET } from '@gatehouse/contract/sessions/live-frames';
import { SSH_SOCKET } from '@gatehouse/contract/sessions/ssh-socket';
import { TERMINAL_SOCKET } from '@gatehouse/contract/sessions/terminal-frames';
import { paramNames, pathFor } from '@gatehouse/contract/wire/route';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { desktopOpening } from '../../../testing/desktop/desktop-page.ts';
import { type ShellWorld, startShellWorld } from '../../../testing/sessions/shell-world.ts';
import { opening } from '../../../testing/sessions/terminal-client.ts';

const WORDS = "cluster 'elsewhere' not found";
/** Whether clients are told by the answer to the upgrade, or by a frame. A new socket is told by the answer. */
const TOLD: Record<string, 'upgrade' | 'frame'> = {
  [APP_TCP_SOCKET]: 'frame',
  [APP_WEB_SOCKET]: 'frame',
  [DB_TCP_SOCKET]: 'frame',
  [DB_EDITOR_SOCKET]: 'frame',
  [KUBE_BROWSE_SOCKET]: 'frame',
  [KUBE_DOOR_SOCKET]: 'frame',
  [COMPAT_TERMINAL_SOCKET]: 'frame',
  [COMPAT_DESKTOP_SOCKET]: 'frame',
  [COMPAT_DESKTOP_PLAYBACK_SOCKET]: 'frame',
  [LIVE_SESSIONS_SOCKET]: 'upgrade',
  [TERMINAL_SOCKET]: 'frame',
  [SSH_SOCKET]: 'frame',
  [DESKTOP_SOCKET]: 'frame',
};

let world: ShellWorld;
beforeAll(async () => {
  world = await startShellWorld();
});
afterAll(() => world.close());

async function open(path: string, clusterId: string): Promise<{ by: 'upgrade' | 'frame'; text: string }> {
  const { port } = world.gateway.app.server.address() as AddressInfo;
  const { ann } = world;
  const names = paramNames(path).map((name) => [name, name === 'clusterId' ? clusterId : 'edge']);
  const params = encodeURIComponent(JSON.stringify({ login: 'ubuntu', server_id: 'edge', term: { h: 24, w: 80 } }));
  const url = `${pathFor(path, Object.fromEntries(names))}?access_token=${ann.bearer}&params=${params}`;
  const cookie = [...ann.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const socket = new WebSocket(`ws://127.0.0.1:${port}${url}`, {
    headers: { host: 'localhost:3080', origin: 'http://localhost:3080', cookie },
  });
  socket.on('open', () => {
    socket.send(JSON.stringify({ type: 'hello', token: ann.bearer }));
    if (path === TERMINAL_SOCKET) socket.send(JSON.stringify(opening('edge', 'ubuntu')));
    if (path === DESKTOP_SOCKET) socket.send(JSON.stringify(desktopOpening('x', 'x')));
    if (path === KUBE_BROWSE_SOCKET) socket.send(JSON.stringify({ type: 'open' }));
    if (path === DB_EDITOR_SOCKET) socket.send(JSON.stringify({ type: 'open', dbUser: 'app' }));
  });
  try {
    return await Promise.race([
      once(socket, 'message').then(([data]) => ({ by: 'frame' as const, text: String(data) })),
      once(socket, 'unexpected-response').then(async ([, response]) => {
        const [data] = await once(response, 'data');
        return { by: 'upgrade' as const, text: `${response.statusCode} ${data}` };
      }),
    ]);
  } finally {
    socket.on('error', () => undefined).terminate();
  }
}

const sockets = SOCKETS.filter((path) => paramNames(path).includes('clusterId'));

test.each(sockets)('%s: another cluster is not found, and nothing is opened', async (path) => {
  const { by, text } = await open(path, 'elsewhere');

  expect(by).toBe(TOLD[path] ?? 'upgrade');
  expect(text).toContain(WORDS);
  if (by === 'upgrade') expect(text).toContain('404');
  expect(world.fakes.shells.size).toBe(0);
});

test.each(sockets)('%s: the own cluster is served by its name and as the one that is asked', async (path) => {
  for (const id of ['localhost', '-current-'])
    expect((await open(path, id)).text).not.toMatch(/(?<!Kubernetes )cluster '.*' not found/);
});
