/** Pods as the wire has them: asked of their cluster in the caller's name, so that rules, the cluster's own and the log are those of kubectl. */
import { randomUUID } from 'node:crypto';
import type { KubePod } from '@gatehouse/contract/kinds/kube/kubernetes';
import { visibleLabels } from '@gatehouse/contract/std/labels';
import { searchText } from '@gatehouse/contract/wire/filter';
import type { ListQuery } from '@gatehouse/contract/wire/paging';
import { z } from 'zod';
import { readListFilter } from '../../inventory/list-plan.ts';
import { type Matched, matchesFilter } from '../../inventory/match-filter.ts';
import type { Caller } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { readPageKey, writePageKey } from '../../platform/std/page-key.ts';
import { good, type KubeAsk } from './browse/answers.ts';
import { KubeFailure } from './browse/kube-failure.ts';
import { type KubeMetadata, metadataOf } from './browse/metadata-of.ts';
import { readKubeRequest } from './engine/kube-request.ts';
import type { KubeCalls } from './kube-calls.ts';
import { KubeRefusal } from './kube-refusal.ts';
import type { KubeVisitor } from './kube-use.ts';

/** As many as a page of the console shows. */
const MAX_PODS = 50_000;
const PODS = { apiGroup: '', apiVersion: 'v1', resource: 'pods' };
const keyParts = z.tuple([z.string().max(16), z.string().max(253), z.string().max(253)]);
const SORTS = ['name', 'namespace'] as const;

export interface PodsAsked {
  caller: Caller;
  address: string;
  cluster: string;
  namespace: string;
  query: ListQuery;
}

export async function listPods(
  calls: Pick<KubeCalls, 'ask'>,
  { caller, address, cluster, namespace, query }: PodsAsked,
): Promise<{ items: KubePod[]; startKey: string; totalCount: number }> {
  const order = readOrder(query.sort);
  const filter = readListFilter(query.query, query.search);
  const visitor: KubeVisitor = {
    ...{ caller, address, call: 'pods', holder: `pods ${caller.signInId}` },
    proveFactor() {
      throw new AppError('mfa_required', 'a role of yours asks for a second factor for each session');
    },
  };
  const ask: KubeAsk = async ({ method, target, headers }, signal) =>
    await good(
      await calls.ask(
        { visitor, name: cluster, request: readKubeRequest(method, target), requestId: randomUUID() },
        { headers },
        signal,
      ),
    );
  const never = new AbortController().signal;
  const pods = await metadataOf(ask, { ...PODS, namespace, maxItems: MAX_PODS }, never).catch((error: unknown) => {
    throw toldError(error);
  });
  const found = pods.filter((pod) => !filter || matchesFilter(filter, matched(pod))).sort(order.compare);
  // A pod that went away meanwhile is no reason to begin anew: a page begins with the first that is not before it.
  const key = query.startKey === undefined ? undefined : readKey(order, query.startKey);
  const first = key === undefined ? 0 : found.findIndex((pod) => order.compare(pod, key) >= 0);
  const from = (first === -1 ? found.length : first) + query.skip;
  const page = found.slice(from, from + query.limit);
  const next = found[from + query.limit];
  return {
    items: page.map(({ name, namespace: where, labels }) => ({
      ...{ kind: 'pod' as const, name, labels: visibleLabels(labels), namespace: where, cluster },
    })),
    startKey: next ? writePageKey([order.mark, next.namespace, next.name]) : '',
    totalCount: found.length,
  };
}

interface PodOrder {
  mark: string;
  compare(a: KubeMetadata, b: KubeMetadata): number;
}

function readOrder(sort = 'name'): PodOrder {
  const [field = '', direction = 'asc', ...rest] = sort.split(':');
  const column = SORTS.find((known) => known === field);
  if (!column)
    throw new AppError(
      'not_available',
      `sort names '${field.slice(0, 40)}'; this list can be sorted by ${SORTS.join(', ')}`,
    );
  if ((direction !== 'asc' && direction !== 'desc') || rest.length > 0)
    throw new AppError('bad_request', `sort must end with :asc or :desc, not ':${direction.slice(0, 20)}'`);
  const sign = direction === 'asc' ? 1 : -1;
  const other = column === 'name' ? 'namespace' : 'name';
  return {
    mark: `${column}:${direction}`,
    compare: (a, b) => sign * (compareText(a[column], b[column]) || compareText(a[other], b[other])),
  };
}

function readKey({ mark }: PodOrder, text: string): KubeMetadata {
  const [given, namespace, name] = readPageKey(keyParts, text);
  if (given !== mark) throw new AppError('bad_request', 'the start key belongs to a list in another order');
  return { name, namespace, labels: {} };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function matched({ name, namespace, labels }: KubeMetadata): Matched {
  const texts = [name, namespace, ...Object.entries(labels).flat()];
  return { kind: 'kube', id: name, name, labels, search: texts.map(searchText).join('\n'), spec: { namespace } };
}

/** What a cluster, or a rule, has against it, as an answer of ours. */
function toldError(error: unknown): unknown {
  const status =
    error instanceof KubeRefusal ? error.status.code : error instanceof KubeFailure ? error.status : undefined;
  if (status === undefined) return error;
  const code =
    status === 403 ? 'denied' : status === 404 ? 'not_found' : status === 400 ? 'bad_request' : 'unavailable';
  return new AppError(code, (error as Error).message, { cause: error });
}
