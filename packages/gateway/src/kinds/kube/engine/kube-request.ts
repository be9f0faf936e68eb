/** What a request to a Kubernetes cluster is about: read once, decided, told to the audit, and written out again as what is sent. */
import type { KubeVerb } from '@gatehouse/contract/access/roles/kube-objects';
import { type KubeTarget, type QueryPair, readTarget, refusal, writeTarget } from './kube-target.ts';

export interface KubeRequest {
  method: string;
  /** `discovery` tells what a cluster is and can do, and nothing of its objects. */
  about: 'resource' | 'discovery';
  verb: KubeVerb;
  /** Empty for the group of pods. */
  apiGroup: string;
  apiVersion: string;
  /** Empty for objects outside namespaces, and for a collection over all of them. */
  namespace: string;
  resource: string;
  /** Empty for a collection. Of what is proxied without its scheme and port. */
  name: string;
  subresource: string;
  /** The one name a list or watch is narrowed to, as `kubectl get -w NAME` does. Not every server heeds it. */
  selectedName: string;
  isWatch: boolean;
  query: readonly QueryPair[];
  /** Path and query as they are sent. */
  target: string;
}

const BY_METHOD: ReadonlyMap<string, KubeVerb> = new Map([
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
]);
const STREAMS: ReadonlyMap<string, KubeVerb> = new Map([
  ['exec', 'exec'],
  ['attach', 'exec'],
  ['portforward', 'portforward'],
]);
const DISCOVERY: ReadonlySet<string> = new Set(['version', 'api', 'apis', 'openapi', 'livez', 'readyz', 'healthz']);
const WORD = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
const SUBRESOURCE = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
const NAMESPACE = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
/** What stands behind the name of a namespace and is part of it; anything else is a resource inside. */
const OF_NAMESPACES: ReadonlySet<string> = new Set(['status', 'finalize']);
const PROXIED: ReadonlySet<string> = new Set(['pods', 'services', 'nodes']);

/** `rawTarget` is what came on the wire, from the slash behind the name of the cluster. */
export function readKubeRequest(method: string, rawTarget: string): KubeRequest {
  const target = readTarget(rawTarget);
  const first = target.segments[0]!;
  const prefixed = first === 'api' ? 2 : first === 'apis' ? 3 : Number.POSITIVE_INFINITY;
  return target.segments.length > prefixed
    ? readResource(method, target, target.segments.slice(0, prefixed), target.segments.slice(prefixed))
    : readDiscovery(method, target);
}

function readDiscovery(method: string, target: KubeTarget): KubeRequest {
  const { segments, query } = target;
  if (!DISCOVERY.has(segments[0]!)) throw refusal(`/${segments.join('/')} is not served through the gateway`);
  if (segments.includes('')) throw refusal('its path has an empty segment');
  if (method !== 'GET' && method !== 'HEAD') throw refusal(`/${segments.join('/')} can only be read`);
  return {
    method,
    about: 'discovery',
    verb: 'get',
    apiGroup: '',
    apiVersion: '',
    namespace: '',
    resource: '',
    name: '',
    subresource: '',
    selectedName: '',
    isWatch: false,
    query,
    target: writeTarget(target),
  };
}

function readResource(
  method: string,
  { query: asked }: KubeTarget,
  prefix: readonly string[],
  path: readonly string[],
): KubeRequest {
  const [apiGroup, apiVersion] = prefix.length === 3 ? [prefix[1]!, prefix[2]!] : ['', prefix[1]!];
  const watchPath = path[0] === 'watch';
  // Clusters before 1.10 proxy by this path, to what no rule here would have named.
  if (path[0] === 'proxy') throw refusal('the old proxy path is not served');
  const object = readObject(watchPath ? path.slice(1) : path);
  for (const word of [...prefix.slice(1), object.resource]) if (!WORD.test(word)) throw unreadable(word);

  const isCollection = object.name === '';
  const reads = method === 'GET' || method === 'HEAD';
  const { isWatch, query } = readWatch(asked, reads && isCollection, watchPath);
  if (watchPath && (!reads || object.subresource !== '')) throw refusal('what is watched can only be read');
  const verb = verbOf(method, apiGroup, object, isWatch);
  const isProxied = apiGroup === '' && object.subresource === 'proxy' && PROXIED.has(object.resource);
  if (!isProxied && object.rest.length > 0) throw refusal(`nothing lies below the subresource ${object.subresource}`);
  if (object.rest.slice(0, -1).includes('')) throw refusal('its path has an empty segment');
  return {
    method,
    about: 'resource',
    verb,
    apiGroup,
    apiVersion,
    namespace: object.namespace,
    resource: object.resource,
    name: isProxied ? withoutPort(object.name) : object.name,
    subresource: object.subresource,
    selectedName: isCollection && (verb === 'list' || verb === 'watch') ? readSelectedName(query) : '',
    isWatch,
    query,
    target: writeTarget({ segments: [...prefix, ...path], query }),
  };
}

interface PathObject {
  namespace: string;
  resource: string;
  name: string;
  subresource: string;
  /** What is behind the subresource; of a proxied path only. */
  rest: readonly string[];
}

function readObject(path: readonly string[]): PathObject {
  const inside = path[0] === 'namespaces' && path.length > 2 && !OF_NAMESPACES.has(path[2]!);
  const [namespace, parts] = inside ? [path[1]!, path.slice(2)] : ['', path];
  const [resource = '', name = '', subresource = '', ...rest] = parts;
  if (parts.slice(0, 3).includes('')) throw refusal('its path has an empty segment');
  if (resource === '') throw refusal('its path names no resource');
  if (inside && !NAMESPACE.test(namespace)) throw unreadable(namespace);
  if (inside && resource === 'namespaces') throw refusal('a namespace does not lie in another');
  if (resource === 'namespaces' && name !== '' && !NAMESPACE.test(name)) throw unreadable(name);
  if (subresource !== '' && !SUBRESOURCE.test(subresource)) throw unreadable(subresource);
  return { namespace, resource, name, subresource, rest };
}

/** Servers take every value but these two for true, the empty one too, and the first of several. */
function readWatch(asked: readonly QueryPair[], isRead: boolean, watchPath: boolean) {
  if (!isRead && !watchPath) return { isWatch: false, query: asked };
  const given = asked.filter(([key]) => key.toLowerCase() === 'watch');
  if (given.length > 1 || given.some(([key]) => key !== 'watch'))
    throw refusal('its query has watch in more than one way');
  const value = given[0]?.[1].toLowerCase();
  const isAsked = value !== undefined && value !== 'false' && value !== '0';
  const rest = asked.filter(([key]) => key !== 'watch');
  return {
    isWatch: watchPath || isAsked,
    // The path says it already.
    query:
      watchPath || !isAsked ? rest : asked.map((pair) => (pair[0] === 'watch' ? (['watch', 'true'] as const) : pair)),
  };
}

function verbOf(method: string, apiGroup: string, object: PathObject, isWatch: boolean): KubeVerb {
  const { resource, name, subresource } = object;
  if (apiGroup === '' && subresource !== '') {
    if (subresource === 'proxy') {
      if (!BY_METHOD.has(method) && method !== 'OPTIONS') throw unknownMethod(method);
      // The kubelet behind it runs commands that nobody records.
      return resource === 'nodes' ? 'proxy' : 'portforward';
    }
    if (resource === 'pods' && subresource === 'ephemeralcontainers' && BY_METHOD.has(method)) return 'exec';
    // What is made there is the end of the pod.
    if (resource === 'pods' && subresource === 'eviction' && method === 'POST') return 'delete';
    const stream = resource === 'pods' ? STREAMS.get(subresource) : undefined;
    if (stream) {
      if (method !== 'GET' && method !== 'POST') throw unknownMethod(method);
      return stream;
    }
  }
  const verb = BY_METHOD.get(method);
  if (!verb) throw unknownMethod(method);
  if (isWatch) return 'watch';
  if (name !== '') return verb;
  if (verb === 'get') return 'list';
  if (verb === 'delete') return 'deletecollection';
  if (verb !== 'create') throw refusal(`${method} needs the name of an object`);
  return verb;
}

/** `https:web:443` is the service `web`: a rule that names it must not be passed by adding a port. */
function withoutPort(id: string): string {
  const parts = id.split(':');
  const [scheme, name] = parts.length === 3 ? [parts[0]!, parts[1]!] : ['', parts[0]!];
  if (parts.length > 3 || name === '' || !['', 'http', 'https'].includes(scheme)) throw unreadable(id);
  return name;
}

/** One term that asks for one name and nothing else; any other selector says nothing that could be relied on. */
function readSelectedName(query: readonly QueryPair[]): string {
  const selectors = query.filter(([key]) => key === 'fieldSelector');
  if (selectors.length !== 1) return '';
  return /^metadata\.name==?([A-Za-z0-9][A-Za-z0-9.:_-]*)$/.exec(selectors[0]![1])?.[1] ?? '';
}

function unreadable(word: string) {
  return refusal(`'${word}' cannot stand where it stands in the path`);
}

function unknownMethod(method: string) {
  return refusal(`the method ${method} is not served there`);
}
