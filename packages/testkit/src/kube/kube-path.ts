/** Reads which type, namespace, object and verb a request means, from its method, path and query. */
import { KubeFailure } from './kube-object.ts';
import type { KubeType, KubeTypes } from './kube-types.ts';

export interface KubeTarget {
  type: KubeType;
  namespace: string;
  name: string;
  subresource: string;
  /** What follows `…/proxy`. */
  rest: string;
  verb: string;
  query: URLSearchParams;
  /** As it was written. */
  url: string;
}

const VERBS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  GET: ['get', 'list'],
  HEAD: ['get', 'list'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['delete', 'deletecollection'],
};

/** Nothing for what is not about objects: discovery, version, health. */
export function readTarget(types: KubeTypes, method: string, url: string): KubeTarget | undefined {
  const { pathname, searchParams: query } = new URL(url, 'https://cluster');
  const steps = pathname.split('/').slice(1).map(decodeURIComponent);
  const isCore = steps[0] === 'api';
  if (!isCore && steps[0] !== 'apis') return undefined;
  const [group = '', version = ''] = isCore ? ['', steps[1]] : [steps[1], steps[2]];
  let left = steps.slice(isCore ? 2 : 3).filter((step, at, all) => step !== '' || at < all.length - 1);
  if (left.length === 0) return undefined;
  const isOldWatch = left[0] === 'watch';
  if (isOldWatch) left = left.slice(1);
  let namespace = '';
  // `/namespaces/NAME` is an object, and `/namespaces/NAME/pods` what is in it.
  if (left[0] === 'namespaces' && left.length > 2 && !['status', 'finalize'].includes(left[2] ?? '')) {
    namespace = left[1] ?? '';
    left = left.slice(2);
  }
  const [plural = '', name = '', subresource = '', ...rest] = left;
  const type = types.find(group, version, plural);
  if (type === undefined) throw unknownPath();
  const isWatch = isOldWatch || ['true', '1'].includes(query.get('watch') ?? '');
  if (isWatch) query.set('watch', 'true');
  const [one, many] = VERBS[method] ?? ['', ''];
  const verb = isWatch && one === 'get' ? 'watch' : name === '' ? many : one;
  const target = {
    type,
    namespace: plural === 'namespaces' ? name : namespace,
    name,
    subresource,
    rest: rest.join('/'),
    verb,
    query,
    url,
  };
  if (subresource !== '' && !type.subresources?.some((each) => each.name === subresource)) throw unknownPath();
  return target;
}

/** A collection is not replaced, and nothing is made by its own name. */
export function isMethodKnown({ verb, name, subresource }: KubeTarget): boolean {
  if (verb === 'update' || verb === 'patch') return name !== '';
  return verb !== 'create' || name === '' || subresource !== '';
}

export function unknownPath(): KubeFailure {
  return new KubeFailure(404, 'NotFound', 'the server could not find the requested resource', {});
}
