/**
 * Where a list goes on, as whoever sees a part of it is told: a cluster writes the name of the last object into it, which may be one
 * that they do not see.
 */
import type { SealedContext, SecretBox } from '../../platform/secrets/secret-box.ts';
import type { KubeRequest } from './engine/kube-request.ts';
import { readTarget, writeTarget } from './engine/kube-target.ts';
import { KubeRefusal } from './kube-refusal.ts';

const OURS = 'gatehouse.';

/** Whose list, and of what cluster: elsewhere it says nothing. */
export interface ListOwner {
  username: string;
  cluster: string;
}

export function sealContinue(
  box: Pick<SecretBox, 'seal'>,
  owner: ListOwner,
  request: KubeRequest,
  token: string,
): string {
  return `${OURS}${box.seal(placeOf(owner, request), token)}`;
}

/**
 * The request as the cluster knows it. One that was never given is told as one that is too old: then lists are begun anew. Whoever sees
 * a part goes on only where a list of theirs was cut: with a place of their own choice they would find the names that are hidden behind it.
 */
export function openContinue(
  box: Pick<SecretBox, 'openText'>,
  owner: ListOwner,
  request: KubeRequest,
  isFiltered: boolean,
): KubeRequest {
  if (!request.query.some(([key, value]) => key === 'continue' && value !== '')) return request;
  const query = request.query.map((pair) => {
    if (isOurs(pair)) return [pair[0], opened(pair[1])] as const;
    if (isFiltered && pair[0] === 'continue' && pair[1] !== '') throw tooOld();
    return pair;
  });
  const { segments } = readTarget(request.target);
  return { ...request, query, target: writeTarget({ segments, query }) };

  function opened(value: string): string {
    try {
      return box.openText(placeOf(owner, request), value.slice(OURS.length));
    } catch {
      throw tooOld();
    }
  }
}

function tooOld(): KubeRefusal {
  return new KubeRefusal({ code: 410, message: 'the list cannot go on where it says: list it anew' });
}

function isOurs([key, value]: readonly [string, string]): boolean {
  return key === 'continue' && value.startsWith(OURS);
}

function placeOf({ username, cluster }: ListOwner, request: KubeRequest): SealedContext {
  const { apiGroup, apiVersion, namespace, resource } = request;
  const id = JSON.stringify([username, cluster, apiGroup, apiVersion, namespace, resource]);
  return { table: 'kube_list', id, column: 'continue' };
}
