/** Takes requests of browsers that another cluster has: each websocket is one connection of HTTP/1.1 to a web application. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type FactorAnswer, factorAnswer } from '@gatehouse/contract/identity/webauthn';
import { APP_WEB_SOCKET, appWebQuery } from '@gatehouse/contract/kinds/app/apps';
import type { TcpFrame } from '@gatehouse/contract/sessions/tcp-frames';
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { closeSoon } from '@gatehouse/tunnel/close-soon';
import { TcpStream } from '@gatehouse/tunnel/sessions/tcp-stream';
import type { FastifyRequest } from 'fastify';
import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Identity } from '../../../identity/identity.ts';
import type { SignedInSocket } from '../../../identity/sockets/signed-in-socket.ts';
import type { Sockets } from '../../../identity/sockets/sockets.ts';
import { isRelayed } from '../../../platform/http/relayed-door.ts';
import { socketExchange } from '../../../platform/http/socket-exchange.ts';
import { AppError, notFound } from '../../../platform/std/app-error.ts';
import { containConnections } from '../../../platform/std/contain-connections.ts';
import { storeFailure } from '../../../platform/storage/store-failure.ts';
import { abortResponse } from '../../../reach/http/abort-response.ts';
import { NodeAnswer } from '../../../reach/http/client-answer.ts';
import { bodyOf, proxyRequest } from '../../../reach/http/proxy-request.ts';
import { proveFactor } from '../../../sessions/tcp/give-pass.ts';
import { type AppPage, rawAnswer, sendPage } from '../app-page.ts';
import { badRequest, brokenRequest } from '../broken-request.ts';
import { proxyUpgrade } from '../engine/proxy-upgrade.ts';
import { readRequest } from '../engine/read-request.ts';
import { writeRequestHead } from '../engine/request-head.ts';
import { passHeaders } from '../engine/response-rules.ts';
import { failurePage } from '../failure-page.ts';
import { requireWeb, seenBy } from '../open-app.ts';
import type { RelayedSession, RelayedSessions, RelayedSessionsDeps } from './relayed-sessions.ts';

export interface WebSocketDeps extends RelayedSessionsDeps {
  identity: Pick<Identity, 'proveAgain'>;
  relayed: RelayedSessions;
}

const params = z.object({ name: z.string().min(1).max(253) });
const MAX_HEAD_BYTES = 64 * 1024;

export function serveAppWebSocket(sockets: Sockets, deps: WebSocketDeps): void {
  const browsers = new WeakMap<Duplex, RelayedSession>();
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES }, (request, response) =>
    passOn(browsers.get(request.socket), request, response),
  );
  server.requestTimeout = 0;
  containConnections(server, 'relayed application');
  server.on('upgrade', (request, socket, rest) => passUpgrade(browsers.get(socket), request, socket, rest));

  sockets.add(APP_WEB_SOCKET, 'hello', serve, { refuse: ({ socket }, _request, why) => refuse(socket, why) });

  async function serve(opened: SignedInSocket, request: FastifyRequest): Promise<void> {
    const { socket, caller, asked } = opened;
    asked();
    // Before anything is waited for: what comes with the first words waits in it.
    const stream = new TcpStream(socket);
    stream.on('error', () => stream.destroy());
    try {
      const { name } = params.safeParse(request.params).data ?? {};
      const query = appWebQuery.safeParse(request.query).data;
      if (!query || name === undefined) throw new AppError('bad_request', 'that is no browser of another cluster');
      // Where a browser has an application is believed of a cluster, and of nobody else.
      if (!isRelayed(request)) throw new AppError('not_available', 'only other clusters are let in here');
      const actor = await caller.now();
      const { directory, access } = deps;
      if (!directory.byName(name) && !directory.byHost(name)) await directory.refresh();
      const app = seenBy(access, actor, directory.byName(name) ?? directory.byHost(name));
      if (!app) throw notFound('application', name);
      requireWeb(app);
      if (query.session === '') {
        send(socket, { type: 'ready', session: app.resource.name });
        return;
      }
      const found = await deps.relayed.get(app, {
        ...{ caller, address: request.ip, requestId: request.id, call: 'app of another cluster' },
        ...{ ref: query.session, shown: { origin: new URL(query.origin), gateway: query.gateway } },
        proveFactor: () => proveFactor(deps, actor, socketExchange(request), readFactor(query.factor)),
      });
      if (stream.destroyed) return;
      stream.once(
        'close',
        found.enter(() => stream.destroy()),
      );
      Object.defineProperty(stream, 'remoteAddress', { value: request.ip });
      browsers.set(stream, found);
      send(socket, { type: 'ready', session: app.resource.name });
      server.emit('connection', stream);
    } catch (error) {
      const told = storeFailure(error) ?? error;
      if (!(told instanceof AppError)) deps.log.error({ error }, 'a browser of another cluster cannot be served');
      refuse(socket, told instanceof AppError ? told : new AppError('internal', 'the gateway made a mistake'));
    }
  }
}

function readFactor(text: string): FactorAnswer | undefined {
  return text === '' ? undefined : factorAnswer.safeParse(parseJson(text)).data;
}

function begun({ live, hosted }: RelayedSession): void {
  live.begin();
  hosted.active(hosted.id);
}

function passOn(found: RelayedSession | undefined, request: IncomingMessage, response: ServerResponse): void {
  const facts = readRequest(request.rawHeaders);
  const wrong = brokenRequest(request, facts);
  if (!found || wrong) {
    sendPage(response, wrong ?? badRequest('nobody is known for it'), facts.isPage);
    return;
  }
  const { live } = found;
  begun(found);
  const [method, url] = [request.method ?? 'GET', request.url ?? '/'];
  const body = bodyOf(request, facts);
  let cut: (() => void) | undefined;
  let isOver = false;
  cut = proxyRequest({
    ...{ method, body, source: request, answer: new NodeAnswer(response), pool: live.pool, door: 'app host' },
    head: writeRequestHead({ method, url, raw: request.rawHeaders, facts, cookie: facts.cookie, body }, live.rules),
    passHeaders: (headers) => passHeaders(headers, live.rules),
    onDone(status) {
      isOver = true;
      if (cut) live.remove(cut);
      live.tell({ method, url, status });
    },
    onUnreachable(error) {
      if (response.headersSent || response.writableEnded) abortResponse(response);
      else sendPage(response, failurePage(error), facts.isPage);
    },
  });
  if (!isOver) live.add(cut);
}

function passUpgrade(found: RelayedSession | undefined, request: IncomingMessage, socket: Duplex, rest: Buffer): void {
  socket.on('error', () => socket.destroy());
  const facts = readRequest(request.rawHeaders);
  const refused = (page: AppPage) => closeSoon(socket, rawAnswer(page));
  const wrong = brokenRequest(request, facts);
  const isWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
  if (!found || wrong || !isWebSocket) {
    refused(wrong ?? badRequest(found ? 'it wants a protocol that is not passed on' : 'nobody is known for it'));
    return;
  }
  const { live, hosted } = found;
  begun(found);
  let cut: (() => void) | undefined;
  let isOver = false;
  cut = proxyUpgrade({
    ...{ request, socket, rest, facts, cookie: facts.cookie, rules: live.rules },
    open: () => live.pool.open('upgrade'),
    onInput: () => hosted.active(hosted.id),
    onDone(status) {
      isOver = true;
      if (cut) live.remove(cut);
      live.tell({ method: 'GET', url: request.url ?? '/', status });
    },
    onUnreachable: (error) => refused(failurePage(error)),
  });
  if (!isOver) live.add(cut);
}

function refuse(socket: WebSocket, { code, message }: AppError): void {
  send(socket, { type: 'failed', code, message });
  socket.close(1000);
}

function send(socket: WebSocket, frame: TcpFrame): void {
  if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(frame));
}
