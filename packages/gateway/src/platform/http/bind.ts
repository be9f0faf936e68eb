/** Ties handlers to the contract's routes: sign-in, permission, parsing and replies happen here, once for every call. */
import type { Readable } from 'node:stream';
import type { ApiRoute, ApiRoutes } from '@gatehouse/contract/api/api';
import type { Route } from '@gatehouse/contract/wire/route';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { AppError, notFound } from '../std/app-error.ts';
import { parseInput } from '../std/parse-input.ts';
import type { Actor, Caller } from './actor.ts';
import { type ByteReply, sendBytes } from './byte-reply.ts';
import type { Call, CookieName, Exchange, Handlers } from './call.ts';
import { type Clusters, forwardedUrl } from './cluster.ts';
import { readCookie, writeCookie } from './cookies.ts';
import { checkCsrf, ownOrigin } from './csrf.ts';
import { refuseEmbedded } from './embedded.ts';
import type { FailureLimit } from './failure-limit.ts';
import { isLocal } from './local-door.ts';
import { isFailure, type PageReply, sendPage } from './page-reply.ts';
import type { ProofLimit } from './proof-limit.ts';
import type { RateLimit } from './rate-limit.ts';
import { readyBytes } from './ready-reply.ts';
import { isRelayed } from './relayed-door.ts';
import { mayTakeLong } from './slow-bodies.ts';

export interface BindDeps {
  clusters: Clusters;
  /** Who is calling; throws `not_signed_in` when nobody valid is. */
  authenticate(request: FastifyRequest, route: Pick<Route, 'cookieAlone'>): Promise<Actor>;
  callerOf(actor: Actor): Caller;
  rateLimit: RateLimit;
  /** For what is done often from one address. */
  wideRateLimit: RateLimit;
  /** For pages that anybody may send anybody's browser to: none of them costs a call of signing in with a password. */
  failureLimit: FailureLimit;
  /** For what carries its own proof. */
  proofLimit: ProofLimit;
  /** Throws while nobody can tell who may still do what. */
  requireStore?(): void;
  /** In tests every reply is held against its schema, so that a handler cannot drift from the contract. */
  checkReplies: boolean;
}

const LINGER_MS = 1_000;
const MAX_FORM_BYTES = 1024 * 1024;
/** Providers send two or three; a stranger's thousands would be read for nothing. */
const MAX_FORM_FIELDS = 64;

/** NUL and other control characters never belong in a name; a bounded length keeps keys and logs sane. */
const pathParam = z
  .string()
  .min(1)
  .max(512)
  .refine(
    (text) => ![...text].some((character) => character < ' ' || character === '\u007f'),
    'holds control characters',
  );
const pathParams = z.record(z.string(), pathParam);

export function bind<R extends ApiRoutes>(
  app: FastifyInstance,
  routes: R,
  handlers: Handlers<R>,
  deps: BindDeps,
): void {
  for (const [name, route] of Object.entries(routes)) {
    const handler = handlers[name as keyof R] as (call: Call<Route>) => Promise<unknown>;
    const options: RouteOptions = {
      method: route.method,
      url: route.path,
      exposeHeadRoute: route.headToo === true,
      ...(route.maxBody === undefined ? {} : { bodyLimit: route.maxBody }),
      onRequest: async (request, reply) => admit(request, reply, route, deps),
      handler: async (request, reply) => {
        // A body may be held back for a minute, and rights be taken away meanwhile.
        if (request.actor && route.method !== 'GET') await authorize(request, route, deps);
        if (!request.actor && isLeftOut(route.nobodyWith, request.body)) await authorize(request, route, deps);
        const call = await readCall(request, reply, route, deps);
        const result = await counted(route, deps, addressOf(request), () => handler(call));
        return sendReply(reply, route, result, deps);
      },
    };
    if (route.bodyAs === 'bytes')
      app.register(async (scope) => void takeBytes(scope).route({ ...options, onResponse: stopSending }));
    else if (route.bodyAs === 'form') app.register(async (scope) => void takeForm(scope).route(options));
    else app.route(options);
  }
}

/** Runs a call whose outcome says whether it counts. */
function counted<T>({ limited }: Route, deps: BindDeps, address: string, work: () => Promise<T>): Promise<T> {
  if (limited === 'failures') return deps.failureLimit.run(address, work, isFailure);
  if (limited === 'unproven') return deps.proofLimit.run(address, work);
  return work();
}

/** Whoever was refused must not go on sending what nobody reads; the answer has the time to arrive. */
async function stopSending({ raw }: FastifyRequest): Promise<void> {
  if (!raw.complete) setTimeout(() => raw.destroy(), LINGER_MS).unref();
}

/** Of whatever type: the body is read by the handler, as it comes. */
function takeBytes(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, body, done) => done(null, body));
  return scope;
}

/** Fields of a form; a field that is sent twice is no field, because readers differ in which one they believe. */
function takeForm(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_FORM_BYTES },
    (_request, body, done) => {
      const text = String(body);
      if (text.split('&', MAX_FORM_FIELDS + 1).length > MAX_FORM_FIELDS)
        return done(new AppError('bad_request', `the form has more than ${MAX_FORM_FIELDS} fields`));
      const fields = new Map<string, string>();
      for (const [name, value] of new URLSearchParams(text)) {
        if (fields.has(name))
          return done(new AppError('bad_request', `the field '${name.slice(0, 80)}' is sent twice`));
        fields.set(name, value);
      }
      done(null, Object.fromEntries(fields));
    },
  );
  return scope;
}

/** Runs before the body is read: a caller who may not call, or asks an unknown cluster, must not make us parse 10 MiB. */
async function admit(request: FastifyRequest, reply: FastifyReply, route: ApiRoute, deps: BindDeps): Promise<void> {
  checkCsrf(request, route);
  // Whoever works on this machine may look; nobody else is let in on rights that may be gone.
  if (!isLocal(request) && (route.auth !== 'public' || route.method !== 'GET')) deps.requireStore?.();
  refuseEmbedded(request, route);
  if (route.limited === 'often') deps.wideRateLimit.take(addressOf(request));
  // What it costs is taken once its body is there: one that is held back for a minute must not keep others waiting.
  else if (route.limited === 'failures') deps.failureLimit.check(addressOf(request));
  else if (route.limited === true) deps.rateLimit.take(addressOf(request));
  if (route.nobodyWith !== undefined && isNobody(request)) deps.rateLimit.take(addressOf(request));
  else if (route.auth !== 'public')
    request.actor = await deps.authenticate(request, route.ticketed ? { cookieAlone: true } : route);
  await address(request, reply, route, deps);
}

/** Who shows a credential, good or not, is held to it. */
function isNobody(request: FastifyRequest): boolean {
  return (
    !isLocal(request) && request.headers.authorization === undefined && readCookie(request, 'session') === undefined
  );
}

/** Whether the field by which nobody may call is missing; never where nobody may not. */
function isLeftOut(field: string | undefined, body: unknown): boolean {
  if (field === undefined) return false;
  return typeof body !== 'object' || body === null || !Object.hasOwn(body, field);
}

async function authorize(request: FastifyRequest, route: ApiRoute, deps: BindDeps): Promise<void> {
  request.actor = await deps.authenticate(request, route);
  requireVerb(request.actor, route);
}

function requireVerb(actor: Actor | undefined, { needs }: ApiRoute): void {
  if (!actor || !needs) return;
  const [group, verb] = needs;
  if (actor.acl[group][verb]) return;
  throw new AppError('denied', `access denied: none of your roles allows '${verb}' on '${group}'`);
}

/** What the address of a call names: the cluster, and the rest of its parts. */
interface Addressed {
  cluster: string | undefined;
  params: Record<string, string>;
}

/** Finds the cluster a call is for. One of another cluster is handed over whole: what its people may is decided there. */
async function address(request: FastifyRequest, reply: FastifyReply, route: ApiRoute, deps: BindDeps): Promise<void> {
  const { actor } = request;
  const { clusterId, ...params } = parseInput(pathParams, request.params ?? {}, 'address part');
  const found = clusterId === undefined ? undefined : await deps.clusters.find(clusterId, actor);
  // Nobody is sent on by two clusters: a passport is for one, and a leaf's leaves are not listed.
  if (found?.is === 'leaf' && actor && !isRelayed(request)) {
    if (route.bodyAs === 'bytes') mayTakeLong(request);
    await found.leaf.forward({ request, reply, url: forwardedUrl(route.path, params, request.url) }, actor);
    return;
  }
  requireVerb(actor, route);
  if (clusterId !== undefined && found?.is !== 'own') throw unknownCluster(clusterId, route, deps);
  request.addressed = { cluster: found?.name, params };
}

function unknownCluster(clusterId: string, { onlyOwnCluster }: Route, { clusters }: BindDeps): AppError {
  if (onlyOwnCluster === undefined) return notFound('cluster', clusterId);
  return new AppError('bad_request', `${onlyOwnCluster} is only known to cluster '${clusters.own}'`);
}

async function readCall(
  request: FastifyRequest,
  reply: FastifyReply,
  route: Route,
  deps: BindDeps,
): Promise<Call<Route>> {
  const query = route.query ? parseInput(route.query, request.query, 'query') : undefined;
  const body = route.bodyAs === 'bytes' ? bytesOf(request) : readBody(request, route);
  return {
    actor: request.actor as Call<Route>['actor'],
    caller: (request.actor && deps.callerOf(request.actor)) as Call<Route>['caller'],
    cluster: request.addressed.cluster as Call<Route>['cluster'],
    params: request.addressed.params as Call<Route>['params'],
    query: query as Call<Route>['query'],
    body: body as Call<Route>['body'],
    exchange: exchangeOf(request, reply),
  };
}

function bytesOf(request: FastifyRequest): Readable {
  mayTakeLong(request);
  return request.raw;
}

function readBody(request: FastifyRequest, route: Route): unknown {
  return route.body ? parseInput(route.body, requireBody(request.body), 'body') : undefined;
}

function requireBody(body: unknown): unknown {
  if (body === undefined) throw new AppError('bad_request', 'the body is missing: send JSON');
  return body;
}

function sendReply(reply: FastifyReply, route: Route, result: unknown, deps: BindDeps): FastifyReply {
  if (route.replyAs === 'bytes') return sendBytes(reply, result as ByteReply);
  if (!route.reply) return reply.status(200).send();
  if (route.replyAs === 'page') return sendPage(reply, result as PageReply);
  if (route.replyAs === 'xml') return reply.header('content-type', 'application/xml; charset=utf-8').send(result);
  if (route.replyAs === 'text') return reply.header('content-type', 'text/plain; charset=utf-8').send(result);
  const ready = readyBytes(result);
  const body = ready ? Buffer.from(ready.buffer, ready.byteOffset, ready.byteLength) : JSON.stringify(result);
  if (deps.checkReplies) route.reply.parse(JSON.parse(String(body)));
  return reply.header('content-type', 'application/json; charset=utf-8').send(body);
}

/** Who comes through the local socket has none, whatever the type says. */
function addressOf({ ip }: FastifyRequest): string {
  return ip ?? '';
}

export function exchangeOf(request: FastifyRequest, reply: FastifyReply): Exchange {
  return {
    requestId: request.id,
    address: addressOf(request),
    userAgent: String(request.headers['user-agent'] ?? '').slice(0, 512),
    origin: ownOrigin(request),
    cookie: (name: CookieName) => readCookie(request, name),
    setCookie: (name: CookieName, value: string) => writeCookie(request, reply, name, value),
    clearCookie: (name: CookieName) => writeCookie(request, reply, name, ''),
    gone: () => goneOf(reply),
    mayBeKept: (seconds) => void reply.header('cache-control', `public, max-age=${seconds}`),
    header: (name: string) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
  };
}

function goneOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const isOver = () => {
    if (!raw.writableFinished) gone.abort();
  };
  if (raw.destroyed) isOver();
  else raw.once('close', isOver);
  return gone.signal;
}

declare module 'fastify' {
  interface FastifyRequest {
    actor?: Actor;
    /** Set before any handler of a route runs. */
    addressed: Addressed;
  }
}
