/** A request whose answer will be filtered: it must come as JSON, as it is, and with the metadata that decides. */
import type { KubeRequest } from '../kube-request.ts';
import { readTarget, writeTarget } from '../kube-target.ts';
import type { HeaderPair } from '../request-headers.ts';

const VIEWS: ReadonlySet<string> = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);
const JSON_TYPES: ReadonlySet<string> = new Set(['application/json', 'application/*', '*/*']);
const TOKEN = /^[A-Za-z0-9._-]+$/;
/** Cut more finely, a list says by where it goes on whether something that is not seen has a label, and how many there are. */
export const MIN_LIMIT = 500;

/** Undefined where nothing that can be filtered is accepted: protobuf alone, for one. */
export function reduceAccept(accept: string | undefined): string | undefined {
  if (accept === undefined || accept.trim() === '') return 'application/json';
  const kept = accept.split(',').flatMap((range) => {
    const [type = '', ...rest] = range.split(';').map((part) => part.trim());
    if (!JSON_TYPES.has(type.toLowerCase())) return [];
    const parameters = rest.map((part) => part.split('=').map((side) => side.trim()) as [string, string?]);
    const isKnown = parameters.every(
      ([name, value = '']) =>
        TOKEN.test(value) && (name === 'as' ? VIEWS.has(value) : ['g', 'v', 'q', 'charset'].includes(name)),
    );
    const isRefused = parameters.some(([name, value]) => name === 'q' && Number(value) === 0);
    if (!isKnown || isRefused) return [];
    return [['application/json', ...parameters.map((pair) => pair.join('='))].join(';')];
  });
  return kept.length === 0 ? undefined : [...new Set(kept)].join(',');
}

export interface FilteredRequest {
  target: string;
  headers: HeaderPair[];
}

/** Undefined where the client takes nothing that can be filtered: it is told 406. */
export function filteredRequest(request: KubeRequest, headers: readonly HeaderPair[]): FilteredRequest | undefined {
  const accept = reduceAccept(headers.find(([name]) => name === 'accept')?.[1]);
  if (accept === undefined) return undefined;
  const { segments } = readTarget(request.target);
  // Rows without an object say nothing by which they could be told apart.
  const query = request.query
    .filter(([key, value]) => key !== 'includeObject' || value !== 'None')
    .map((pair) => (pair[0] === 'limit' && isFine(pair[1]) ? (['limit', String(MIN_LIMIT)] as const) : pair));
  return {
    target: writeTarget({ segments, query }),
    headers: [
      ['accept', accept],
      ...headers.filter(([name]) => name !== 'accept' && name !== 'accept-encoding'),
      ['accept-encoding', 'identity'],
    ],
  };
}

/** As servers read numbers. None is no limit at all. */
function isFine(limit: string): boolean {
  return /^\+?\d+$/.test(limit) && Number(limit) > 0 && Number(limit) < MIN_LIMIT;
}

/** Whether an answer can be filtered: an error of the cluster names nothing but what was asked for, and passes. */
export function isFilterable(contentType: string | undefined, contentEncoding: string | undefined): boolean {
  const [type = ''] = (contentType ?? '').split(';');
  const encoding = (contentEncoding ?? '').trim().toLowerCase();
  return type.trim().toLowerCase() === 'application/json' && (encoding === '' || encoding === 'identity');
}
