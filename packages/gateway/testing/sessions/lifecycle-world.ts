/** A gateway with one thing of every kind that has sessions, and every door by which somebody comes to it. A new kind adds its doors here and is held to the whole suite. */

import { X509Certificate } from 'node:crypto';
import { type EventEmitter, once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { cliLoginRoutes } from '@gatehouse/contract/identity/cli-login';
import { APP_TCP_SOCKET } from '@gatehouse/contract/kinds/app/apps';
import { DB_TCP_SOCKET, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { desktopRoutes } from '@gatehouse/contract/kinds/desktop/desktops';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { FILES_TARGET } from '@gatehouse/contract/reach/agents/targets';
import { call } from '@gatehouse/contract/wire/client';
import { type RdpHost, startRdpHost } from '@gatehouse/testkit/desktop/rdp-host';
import type { OnStream } from '@gatehouse/tunnel/agent-session';
import { openTcpStream, type TcpStreamOptions } from '@gatehouse/tunnel/sessions/tcp-stream';
import { expect, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { putResources, type Resource } from '../../src/inventory/resource-store.ts';
import { pinOf } from '../../src/kinds/desktop/desktop-certificates.ts';
import { AGENT, type AppWorld, openApp, startAppWorld } from '../apps/app-world.ts';
import { EditorPage } from '../db/editor-page.ts';
import { postgresHello, startStillPostgres } from '../db/still-postgres.ts';
import { makeTestAuthority } from '../db/test-authority.ts';
import { DesktopPage, desktopOpening } from '../desktop/desktop-page.ts';
import { serveEndlessFiles } from '../files/endless-files.ts';
import { openFiles } from '../files/files-client.ts';
import { join, newJoinToken, startAgent, tunnelUrl } from '../test-agent.ts';
import type { TestBrowser } from '../test-browser.ts';
import { connectCompat } from './compat-client.ts';
import { fakeShells } from './fake-shells.ts';
import { openExec, openForward, startPods } from './kube-doors.ts';
import { type NativeDb, type NativeDbDoors, startNativeDbDoors } from './native-db-doors.ts';
import { openSshDoor } from './ssh-doors.ts';
import { openSshShell } from './ssh-shell.ts';
import { connectTerminal, opening, tabOf } from './terminal-client.ts';

export interface Opened {
  /** Settles when whatever was open is over. */
  over: Promise<unknown>;
  /** Settles when it is over at its other end, too. */
  farEnd?(): Promise<unknown>;
  /** Takes it down after a test that did not. */
  drop(): void;
}

export interface Door {
  kind: Kind;
  /** Throws where somebody is not let in. */
  open(world: LifecycleWorld, who: TestBrowser): Promise<Opened>;
  /** The option of roles that limits how many somebody has; without it nothing is counted. */
  counts?: 'max_connections' | 'max_kubernetes_connections';
  /** A moderator is waited for: it is held up and not over. */
  waits?: true;
}

export interface LifecycleWorld extends AppWorld {
  /** Those that the agent of the server holds. */
  shells: ReturnType<typeof fakeShells>;
  /** Those of databases, at doors of their own. */
  programs: NativeDbDoors;
  /** Of the door of SSH. */
  sshPort: number;
  /** A port of this machine that says something first. */
  talkative: number;
  desktop: RdpHost;
  /** What sessions are with, by kind. */
  resources: Partial<Record<Kind, Resource>>;
  change(kind: Kind, changed: Partial<Resource>): Promise<void>;
}

const HOST = 'lively.localhost';

export const DOORS: Readonly<Record<string, Door>> = {
  terminal: {
    kind: 'node',
    counts: 'max_connections',
    waits: true,
    async open({ gateway, shells }, who) {
      const client = connectTerminal(tabOf(gateway.app, who), opening('edge', 'ubuntu'));
      const over = closing(client.socket);
      await vi.waitFor(
        () => {
          const isOver = client.socket.readyState > client.socket.OPEN;
          if (!isOver && !client.replies.some(({ type }) => type === 'refused'))
            expect(client.text()).toContain('ready');
        },
        { timeout: 10_000 },
      );
      if (!client.text().includes('ready')) throw new Error('nobody was let in');
      return { over, farEnd: hungUp(shells.last()), drop: () => client.cut() };
    },
  },
  'socket of the reference': {
    kind: 'node',
    counts: 'max_connections',
    waits: true,
    async open({ gateway, shells }, who) {
      const client = connectCompat(tabOf(gateway.app, who), 'edge', 'ubuntu');
      const over = closing(client.socket);
      client.socket.on('error', () => {});
      await client.open();
      await vi.waitFor(() => {
        if (client.socket.readyState === client.socket.OPEN) expect(client.text()).toContain('ready');
      });
      if (!client.text().includes('ready')) throw new Error(`nobody was let in: ${client.text()}`);
      return { over, farEnd: hungUp(shells.last()), drop: () => client.socket.terminate() };
    },
  },
  'door of SSH': {
    kind: 'node',
    counts: 'max_connections',
    waits: true,
    async open({ shells, sshPort }, who) {
      const shell = await openSshShell(sshPort, who, 'ubuntu@edge');
      return { ...shell, farEnd: hungUp(shells.last()) };
    },
  },
  files: {
    kind: 'node',
    async open({ gateway }, who) {
      const files = await openFiles(gateway.app, who, { server: 'edge', login: 'ubuntu' });
      const download = (await files.read('/home/endless')).body!.getReader();
      await download.read();
      const readOn = async () => {
        for (;;) if ((await download.read()).done) return;
      };
      return { over: readOn().catch(() => {}), drop: () => void download.cancel().catch(() => {}) };
    },
  },
  'page of an application': {
    kind: 'app',
    counts: 'max_connections',
    async open(world, who) {
      const headers = { host: HOST, 'user-agent': AGENT, cookie: await openApp(world, who, HOST) };
      const page = get({ port: world.port, path: '/events', headers, agent: false });
      page.on('error', () => {});
      const [answer] = (await once(page, 'response')) as [IncomingMessage];
      answer.on('error', () => {}).resume();
      return { over: closing(answer), drop: () => page.destroy() };
    },
  },
  'websocket of an application': {
    kind: 'app',
    counts: 'max_connections',
    async open(world, who) {
      const headers = { host: HOST, 'user-agent': AGENT, cookie: await openApp(world, who, HOST) };
      const socket = new WebSocket(`ws://127.0.0.1:${world.port}/`, { headers });
      socket.on('error', () => {});
      await once(socket, 'message');
      return { over: closing(socket), drop: () => socket.terminate() };
    },
  },
  'TCP connection': {
    kind: 'app',
    counts: 'max_connections',
    async open(world, who) {
      const bytes = await dialAs(world, who, { door: APP_TCP_SOCKET, name: 'bytes' });
      await once(bytes, 'data');
      return { over: closing(bytes), drop: () => bytes.destroy() };
    },
  },
  'database tunnel': { kind: 'db', counts: 'max_connections', open: (world, who) => tunnelTo(world, who, 'shop') },
  'database tunnel through an agent': {
    kind: 'db',
    counts: 'max_connections',
    open: (world, who) => tunnelTo(world, who, 'far'),
  },
  'door of PostgreSQL': nativeDoor('postgres'),
  'door of MySQL': nativeDoor('mysql'),
  'door of Redis': nativeDoor('redis'),
  'door of MongoDB': nativeDoor('mongodb'),
  'door of SQL Server': nativeDoor('sqlserver'),
  'database editor': {
    kind: 'db',
    counts: 'max_connections',
    waits: true,
    async open({ port }, who) {
      const page = new EditorPage({ origin: `http://127.0.0.1:${port}`, who, dbUser: 'app', dbName: 'shop' });
      await page.next('ready');
      return { over: closing(page.socket), drop: () => page.socket.terminate() };
    },
  },
  desktop: {
    kind: 'desktop',
    counts: 'max_connections',
    waits: true,
    async open({ port, desktop }, who) {
      const page = new DesktopPage(`http://127.0.0.1:${port}`, who, desktopOpening('win', 'app'));
      await page.until('segment');
      return {
        over: closing(page.socket),
        farEnd: () => vi.waitFor(() => expect(desktop.connected()).toBe(0)),
        drop: () => page.socket.terminate(),
      };
    },
  },
  'terminal in a pod': podDoor('tty'),
  'command in a pod': podDoor('plain'),
  'port of a pod': {
    kind: 'kube',
    counts: 'max_kubernetes_connections',
    async open(world, who) {
      const wire = await openForward(world, who, world.talkative);
      return { over: closing(wire), drop: () => wire.destroy() };
    },
  },
};

/** Programs of Kubernetes, which show a pass. */
function podDoor(how: 'tty' | 'plain'): Door {
  return {
    kind: 'kube',
    counts: 'max_kubernetes_connections',
    ...(how === 'tty' ? { waits: true as const } : {}),
    async open(world, who) {
      const socket = await openExec(world, who, how);
      return { over: closing(socket), drop: () => socket.terminate() };
    },
  };
}

async function tunnelTo(world: LifecycleWorld, who: TestBrowser, name: string): Promise<Opened> {
  const query = { dbUser: 'app', dbName: 'shop' };
  const bytes = await dialAs(world, who, { door: DB_TCP_SOCKET, name, query });
  bytes.write(postgresHello('app'));
  // Everything up to being ready, which ends with it.
  for await (const piece of bytes.iterator({ destroyOnReturn: false })) if (piece.includes('Z')) break;
  bytes.resume();
  return { over: closing(bytes), drop: () => bytes.destroy() };
}

/** Of programs with TLS of their own. */
function nativeDoor(protocol: NativeDb): Door {
  return {
    kind: 'db',
    counts: 'max_connections',
    async open({ programs }, who) {
      const socket = await programs.open(protocol, who);
      return { over: closing(socket), drop: () => socket.destroy() };
    },
  };
}

let commandLines = 0;

async function dialAs(
  { port, gateway }: LifecycleWorld,
  who: TestBrowser,
  to: Pick<TcpStreamOptions, 'door' | 'name' | 'query'>,
): Promise<Duplex> {
  // Each from somewhere else: so many from one address are too many.
  commandLines = (commandLines + 1) % 250;
  const { send } = gateway.browser({ address: `10.0.0.${commandLines}` });
  const { requestId, secret } = await call(send, cliLoginRoutes.begin, { body: { client: 'test' } });
  const params = { requestId };
  await call(who.send, cliLoginRoutes.answer, { params, body: { action: 'accept' } });
  const { token = '' } = await call(send, cliLoginRoutes.poll, { params, body: { secret } });
  const origin = `http://127.0.0.1:${port}`;
  const bytes = await openTcpStream({ ...to, origin, token, clusterId: 'localhost', userAgent: 'test' });
  bytes.on('error', () => {});
  return bytes;
}

/** Once, and not again for each reason there is. */
function hungUp(shell: { ends: readonly string[] }): () => Promise<void> {
  return () => vi.waitFor(() => expect(shell.ends).toHaveLength(1));
}

/** However it comes to its end. */
function closing(of: EventEmitter): Promise<void> {
  return new Promise((resolve) => of.once('close', resolve));
}

/** One whose certificate is known, and the password of whose login is stored. */
async function addDesktop(admin: TestBrowser): Promise<RdpHost> {
  const host = await startRdpHost();
  const pin = pinOf(new X509Certificate(host.certificate).raw);
  const params = { clusterId: 'localhost' };
  const body = { name: 'win', addr: host.addr, labels: { env: 'dev' }, certificate: { pin } };
  await call(admin.send, desktopRoutes.add, { params, body });
  await call(admin.send, desktopRoutes.setPassword, {
    params: { ...params, name: 'win', login: 'app' },
    body: { password: 'x' },
  });
  return host;
}

export async function startLifecycleWorld(inactivityTimeoutMs: number): Promise<LifecycleWorld> {
  const authority = await makeTestAuthority();
  const world = await startAppWorld({ secondFactor: 'optional', inactivityTimeoutMs, doorPair: authority.server });
  const { gateway, admin } = world;
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: here\n\n');
  });
  new WebSocketServer({ server }).on('connection', (socket) => socket.send('here'));
  await world.add('lively', `http://127.0.0.1:${await world.server(server)}`);
  const sockets = new Set<Socket>();
  const tcp = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).write('here');
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  await world.add('bytes', `tcp://127.0.0.1:${(tcp.address() as AddressInfo).port}`);
  const talkative = (tcp.address() as AddressInfo).port;
  const pods = await startPods(admin);
  const postgres = await startStillPostgres();
  const desktop = await addDesktop(admin);
  const programs = await startNativeDbDoors(gateway, admin, authority);
  const joined = await join(gateway.send, { token: await newJoinToken(admin.send), name: 'edge' });
  const edge: Resource = {
    ...{ cluster: 'localhost', kind: 'node', id: joined.id, name: 'edge', labels: { env: 'dev' } },
    ...{ spec: { type: 'agent', hostname: 'edge' }, owner: joined.id, expires: undefined },
  };
  const put = (resource: Resource) =>
    gateway.storage.db.transaction().execute((tx) => putResources(tx, [resource], gateway.clock.now));
  await put(edge);
  const onOthers: OnStream = (offered, { target }) => {
    const stream = offered.accept().on('error', () => {});
    if (target === FILES_TARGET) serveEndlessFiles(stream);
    if (target.startsWith('tcp:')) {
      const far = connect(postgres.port, '127.0.0.1').on('error', () => {});
      stream.pipe(far).pipe(stream);
      stream.on('close', () => far.destroy());
    }
  };
  const shells = fakeShells(onOthers);
  const greeted = new Set<unknown>();
  const greeter = setInterval(() => {
    for (const shell of shells.shells.values()) if (!greeted.has(shell)) greeted.add(shell) && shell.print('ready\r\n');
  }, 10);
  const agent = startAgent(joined, { url: tunnelUrl(gateway.app), onStream: shells.onStream });
  await vi.waitFor(() => expect(gateway.connections.isConnected(joined.id)).toBe(true), { timeout: 5_000 });
  for (const name of ['shop', 'far']) {
    const db = { name, protocol: 'postgres', uri: `127.0.0.1:${postgres.port}`, signIn: 'password' } as const;
    const through = name === 'far' ? { through: ['edge'] } : {};
    await call(admin.send, databaseRoutes.add, {
      params: { clusterId: 'localhost' },
      body: { ...db, ...through, tls: { mode: 'off' }, labels: [{ name: 'env', value: 'dev' }] },
    });
    const params = { clusterId: 'localhost', name, dbUser: 'app' };
    await call(admin.send, databaseRoutes.setSecret, { params, body: { password: 'x' } });
  }
  return {
    ...world,
    ...{ shells, programs, talkative, desktop, sshPort: await openSshDoor(gateway) },
    resources: { node: edge },
    change: async (_kind, changed) => void (await put({ ...edge, ...changed })),
    async close() {
      clearInterval(greeter);
      await agent.close({ drainMs: 0 });
      await world.close();
      for (const socket of sockets) socket.destroy();
      tcp.close();
      postgres.close();
      programs.close();
      await desktop.stop();
      await pods.stop();
    },
  };
}
