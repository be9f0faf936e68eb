/** The Fastify instance with what holds for every request: limits, headers, names we answer to, request ids. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { closeSoon } from '@gatehouse/tunnel/close-soon';
import Fastify, {
  type ConnectionError,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Metrics } from '../health/metrics.ts';
import { AppError } from '../std/app-error.ts';
import { answerError, errorText, installErrorHook } from './error-hook.ts';
import { createTrust } from './hosts/client-address.ts';
import type { NativeDoor } from './hosts/first-bytes.ts';
import { createListener, type HostDoor, type PathDoor } from './hosts/host-door.ts';
import { relayedRequestId, requireForeignCall } from './relayed-door.ts';
import { limitSlowBodies } from './slow-bodies.ts';

const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

export interface ServerOptions {
  log: FastifyBaseLogger;
  /** Addresses whose forwarded headers are believed. */
  trustedProxies: readonly string[];
  /** Certificate and key in PEM; plain HTTP without. */
  tls?: { cert: string | Buffer; key: string | Buffer };
  /** Names this gateway answers to; undefined where it cannot know them (a public listener without a name). */
  hostNames?: readonly string[];
  metrics: Pick<Metrics, 'httpRequests' | 'httpDuration'>;
  /** Serves the hosts that are not the gateway's own. */
  hostDoor?: () => HostDoor | undefined;
  /** Serves paths that programs use as they are. */
  pathDoor?: () => PathDoor | undefined;
  /** Serves programs of databases. */
  nativeDoor?: () => NativeDoor | undefined;
  /** Only with a real certificate on a real domain: it cannot be taken back from browsers. */
  strictTransport: boolean;
}

export function createServer(options: ServerOptions): FastifyInstance {
  const app = Fastify({
    loggerInstance: options.log,
    // One line a request is written below, without the query, which may hold a token.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    // It counts for closing as well, where people have the drain time: 10 s, then close() fails and leaves the rest open.
    pluginTimeout: 0,
    forceCloseConnections: 'idle',
    trustProxy: options.trustedProxies.length > 0 ? createTrust(options.trustedProxies) : false,
    genReqId: (raw) => relayedRequestId(raw as IncomingMessage) ?? randomUUID(),
    routerOptions: { maxParamLength: 512 },
    // The wire reference also answers without the version in front.
    rewriteUrl: (request) => (request.url?.startsWith('/webapi/') ? `/v1${request.url}` : (request.url ?? '/')),
    frameworkErrors: (error, request, reply) => {
      reply.headers(SECURITY_HEADERS).headers(NO_CACHE);
      answerError(error, request as FastifyRequest, reply as FastifyReply);
    },
    clientErrorHandler: answerBrokenRequest,
    serverFactory: (handler, { keepAliveTimeout }) => {
      const server = createListener(
        {
          tls: options.tls,
          isLocal: options.hostNames !== undefined,
          door: options.hostDoor ?? (() => undefined),
          paths: options.pathDoor ?? (() => undefined),
          native: options.nativeDoor ?? (() => undefined),
        },
        handler,
      );
      if (typeof keepAliveTimeout === 'number') server.keepAliveTimeout = keepAliveTimeout;
      return server;
    },
  }) as unknown as FastifyInstance;

  installErrorHook(app);
  readJsonOnly(app);
  limitSlowBodies(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(SECURITY_HEADERS);
    reply.header('x-request-id', request.id);
    if (options.strictTransport) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains');
    if (isApi(request)) reply.headers(NO_CACHE);
    checkHost(request, options.hostNames);
    requireForeignCall(request);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { method } = request;
    // The pattern, not the address: links carry their secret in the path.
    const route = request.routeOptions.url ?? 'unmatched';
    options.metrics.httpRequests.inc({ method, route, status: reply.statusCode });
    options.metrics.httpDuration.observe({ method, route }, reply.elapsedTime / 1000);
    request.log.debug(
      { requestId: request.id, method, route, status: reply.statusCode, durationMs: reply.elapsedTime },
      'request',
    );
  });
  return app;
}

/** Answers are never framed, sniffed or given away by the Referer; pages widen the policy for what they load. */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'strict-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const NO_CACHE = {
  'cache-control': 'no-cache, no-store, must-revalidate',
  pragma: 'no-cache',
  expires: '0',
} as const;

function isApi(request: FastifyRequest): boolean {
  return request.url.startsWith('/v1/');
}

/** A page of another site whose name was pointed at our loopback address must not be served as if it were us. */
function checkHost(request: FastifyRequest, names: readonly string[] | undefined): void {
  if (!names) return;
  const name = request.hostname.toLowerCase();
  if (names.includes(name) || name.endsWith('.localhost')) return;
  throw new AppError(
    'denied',
    `this gateway does not answer to the name '${name.slice(0, 100)}': set its public address`,
  );
}

/** Some calls of the wire arrive with a JSON content type and no body at all: that is no body, not bad JSON. */
function readJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined);
    else void parse(request, text as string, done);
  });
}

/** Bytes that are no HTTP request never reach a route; they still get an answer in our shape, and the socket closes. */
function answerBrokenRequest(error: ConnectionError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const line = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = errorText(
    tooLarge ? 'too_large' : 'bad_request',
    tooLarge ? 'the request headers are too long' : 'the request is not valid HTTP',
    randomUUID(),
  );
  const security = Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${line}\r\ncontent-type: application/json; charset=utf-8\r\n${security.join('')}connection: close\r\n`;
  closeSoon(socket, `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
