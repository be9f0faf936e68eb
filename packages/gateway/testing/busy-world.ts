/** A real gateway process with something of everything open at once, and clients that do not let go by themselves. */
import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, ftruncateSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Agent, createServer as createHttpServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHANGES_SOCKET } from '@gatehouse/contract/identity/change-frames';
import { sshAuthorityRoutes } from '@gatehouse/contract/identity/ssh-authorities';
import { APP_TCP_SOCKET, appRoutes } from '@gatehouse/contract/kinds/app/apps';
import { fileRoutes } from '@gatehouse/contract/kinds/node/files/files';
import { nodeRoutes } from '@gatehouse/contract/kinds/node/nodes';
import { recordingUpkeepRoutes } from '@gatehouse/contract/recordings/recording-upkeep';
import { LIVE_SESSIONS_SOCKET } from '@gatehouse/contract/sessions/live-frames';
import { call, type Send } from '@gatehouse/contract/wire/client';
import { pathFor, queryString } from '@gatehouse/contract/wire/route';
import { startSshd, type TestSshd } from '@gatehouse/testkit/sshd';
import { vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { ask, openApp } from './apps/app-world.ts';
import { type ProcessWorld, SERVER, startProcessWorld } from './sessions/process-world.ts';
import { connectTerminal, opening, type TerminalClient } from './sessions/terminal-client.ts';

export const OPENSSH = 'box';
const site = { clusterId: '-current-' };
const BIG_BYTES = 2 ** 31;

export interface BusyWorld {
  world: ProcessWorld;
  sshd: TestSshd;
  /** As ann. */
  send: Send;
  /** Opens everything; the terminals are given back, the rest is only held open. */
  openAll(): Promise<{ ssh: TerminalClient; agent: TerminalClient; agentSid: string; sshSid: string }>;
  /** Opens one terminal, and sees that it answers. */
  terminal(kind: 'openssh' | 'agent'): Promise<{ client: TerminalClient; sid: string }>;
  /** A console that listens, and a connection to an application that is kept for the next request. */
  holdPages(): Promise<void>;
  /** Lets go of what is held. */
  letGo(): void;
  close(): Promise<void>;
}

export async function startBusyWorld(settings: Record<string, string>): Promise<BusyWorld> {
  const upstream = await startUpstream();
  const big = makeBigFile();
  const rules = 'rules: [{resources: [session], verbs: [list, read]}, {resources: [app_server], verbs: [list, read]}]';
  const world = await startProcessWorld(settings, {
    allow: `app_labels: {'*': '*'}, ${rules}`,
    agentConfig: `allow: ['127.0.0.1:${upstream.tcpPort}']\n`,
  });
  const sshd = await startSshd();
  sshd.trust((await call(world.owner, sshAuthorityRoutes.list, {})).map(({ publicKey }) => publicKey));
  const labels = { env: 'dev' };
  await call(world.owner, nodeRoutes.add, { params: site, body: { name: OPENSSH, addr: sshd.addr, labels } as never });
  for (const [name, uri, more] of [
    ['web', `http://127.0.0.1:${upstream.httpPort}`, {}],
    ['near', `tcp://127.0.0.1:${upstream.tcpPort}`, {}],
    ['far', `tcp://127.0.0.1:${upstream.tcpPort}`, { through: [SERVER] }],
  ] as const)
    await call(world.owner, appRoutes.add, { params: site, body: { name, uri, labels, ...more } as never });

  const { tab, gateway } = world;
  const port = Number(new URL(gateway.origin).port);
  const csrf = /grv_csrf=([0-9a-f]+)/.exec(tab.headers.cookie ?? '')?.[1] ?? '';
  const headers = { ...tab.headers, authorization: `Bearer ${tab.token}`, 'x-csrf-token': csrf };
  const send: Send = async ({ method, url, body }) => {
    const json = body === undefined ? {} : { body, headers: { ...headers, 'content-type': 'application/json' } };
    const reply = await fetch(`${gateway.origin}${url}`, { method, headers, ...json });
    return { status: reply.status, text: await reply.text() };
  };
  const held: (() => void)[] = [];

  /** A request whose answer nobody reads on. */
  const hold = (path: string, over: Record<string, string> = {}, body?: Buffer, method = 'GET') =>
    new Promise<IncomingMessage | undefined>((resolve, reject) => {
      const asked = request(`${gateway.origin}${path}`, { method, headers: { ...headers, ...over }, agent: false });
      asked.on('response', (answer) => {
        answer.on('error', () => undefined);
        if ((answer.statusCode ?? 0) >= 400) reject(new Error(`${path}: ${answer.statusCode}`));
        else answer.once('readable', () => resolve(answer));
      });
      asked.on('error', (error) => reject(error));
      held.push(() => asked.destroy());
      if (body === undefined) asked.end();
      // Half of what was announced.
      else asked.write(body, () => resolve(undefined));
    });
  const holdSocket = async (path: string, sent: readonly object[]) => {
    const socket = new WebSocket(`${gateway.origin.replace('http', 'ws')}${path}`, { headers: tab.headers });
    socket.on('error', () => undefined);
    held.push(() => socket.terminate());
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => {
        for (const message of sent) socket.send(JSON.stringify(message));
      });
      socket.once('message', () => resolve());
      socket.once('close', (code) => reject(new Error(`${path}: ${code}`)));
    });
    // As a laptop that was closed: it answers nothing any more, not even that it heard of the end.
    socket.pause();
  };
  const hello = { type: 'hello', token: tab.token };

  const holdFiles = async (server: string) => {
    const opened = await call(send, fileRoutes.open, { params: site, body: { server, login: world.login } });
    const params = { ...site, fileSession: opened.id };
    await hold(pathFor(fileRoutes.read.path, params) + queryString({ path: big.path }));
    const upload = { folder: opened.home, name: `up-${server}`, upload: randomBytes(8).toString('hex') };
    const path = pathFor(fileRoutes.write.path, params) + queryString({ ...upload, offset: 0, size: 10_000_000 });
    const type = { 'content-type': 'application/octet-stream', 'content-length': '10000000' };
    await hold(path, type, Buffer.alloc(1_000_000), 'PUT');
  };
  const holdApp = async () => {
    const visit = (options: Parameters<typeof ask>[1]) => ask(port, options);
    const cookie = await openApp({ port }, { send }, 'web.localhost', '/', visit);
    const app = { host: `web.localhost:${port}`, 'user-agent': AGENT, cookie };
    await hold('/stream', app);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`, {
      headers: { ...app, origin: `http://web.localhost:${port}` },
    });
    socket.on('error', () => undefined);
    held.push(() => socket.terminate());
    await new Promise<void>((resolve, reject) => {
      socket.once('message', () => resolve());
      socket.once('close', (code) => reject(new Error(`websocket of the application: ${code}`)));
    });
    socket.pause();
  };
  const terminal = async (server: string) => {
    const client = connectTerminal(tab, opening(server, world.login));
    held.push(() => client.cut());
    const { sid } = await client.state;
    client.type('echo ready-$((40+2))\n');
    await client.until(/ready-42/, 30_000);
    return { client, sid };
  };
  /** After a restart the agent may only just be on its way back. */
  const terminalOnceThere = (server: string) => vi.waitFor(() => terminal(server), { timeout: 30_000, interval: 500 });
  /** One that ended before, so that there is something to play. */
  const recorded = async () => {
    const { client, sid } = await terminal(OPENSSH);
    client.type(`head -c 8000000 /dev/zero | tr '\\0' x; exit\n`);
    await client.told('ended', 60_000);
    client.cut();
    await vi.waitFor(() => hold(pathFor(recordingUpkeepRoutes.asciicast.path, { ...site, sid })), { timeout: 20_000 });
  };

  return {
    world,
    sshd,
    send,
    async openAll() {
      await recorded();
      const ssh = await terminal(OPENSSH);
      const agent = await terminalOnceThere(SERVER);
      await holdFiles(OPENSSH);
      await holdFiles(SERVER);
      await holdApp();
      for (const name of ['near', 'far']) await holdSocket(pathFor(APP_TCP_SOCKET, { ...site, name }), [hello]);
      await holdSocket(CHANGES_SOCKET, [hello]);
      await holdSocket(pathFor(LIVE_SESSIONS_SOCKET, site), [hello, { type: 'look', sids: [agent.sid] }]);
      // Somebody who only begins to ask.
      const slow = connect(port, '127.0.0.1', () => slow.write('GET /web HTTP/1.1\r\nhost: localhost\r\n'));
      slow.on('error', () => undefined);
      held.push(() => slow.destroy());
      return { ssh: ssh.client, agent: agent.client, agentSid: agent.sid, sshSid: ssh.sid };
    },
    terminal: (kind) => terminalOnceThere(kind === 'agent' ? SERVER : OPENSSH),
    async holdPages() {
      await holdSocket(CHANGES_SOCKET, [hello]);
      const agent = new Agent({ keepAlive: true });
      held.push(() => agent.destroy());
      const cookie = await openApp({ port }, { send }, 'web.localhost', '/');
      for (const headers of [{}, { host: `web.localhost:${port}`, 'user-agent': AGENT, cookie }])
        await new Promise<void>((resolve, reject) => {
          request(`${gateway.origin}/once`, { agent, headers }, (answer) => answer.resume().on('end', resolve))
            .on('error', reject)
            .end();
        });
    },
    letGo() {
      for (const close of held.splice(0)) close();
    },
    async close() {
      for (const close of held.splice(0)) close();
      await world.close();
      await sshd.stop();
      upstream.close();
      big.remove();
    },
  };
}

const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0';

/** Of more than any buffer on the way holds; takes no room on the disk. */
function makeBigFile() {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-big-'));
  chmodSync(folder, 0o755);
  const path = join(folder, 'big.bin');
  const file = openSync(path, 'w', 0o644);
  ftruncateSync(file, BIG_BYTES);
  closeSync(file);
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** An application that streams for ever, one that greets on a websocket, and one that greets on bare TCP. */
async function startUpstream() {
  const http = createHttpServer((asked, response) => {
    if (asked.url === '/once') return void response.end('once');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write('data: tick\n\n'), 100);
    response.on('close', () => clearInterval(timer));
  });
  const sockets = new WebSocketServer({ server: http });
  sockets.on('connection', (socket) => socket.send('hello'));
  const open = new Set<Socket>();
  const tcp = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.write('hello');
  });
  const listen = (server: { listen: typeof http.listen; address(): unknown }) =>
    new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
    );
  return {
    httpPort: await listen(http),
    tcpPort: await listen(tcp as never),
    close() {
      for (const socket of open) socket.destroy();
      tcp.close();
      http.closeAllConnections();
      http.close();
    },
  };
}
