/** One request of the small cluster from its head to its answer: who, as whom, whether, and then what. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { discover } from './kube-discovery.ts';
import { type ExecOptions, type StreamWires, serveAttach, serveExec, servePortForward } from './kube-exec.ts';
import { authenticate, forbidden, impersonate, type KubeIdentity, type KubeTokens } from './kube-identity.ts';
import { LOG_BYTES, serveLog } from './kube-logs.ts';
import { at, type Json, KubeFailure, statusOf } from './kube-object.ts';
import { isMethodKnown, type KubeTarget, readTarget, unknownPath } from './kube-path.ts';
import type { KubePods } from './kube-pods.ts';
import { continueToken, formOf, printList, printObject, readContinue } from './kube-print.ts';
import { readProtobuf } from './kube-protobuf.ts';
import type { KubeRbac } from './kube-rbac.ts';
import { giveToken, metricsOf, review } from './kube-reviews.ts';
import { detailsOf, type KubeStore, type StoredObject, selects } from './kube-store.ts';
import { refuse } from './kube-streams.ts';
import type { KubeType, KubeTypes } from './kube-types.ts';
import { serveWatch } from './kube-watch.ts';
import { scaleOf, write } from './kube-write.ts';

const MAX_BODY_BYTES = 3 * 1024 * 1024;
/** A server compresses what is larger than this for those who take it. */
const GZIP_BYTES = 128 * 1024;
const compress = promisify(gzip);

/** What a test can look at afterwards: each request as it came, and as whom it was decided. */
export interface SeenRequest {
  method: string;
  url: string;
  headers: NodeJS.Dict<string[]>;
  /** Of the credential. */
  by: string;
  user: string;
  groups: readonly string[];
  verb: string;
  auditId: string;
  code: number;
  /** Of exec, attach and port-forward. */
  wire?: string;
  resizes?: string[];
}

export interface ServeDeps {
  types: KubeTypes;
  store: KubeStore;
  pods: KubePods;
  rbac: KubeRbac;
  tokens: KubeTokens;
  wires: StreamWires;
  folder: string;
  seen: SeenRequest[];
  bookmarkMs?: number | undefined;
}

const MAX_SEEN = 10_000;

interface Decided {
  who: KubeIdentity;
  target: KubeTarget | undefined;
  seen: SeenRequest;
}

function decide(deps: ServeDeps, request: IncomingMessage): Decided {
  const { method = 'GET', url = '/' } = request;
  const auditId = request.headersDistinct['audit-id']?.[0] ?? randomUUID();
  const seen: SeenRequest = {
    method,
    url,
    headers: request.headersDistinct,
    by: '',
    user: '',
    groups: [],
    verb: '',
    auditId,
    code: 0,
  };
  deps.seen.push(seen);
  if (deps.seen.length > MAX_SEEN) deps.seen.splice(0, MAX_SEEN / 2);
  try {
    const by = authenticate(request, deps.tokens);
    const who = impersonate(request, by, deps.rbac.may) ?? by;
    Object.assign(seen, { by: by.user, user: who.user, groups: who.groups });
    const target = readTarget(deps.types, method, url);
    seen.verb = target?.verb ?? method.toLowerCase();
    if (target === undefined) {
      const { pathname } = new URL(url, 'https://cluster');
      if (!deps.rbac.mayPath(who, method.toLowerCase(), pathname)) {
        throw new KubeFailure(
          403,
          'Forbidden',
          `forbidden: User "${who.user}" cannot ${method.toLowerCase()} path "${pathname}"`,
          {},
        );
      }
      return { who, target, seen };
    }
    authorize(deps, who, target);
    return { who, target, seen };
  } catch (error) {
    throw Object.assign(error as Error, { seen });
  }
}

function authorize(
  { rbac, types }: ServeDeps,
  who: KubeIdentity,
  { type, namespace, name, subresource, verb }: KubeTarget,
): void {
  const resource = subresource === '' ? type.plural : `${type.plural}/${subresource}`;
  const wanted = { verb, group: type.group, resource, namespace, name };
  const streams = ['exec', 'attach', 'portforward'].includes(subresource);
  // Since 1.35 a websocket, which is a GET, takes the right to create as well.
  const verbs = streams && types.minor >= 35 && verb === 'get' ? ['get', 'create'] : [verb];
  for (const each of verbs) {
    if (rbac.may(who, { ...wanted, verb: each })) continue;
    throw new KubeFailure(403, 'Forbidden', forbidden(who, { ...wanted, verb: each }), detailsOf(type, name));
  }
}

export async function serveRequest(deps: ServeDeps, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let seen: SeenRequest | undefined;
  try {
    const decided = decide(deps, request);
    seen = decided.seen;
    const noted = seen;
    response.setHeader('Audit-Id', noted.auditId);
    response.setHeader('Cache-Control', 'no-cache, private');
    response.once('close', () => {
      noted.code = response.statusCode;
    });
    await answer(deps, request, response, decided);
  } catch (error) {
    const failure = error instanceof KubeFailure ? error : new KubeFailure(500, 'InternalError', String(error));
    const about = seen ?? (error as { seen?: SeenRequest }).seen;
    if (about !== undefined) about.code = failure.code;
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.setHeader('Audit-Id', about?.auditId ?? '');
    await send(request, response, failure.code, `${JSON.stringify(statusOf(failure))}\n`);
  }
}

async function answer(
  deps: ServeDeps,
  request: IncomingMessage,
  response: ServerResponse,
  { who, target }: Decided,
): Promise<void> {
  const { store } = deps;
  if (target === undefined) {
    const { pathname } = new URL(request.url ?? '/', 'https://cluster');
    const found = discover(deps.types, pathname, request.headers.accept ?? '');
    if (found === undefined) throw unknownPath();
    return await send(request, response, 200, found.body, found.contentType);
  }
  const { type, namespace, name, subresource, verb } = target;
  if (!isMethodKnown(target) || (!type.verbs.includes(verb) && subresource === '')) {
    throw new KubeFailure(
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
      {},
    );
  }
  const form = formOf(request.headers.accept, target.query);
  if (verb === 'watch') return serveWatch({ response, target, form, store, bookmarkMs: deps.bookmarkMs });
  if (verb === 'list') return await send(request, response, 200, listed(deps, target, form));
  const where = type.namespaced ? namespace : '';
  if (['exec', 'attach', 'portforward'].includes(subresource)) {
    store.get(type, where, name);
    throw new KubeFailure(400, 'BadRequest', 'Upgrade request required');
  }
  if (verb === 'get') {
    if (subresource === 'log') {
      const container = deps.pods.container(namespace, name, target.query.get('container') ?? '');
      const bytes = at(store.get(type, where, name).object.metadata.annotations, LOG_BYTES);
      return serveLog(response, container, target.query, bytes === undefined ? undefined : Number(bytes));
    }
    if (subresource === 'proxy')
      return await send(request, response, 200, `${request.method} /${target.rest}\n`, 'text/plain');
    const stored = found(deps, target);
    return subresource === 'scale'
      ? await send(request, response, 200, `${JSON.stringify(scaleOf(type, stored.object))}\n`)
      : await send(request, response, 200, printObject(form, type, stored));
  }
  const body = await readJson(request);
  const reviewed = verb === 'create' ? review(type, body, who, deps.rbac) : undefined;
  if (reviewed !== undefined) return await send(request, response, 201, `${JSON.stringify(reviewed)}\n`);
  if (subresource === 'token') {
    const given = giveToken(store.get(type, where, name).object, body, deps.tokens);
    return await send(request, response, 201, `${JSON.stringify(given)}\n`);
  }
  const agent = (request.headers['user-agent'] ?? 'unknown').split('/')[0] as string;
  const contentType = request.headers['content-type'] ?? '';
  const { code, stored, json } = write({ store, types: deps.types, target, body, contentType, agent });
  await send(
    request,
    response,
    code,
    stored === undefined ? `${JSON.stringify(json)}\n` : printObject(form, type, stored),
  );
}

/** Metrics are told of what there is at this moment. */
function found({ store, types }: ServeDeps, { type, namespace, name }: KubeTarget): StoredObject {
  if (type.group !== 'metrics.k8s.io') return store.get(type, type.namespaced ? namespace : '', name);
  const { object } = store.get(types.find('', 'v1', type.plural) as KubeType, type.namespaced ? namespace : '', name);
  return fresh(metricsOf(type, object));
}

function fresh(object: StoredObject['object']): StoredObject {
  return { object, json: JSON.stringify(object) };
}

function listed(
  { store, types }: ServeDeps,
  { type, namespace, query }: KubeTarget,
  form: ReturnType<typeof formOf>,
): string {
  const isMetrics = type.group === 'metrics.k8s.io';
  const source = isMetrics ? (types.find('', 'v1', type.plural) as KubeType) : type;
  const token = query.get('continue') ?? '';
  const from = token === '' ? undefined : readContinue(token);
  if (from !== undefined && from.revision < store.oldest) {
    throw new KubeFailure(
      410,
      'Expired',
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
    );
  }
  const isSelected = selects(query.get('labelSelector') ?? '', query.get('fieldSelector') ?? '');
  const all = store
    .list(source, type.namespaced ? namespace : '', from?.key)
    .filter(({ object }) => isSelected(object));
  const limit = Number(query.get('limit') ?? 0);
  const items = limit > 0 ? all.slice(0, limit) : all;
  const revision = from?.revision ?? store.revision;
  const last = items.at(-1)?.object.metadata;
  const isCut = last !== undefined && items.length < all.length;
  const metadata = {
    resourceVersion: String(revision),
    ...(isCut
      ? {
          continue: continueToken(revision, `${last.namespace ?? ''}/${last.name}`),
          remainingItemCount: all.length - items.length,
        }
      : {}),
  };
  return printList(form, type, isMetrics ? items.map(({ object }) => fresh(metricsOf(type, object))) : items, metadata);
}

async function readJson(request: IncomingMessage): Promise<Json> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes > MAX_BODY_BYTES) throw new KubeFailure(413, 'RequestEntityTooLarge', `limit is ${MAX_BODY_BYTES}`);
    parts.push(part as Buffer);
  }
  const bytesRead = Buffer.concat(parts);
  if (bytesRead.length === 0) return {};
  if ((request.headers['content-type'] ?? '').includes('protobuf')) return readProtobuf(bytesRead);
  try {
    return JSON.parse(bytesRead.toString()) as Json;
  } catch (error) {
    throw new KubeFailure(400, 'BadRequest', `the object provided is unrecognized: ${String(error)}`);
  }
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  code: number,
  body: string | Buffer,
  contentType = 'application/json',
): Promise<void> {
  const plain = typeof body === 'string' ? Buffer.from(body) : body;
  const isSmall = plain.length < GZIP_BYTES || !/\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const bytes = isSmall ? plain : await compress(plain, { level: 1 });
  response.writeHead(code, {
    'Content-Type': contentType,
    'Content-Length': bytes.length,
    ...(isSmall ? {} : { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }),
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/** Exec, attach and port-forward. A refusal is an ordinary answer, as long as nothing was switched. */
export async function serveUpgrade(deps: ServeDeps, request: IncomingMessage, socket: Duplex): Promise<void> {
  let seen: SeenRequest | undefined;
  try {
    const decided = decide(deps, request);
    seen = decided.seen;
    const { target } = decided;
    if (target === undefined || target.type.plural !== 'pods') throw unknownPath();
    const container = deps.pods.container(target.namespace, target.name, target.query.get('container') ?? '');
    const noted = seen;
    noted.code = 101;
    const options: ExecOptions = {
      request,
      socket,
      query: target.query,
      wires: deps.wires,
      container,
      folder: deps.folder,
      note: (streamed) => Object.assign(noted, streamed),
    };
    if (target.subresource === 'exec') await serveExec(options);
    else if (target.subresource === 'attach') await serveAttach(options);
    else if (target.subresource === 'portforward') await servePortForward(request, socket, deps.wires, options.note);
    else throw unknownPath();
  } catch (error) {
    const failure = error instanceof KubeFailure ? error : new KubeFailure(500, 'InternalError', String(error));
    const about = seen ?? (error as { seen?: SeenRequest }).seen;
    if (about !== undefined) about.code = failure.code;
    refuse(socket, failure.code, failure.reason || 'Failure', JSON.stringify(statusOf(failure)), 'application/json');
  }
}
