/** Two whole gateways, one the leaf of the other: what people of the root do at the leaf, through the relay. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiTokenRoutes } from '@gatehouse/contract/access/api-tokens';
import { clusterRoutes } from '@gatehouse/contract/console/clusters';
import { CLOSE_CODES, SITE_CHANGES_SOCKET } from '@gatehouse/contract/identity/change-frames';
import { signInRoutes } from '@gatehouse/contract/identity/sign-in';
import { appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import { SSH_SOCKET } from '@gatehouse/contract/sessions/ssh-socket';
import { call } from '@gatehouse/contract/wire/client';
import { pathFor } from '@gatehouse/contract/wire/route';
import { SOON_MS } from '@gatehouse/testkit/soon';
import { openTcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import { Client, type ClientChannel } from 'ssh2';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { LEAF, type LeafWorld, startLeafWorld } from '../../testing/relay/leaf-world.ts';
import { connectTerminal, opening, tabOf } from '../../testing/sessions/terminal-client.ts';

let world: LeafWorld;
const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-leaf-'));
beforeAll(async () => {
  world = await startLeafWorld({ dataDir });
});
afterAll(async () => {
  await world?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const params = { clusterId: LEAF };

test('servers of the leaf are listed with the roles that its map gives', async () => {
  const { items } = await call(world.ann.send, nodeRoutes.list, { params, query: {} });

  expect(items?.map(({ hostname }) => hostname)).toEqual(['edge']);
  expect((await call(world.ann.send, nodeRoutes.list, { params: { clusterId: 'home' }, query: {} })).items).toEqual([]);
});

test('the context of the leaf is theirs there', async () => {
  const context = await call(world.ann.send, clusterRoutes.context, { params });

  expect(context).toMatchObject({ userName: 'root/ann', cluster: { name: LEAF, nodeCount: 1 } });
  expect(context.userAcl.users.list).toBe(false);
});

test('what changes something there is decided there', async () => {
  const body = { severity: 'low' as const, message: 'closed on Sunday', ttlSeconds: 3600 };
  await expect(call(world.ann.send, clusterRoutes.postAlert, { params, body })).rejects.toThrow('access denied');

  const posted = await call(world.admin.send, clusterRoutes.postAlert, { params, body });

  const { alerts } = await call(world.leaf.ann.send, clusterRoutes.alerts, { params: { clusterId: '-current-' } });
  expect(alerts?.map(({ metadata }) => metadata.name)).toContain(posted.metadata.name);
});

test('a terminal opens on a server of the leaf, and its recording is downloaded from there', async () => {
  const tab = tabOf(world.root.app, world.ann);
  const client = connectTerminal({ ...tab, url: tab.url.replace('-current-', LEAF) }, opening('edge', 'ubuntu'));
  const { sid } = await client.state;
  client.type('hello\r');
  await client.until(/hello/);
  client.type('exit');
  await client.told('ended');
  await client.closed;

  const path = pathFor(recordingUpkeepRoutes.file.path, { clusterId: LEAF, sid });
  const { status, text } = await world.admin.send({ method: 'GET', url: path });
  expect(status).toBe(200);
  expect(text.length).toBeGreaterThan(100);
  expect(await world.leaf.gateway.events()).toContainEqual(
    expect.objectContaining({ code: 'T2000I', user: 'root/ann' }),
  );
});

test('a server that is not theirs there is refused in a frame, as it is there', async () => {
  const tab = tabOf(world.root.app, world.ann);
  const client = connectTerminal({ ...tab, url: tab.url.replace('-current-', LEAF) }, opening('edge', 'root'));

  expect((await client.told('refused')).message).toContain('access denied');
  client.cut();
});

test('SSH over the port of the root reaches the door of the leaf, for whom the root vouches', async () => {
  const { token } = await call(world.ann.send, apiTokenRoutes.create, { body: { name: 'ssh', scope: 'all' } });
  const { port } = world.root.app.server.address() as AddressInfo;
  const sock = await openTcpStream({
    ...{
      origin: `http://127.0.0.1:${port}`,
      token,
      door: SSH_SOCKET,
      clusterId: LEAF,
      name: 'edge',
      userAgent: 'test',
    },
  });
  const client = new Client();
  client.connect({ sock, username: 'ubuntu', hostVerifier: () => true, authHandler: ['none', 'keyboard-interactive'] });
  await once(client, 'ready');
  const shell = Promise.withResolvers<ClientChannel>();
  client.shell((error, channel) => (error ? shell.reject(error) : shell.resolve(channel)));
  const channel = await shell.promise;
  channel.write('over ssh\r');
  let said = '';
  channel.on('data', (data: Buffer) => {
    said += data;
  });
  await expect.poll(() => said).toContain('over ssh');
  client.end();
});

test('another cluster is unknown, in a frame', async () => {
  const tab = tabOf(world.root.app, world.ann);
  const client = connectTerminal({ ...tab, url: tab.url.replace('-current-', 'nowhere') }, opening('edge', 'root'));

  expect((await client.told('refused')).message).toContain("cluster 'nowhere' not found");
  client.cut();
});

test('what changes at the leaf is told to who looks at it from the root, and nothing of the root is', async () => {
  const { headers, token, url } = tabOf(world.root.app, world.ann);
  const address = new URL(pathFor(SITE_CHANGES_SOCKET, params), url);
  const socket = new WebSocket(address, { headers });
  const heard: string[] = [];
  socket.on('message', (data) => void heard.push((JSON.parse(String(data)) as { type: string }).type));
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'hello', token }));
  await expect.poll(() => heard, { timeout: SOON_MS }).toContain('ready');
  const body = { severity: 'low' as const, message: 'closed on Monday', ttlSeconds: 3600 };
  await call(world.admin.send, clusterRoutes.postAlert, { params: { clusterId: 'home' }, body });
  await world.root.settled();
  expect(heard).not.toContain('alerts');

  await call(world.admin.send, clusterRoutes.postAlert, { params, body });
  await expect.poll(() => heard, { timeout: SOON_MS }).toContain('alerts');
  const added = { name: 'fresh', uri: 'http://127.0.0.1:9', labels: {} };
  await call(world.admin.send, appRoutes.add, { params, body: added as never });
  await expect.poll(() => heard, { timeout: SOON_MS }).toContain('resources');
  socket.terminate();
});

test('signing out at the root closes what is open at the leaf', async () => {
  const browser = await world.root.signedIn('ann');
  const tab = tabOf(world.root.app, browser);
  const client = connectTerminal({ ...tab, url: tab.url.replace('-current-', LEAF) }, opening('edge', 'ubuntu'));
  await client.state;

  await call(browser.send, signInRoutes.signOut, {});

  expect(await client.closed).toBe(CLOSE_CODES.signInEnded);
});
