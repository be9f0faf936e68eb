/** Lets calls that a trusted cluster relays into the same API, marked so that identity can tell whom it vouches for. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { PASS_HEADER } from '@gatehouse/contract/sessions/tcp-frames';
import { VERSION } from '@gatehouse/contract/std/version';
import { containEvents } from '@gatehouse/tunnel/contain';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../std/app-error.ts';

/** Somebody of a cluster that this one trusts, as they are taken here. */
export interface RemoteVisit {
  /** The trust they come through. */
  readonly trust: string;
  /** `TRUST/name`: no local name has a slash. */
  readonly username: string;
  /** The same for all calls of one sign-in there. */
  readonly signInId: string;
  /** Where they are, as the other cluster saw them. */
  readonly address: string;
}

/** Kept beside the requests, not in a header: nothing a client sends can put a request in here. */
const visits = new WeakMap<IncomingMessage, { visit: RemoteVisit; cluster: string }>();

/** Whom another cluster vouches for; undefined for a call that came in by itself. */
export function remoteVisit({ raw }: Pick<FastifyRequest, 'raw'>): RemoteVisit | undefined {
  return visits.get(raw)?.visit;
}

export function isRelayed(request: Pick<FastifyRequest, 'raw'>): boolean {
  return visits.has(request.raw);
}

/** In a ping of a websocket, to the cluster that relays it: the person did something. */
export const ACTIVE_PING = 'active';

const MAX_HEAD_BYTES = 16 * 1024;
const HEAD_WITHIN_MS = 10_000;

/**
 * What a relayed call may say beside its address and body. Whoever relays vouches for one person, and speaks for nobody
 * else: a cookie or a bearer would be somebody's of this cluster, and a forwarded address another than the one vouched for.
 */
export const RELAYED_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'content-length',
  'content-type',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
  'transfer-encoding',
  'user-agent',
  // Made there, for one socket there.
  PASS_HEADER,
  'x-request-id',
]);

/** Of a change of protocol. */
export const RELAYED_UPGRADE_HEADERS: ReadonlySet<string> = new Set([
  ...RELAYED_HEADERS,
  'connection',
  'sec-websocket-extensions',
  'sec-websocket-key',
  'sec-websocket-protocol',
  'sec-websocket-version',
  'upgrade',
]);

export interface RelayedDoor {
  /** Serves the one call that comes on this stream. */
  serve(stream: Duplex, visit: RemoteVisit): void;
  close(): void;
}

export interface RelayedDoorDeps {
  /** Where people open this gateway: it answers as that. */
  origin(): string;
  /** What this cluster is called. */
  cluster: string;
}

export function openRelayedDoor(app: FastifyInstance, { origin, cluster }: RelayedDoorDeps): RelayedDoor {
  const waiting = new WeakMap<Duplex, NodeJS.Timeout>();
  const visitors = new WeakMap<Duplex, RemoteVisit>();
  const open = new Set<Duplex>();
  const own = ownAddress(origin);
  const options = { maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false };

  function mark(request: IncomingMessage, allowed: ReadonlySet<string>): boolean {
    const visit = visitors.get(request.socket);
    clearTimeout(waiting.get(request.socket));
    // A second call on the same stream would be under a passport that was shown for the first.
    visitors.delete(request.socket);
    if (!visit) return false;
    for (const name of Object.keys(request.headers)) if (!allowed.has(name)) delete request.headers[name];
    request.headers.host = own().host;
    // Whoever reads them as they came reads no more than the others.
    request.rawHeaders = Object.entries(request.headers).flatMap(([name, value]) => [name, String(value)]);
    visits.set(request, { visit, cluster });
    return true;
  }

  const server = createServer(options, (request: IncomingMessage, response: ServerResponse) => {
    if (!mark(request, RELAYED_HEADERS)) return void request.socket.destroy();
    response.shouldKeepAlive = false;
    // With its last bytes, not once they have left: the end would be a packet of its own, and the other side would cut first.
    response.once('prefinish', () => request.socket.end());
    app.routing(request, response);
  });
  // The caller has said all it has to say, and listens.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on('upgrade', (request, socket, head) => {
    if (mark(request, RELAYED_UPGRADE_HEADERS)) app.server.emit('upgrade', request, socket, head);
    else socket.destroy();
  });
  server.on('clientError', (_error, socket) => socket.destroy());

  return {
    serve(stream, visit) {
      containEvents(stream, { where: 'relayed call', address: visit.address, cut: () => stream.destroy() });
      stream.on('error', () => stream.destroy());
      Object.defineProperties(stream, {
        remoteAddress: { value: visit.address },
        encrypted: { value: own().isEncrypted },
      });
      visitors.set(stream, visit);
      open.add(stream);
      const timer = setTimeout(() => stream.destroy(), HEAD_WITHIN_MS).unref();
      waiting.set(stream, timer);
      stream.on('close', () => {
        clearTimeout(timer);
        open.delete(stream);
      });
      server.emit('connection', stream);
    },
    close() {
      for (const stream of open) stream.destroy();
    },
  };
}

/** Read anew only when it is another one: it is asked for twice with each call. */
function ownAddress(origin: () => string): () => { host: string; isEncrypted: boolean } {
  let known: { origin: string; host: string; isEncrypted: boolean } | undefined;
  return () => {
    const now = origin();
    if (known?.origin === now) return known;
    const { host, protocol } = new URL(now);
    known = { origin: now, host, isEncrypted: protocol === 'https:' };
    return known;
  };
}

/** Nobody speaks through another cluster to anything but what names the cluster it is for. */
export function requireForeignCall(request: FastifyRequest): void {
  const cluster = visits.get(request.raw)?.cluster;
  if (cluster === undefined || request.routeOptions.url?.includes('/:clusterId/')) return;
  // The other cluster may be of a later version than this one.
  throw new AppError('not_available', `'${cluster}' runs ${VERSION} and does not know this call`);
}

/** The one that the caller was given where it asked: people quote it, and both logs have it. */
export function relayedRequestId(raw: IncomingMessage): string | undefined {
  const id = visits.has(raw) ? raw.headers['x-request-id'] : undefined;
  return typeof id === 'string' && UUID.test(id) ? id : undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
