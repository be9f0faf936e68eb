/** Lets websockets and other upgrades in through the same checks as every call: host names, proxies, headers, and the Origin a browser sends. */
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerPings } from '@gatehouse/tunnel/answer-pings';
import { closeSoon } from '@gatehouse/tunnel/close-soon';
import { containEvents } from '@gatehouse/tunnel/contain';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { AppError } from '../std/app-error.ts';
import { ownOrigin } from './csrf.ts';
import { takeForeignUpgrade } from './hosts/host-door.ts';
import { isRelayed } from './relayed-door.ts';

/** A frame larger than this is no message of ours. */
const MAX_FRAME_BYTES = 1024 * 1024;
const PING_EVERY_MS = 30_000;
const TAKEN_WITHIN_MS = 30_000;
/** For who closes: a peer that does not answer, such as a laptop that sleeps, is not waited for. */
const LAST_WORD_MS = 1_000;

export interface SocketDoor {
  /** Serves a path with optional `:parameters`; the route may throw before `accept` to refuse with an HTTP answer. */
  add(path: string, serve: (request: FastifyRequest, accept: () => Promise<WebSocket>) => Promise<void>): void;
}

interface Upgrade {
  socket: Duplex;
  head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();
const waiting = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/** Call it before the application is ready; closing the application closes every socket. */
export function openSocketDoor(app: FastifyInstance): SocketDoor {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    autoPong: false,
  });
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (isAnswering(socket)) {
      socket.destroy();
      return;
    }
    // Doors of applications and programs ask for credentials of this cluster, and know nobody whom another one vouches for.
    if (!isRelayed({ raw: request }) && takeForeignUpgrade(app.server, request, socket, head)) return;
    upgrades.set(request, { socket, head });
    // Until somebody takes the connection it is nobody's, and neither a slow answer nor a slow reader keeps it.
    const timer = setTimeout(() => socket.destroy(), TAKEN_WITHIN_MS).unref();
    waiting.set(request, timer);
    socket.on('close', () => clearTimeout(timer));
    // Through the router like any call: a refusal is an HTTP answer, after which the connection ends.
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0]);
    response.on('finish', () => closeSoon(socket));
    app.routing(request, response);
  });
  app.addHook('preClose', async () => {
    // 1001: going away; a console connects again, to this gateway or another.
    const left = [...server.clients];
    for (const socket of left) socket.close(1001, 'the gateway is closing');
    server.close();
    setTimeout(() => {
      for (const socket of left) socket.terminate();
    }, LAST_WORD_MS).unref();
  });

  return {
    add(path, serve) {
      addUpgrade(app, path, async (request, _reply, take) => {
        await serve(request, () => {
          const { socket, head } = take();
          return new Promise<WebSocket>((resolve) => {
            server.handleUpgrade(request.raw, socket, head, (webSocket) => {
              containEvents(webSocket, {
                where: 'websocket',
                address: request.ip,
                cut: () => webSocket.terminate(),
              });
              keepAlive(webSocket);
              answerPings(webSocket);
              resolve(webSocket);
            });
          });
        });
      });
    },
  };
}

/** Who reads this has most often put a proxy in front that does not pass upgrades on. */
const NO_UPGRADE =
  'this address is a websocket, and the request asks for no upgrade: a proxy in front must speak HTTP/1.1 to the gateway ' +
  'and pass the headers Upgrade and Connection on';

/** Serves upgrades of any sort, where the door is open. `take` hands the connection over; before it, throwing is an HTTP answer. */
export function addUpgrade(
  app: FastifyInstance,
  path: string,
  serve: (request: FastifyRequest, reply: FastifyReply, take: () => Upgrade) => Promise<void>,
): void {
  app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
    const upgrade = upgrades.get(request.raw);
    if (!upgrade) throw new AppError('bad_request', NO_UPGRADE);
    checkSocketOrigin(request);
    await serve(request, reply, () => {
      clearTimeout(waiting.get(request.raw));
      reply.hijack();
      reply.raw.detachSocket(upgrade.socket as Parameters<ServerResponse['detachSocket']>[0]);
      return upgrade;
    });
    return reply;
  });
}

/** Behind a request that is not answered yet: two answers would share the connection. Node keeps the first one there. */
function isAnswering(socket: Duplex): boolean {
  return '_httpMessage' in socket && Boolean(socket._httpMessage);
}

/** Any website can open a socket to us with the visitor's cookies; only our own pages say our own origin. */
function checkSocketOrigin(request: FastifyRequest): void {
  const { origin } = request.headers;
  if (origin === undefined && request.headers.cookie === undefined) return;
  if (origin !== ownOrigin(request)) throw new AppError('csrf_failed', 'the websocket was opened by another site');
}

/** A peer that vanished without a word is noticed by its silence. */
function keepAlive(socket: WebSocket): void {
  let heard = true;
  socket.on('pong', () => {
    heard = true;
  });
  const timer = setInterval(() => {
    if (!heard) return socket.terminate();
    heard = false;
    socket.ping();
  }, PING_EVERY_MS).unref();
  socket.on('close', () => clearInterval(timer));
  socket.on('error', () => socket.terminate());
}
