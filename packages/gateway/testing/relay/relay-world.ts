/** A gateway that relays and one that serves, as plain applications on real sockets: what is between them is the test's. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createMetrics } from '../../src/platform/health/metrics.ts';
import { openRelayedDoor, type RelayedDoor, type RemoteVisit } from '../../src/platform/http/relayed-door.ts';
import { createServer } from '../../src/platform/http/server.ts';
import { openSocketDoor } from '../../src/platform/http/socket-door.ts';
import { AppError } from '../../src/platform/std/app-error.ts';
import { UpstreamFault } from '../../src/reach/http/upstream-fault.ts';
import { sendCall } from '../../src/reach/relay/send-call.ts';
import { sendSocket } from '../../src/reach/relay/send-socket.ts';

export const ANN: RemoteVisit = { trust: 'root', username: 'root/ann', signInId: 's1', address: '203.0.113.7' };
/** What both sides give each other where nobody is to fall silent: a busy machine takes its time. */
const ANSWER_MS = 30_000;

export interface RelayWorld {
  /** Where calls are made. */
  origin: string;
  port: number;
  /** The application that serves; add routes before the first call. */
  leaf: FastifyInstance;
  door: RelayedDoor;
  /** The other side says that the person did something. */
  onActive: () => void;
  /** How streams between the two come to be; by default straight into the door. */
  open: () => Promise<Duplex>;
  close(): Promise<void>;
}

function plainApp(): FastifyInstance {
  const { metrics } = createMetrics({ version: 'test', processMetrics: 'none' });
  return createServer({ log: pino({ level: 'silent' }), metrics, trustedProxies: [], strictTransport: false });
}

/** `answerMs`: short where somebody says nothing, so that nobody waits for it. */
export async function startRelayWorld(
  addRoutes: (leaf: FastifyInstance) => void,
  answerMs = ANSWER_MS,
): Promise<RelayWorld> {
  const leaf = plainApp();
  addRoutes(leaf);
  const door = openRelayedDoor(leaf, { origin: () => 'http://leaf.example:3080', cluster: 'leaf' });
  await leaf.ready();
  const streams = createTcpServer({ allowHalfOpen: true }, (stream) => door.serve(stream, ANN)).listen(0, '127.0.0.1');
  await once(streams, 'listening');
  const root = plainApp();
  const opened = openSocketDoor(root);
  opened.add('/v1/sockets/*', async (request, accept) => {
    const socket = await accept();
    socket.pause();
    try {
      await sendSocket({
        socket,
        active: () => world.onActive(),
        request,
        url: urlOf(request.url),
        open: () => world.open(),
        takenMs: answerMs,
      });
      socket.resume();
    } catch (error) {
      socket.resume();
      socket.close(4404, error instanceof Error ? error.message.slice(0, 100) : '');
    }
  });
  root.all(
    '/v1/calls/*',
    {
      onRequest: async (request, reply) => {
        const open = () => world.open();
        await sendCall({ request, reply, url: urlOf(request.url), open, answerMs }).catch((error: unknown) => {
          if (error instanceof UpstreamFault) throw new AppError('target_unreachable', error.message);
          throw error;
        });
      },
    },
    async () => 'served at the root',
  );
  await root.listen({ host: '127.0.0.1', port: 0 });
  const { port } = root.server.address() as AddressInfo;
  const world: RelayWorld = {
    origin: `http://127.0.0.1:${port}`,
    port,
    leaf,
    door,
    onActive: () => {},
    open: () => dial((streams.address() as AddressInfo).port),
    async close() {
      door.close();
      streams.close();
      await Promise.all([root.close(), leaf.close()]);
    },
  };
  return world;
}

async function dial(port: number): Promise<Duplex> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}

function urlOf(url: string): string {
  return url.replace(/^\/v1\/(calls|sockets)\//, '/v1/sites/-current-/');
}

/** Another cluster that says what it likes: given the whole head of a request, and its connection. */
export async function hostileLeaf(
  world: RelayWorld,
  serve: (socket: Socket, head: string) => void,
): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>();
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    let head = '';
    socket.on('data', (data) => {
      if (head.includes('\r\n\r\n')) return;
      head += data.toString('latin1');
      if (head.includes('\r\n\r\n')) serve(socket, head);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  world.open = () => dial(port);
  return async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
}
