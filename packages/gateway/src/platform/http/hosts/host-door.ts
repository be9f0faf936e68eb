/** Sends requests by the host they name: those of applications go to their own door before anything else looks at them. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { constants, createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { createServer as createHttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { containConnections } from '../../std/contain-connections.ts';
import { requestHost } from '../../std/host-name.ts';
import type { SimpleAnswer, SimpleRequest } from './fast-path-connection.ts';
import { serveSimply } from './fast-path-connections.ts';
import { lookAtFirstBytes, type NativeDoor } from './first-bytes.ts';
import { createLocalTls } from './local-tls.ts';

export interface HostDoor {
  /** The name in lower case, without a port. */
  isAppHost(host: string): boolean;
  /** Of HTTP/1.1, or of HTTP/2 in the same clothes: `httpVersionMajor` tells. */
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, rest: Buffer): void;
  /** A request of which little has to be done; false: it comes again as `request`, and nothing has happened yet. */
  simple(request: SimpleRequest, answer: SimpleAnswer): boolean;
}

/** A door of programs at a path of the gateway's own names. It takes the target as it came: nobody has read or mended it before. */
export interface PathDoor {
  isMeant(url: string): boolean;
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, rest: Buffer): void;
}

export interface ListenerOptions {
  tls?: { cert: string | Buffer; key: string | Buffer } | undefined;
  /** Only programs of this machine come to it. */
  isLocal?: boolean;
  /** Undefined until it is put together. */
  door(): HostDoor | undefined;
  /** Undefined until it is put together. */
  paths?(): PathDoor | undefined;
  /** For programs of databases, which come to the same port. */
  native?(): NativeDoor | undefined;
}

const MAX_STREAMS = 128;
const IDLE_SESSION_MS = 120_000;
const STILL_MS = 60_000;
const LINGER_MS = 1_000;
type Served = Pick<HostDoor, 'request' | 'upgrade'>;
const doors = new WeakMap<object, (request: IncomingMessage) => Served | undefined>();

/** A listener whose requests go to `handler` unless an application has the host they name. */
export function createListener(
  { tls, isLocal, door, paths, native }: ListenerOptions,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const doorFor = (request: IncomingMessage): Served | undefined => {
    const ofHost = doorOf(door(), request.rawHeaders);
    if (ofHost) return ofHost;
    const ofPath = paths?.();
    return ofPath?.isMeant(request.url ?? '') ? ofPath : undefined;
  };
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const elsewhere = doorFor(request);
    if (elsewhere) elsewhere.request(request, response);
    else handler(request, response);
  };
  const choose = (asked: Parameters<typeof protocolFor>[0]) => protocolFor(asked, door());
  const server = tls
    ? (createHttpsServer({ ...tls, ALPNCallback: choose }, serve) as unknown as Server)
    : createServer(serve);
  // An upload to an application takes as long as it takes; whoever else reads bodies limits them by itself.
  server.requestTimeout = 0;
  doors.set(server, doorFor);
  const elsewhere = isLocal && !tls ? createLocalTls(server) : undefined;
  serveSimply(
    server,
    tls ? 'secureConnection' : 'connection',
    (request, answer) => door()?.simple(request, answer) ?? false,
    { elsewhere },
  );
  if (tls) serveHttp2(server, door);
  if (tls && native) lookAtFirstBytes(server, native);
  containConnections(server, 'http');
  return server;
}

/** Takes an upgrade that belongs to an application, or to a door of programs. */
export function takeForeignUpgrade(server: object, request: IncomingMessage, socket: Duplex, rest: Buffer): boolean {
  const elsewhere = doors.get(server)?.(request);
  elsewhere?.upgrade(request, socket, rest);
  return elsewhere !== undefined;
}

function doorOf(door: HostDoor | undefined, raw: readonly string[]): HostDoor | undefined {
  const host = door && requestHost(raw);
  return host !== undefined && door?.isAppHost(host) ? door : undefined;
}

/** Only the names of applications speak HTTP/2: the console's sockets and tunnels want connections of their own. */
function protocolFor(
  { servername, protocols }: { servername: string | false; protocols: string[] },
  door: HostDoor | undefined,
): string | undefined {
  // Whoever comes by address names no host, and then never one of an application.
  if (servername && protocols.includes('h2') && door?.isAppHost(servername.toLowerCase())) return 'h2';
  return protocols.includes('http/1.1') ? 'http/1.1' : undefined;
}

function serveHttp2(server: Server, door: () => HostDoor | undefined): void {
  const sessions = new Set<ServerHttp2Session>();
  const http2 = createHttp2Server({ settings: { maxConcurrentStreams: MAX_STREAMS } });
  containConnections(http2, 'http2');
  http2.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => session.destroy());
    session.setTimeout(IDLE_SESSION_MS, () => session.close());
  });
  http2.on('request', (request, response) => {
    const { stream } = request;
    // The answer is out, and whoever asked neither takes it nor ends what they send: the stream is not theirs to keep.
    const isOver = () => response.writableEnded && !stream.closed;
    stream.setTimeout(STILL_MS, () => void (isOver() && stream.close(constants.NGHTTP2_CANCEL)));
    response.on('finish', () => {
      if (!request.complete) setTimeout(() => void (isOver() && stream.close()), LINGER_MS).unref();
    });
    const elsewhere = doorOf(door(), request.rawHeaders);
    if (elsewhere) {
      elsewhere.request(request as unknown as IncomingMessage, response as unknown as ServerResponse);
      return;
    }
    // A browser may use one connection for all names of a certificate; for this one it must open another.
    response.writeHead(421);
    response.end();
  });
  const [http1] = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') http2.emit('connection', socket);
    else http1?.call(server, socket);
  });
  server.on('close', () => {
    for (const session of sessions) session.destroy();
  });
  const close = server.close.bind(server);
  server.close = (callback) => {
    for (const session of sessions) session.close();
    return close(callback);
  };
}
