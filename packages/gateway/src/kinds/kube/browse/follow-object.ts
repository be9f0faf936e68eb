/** One object, and again whenever it changes. The values of a secret stay in the gateway until somebody asks for them. */
import type { KubeRef } from '@gatehouse/contract/kinds/kube/browse';
import { z } from 'zod';
import { readJson } from './answers.ts';
import type { FollowDeps } from './follow-list.ts';
import { hideSecret, isSecret } from './hide-secret.ts';
import { KubeFailure } from './kube-failure.ts';
import { objectPath } from './object-path.ts';
import type { ObjectRequest } from './requests.ts';
import { watchUntilOld } from './watching.ts';

export const MAX_OBJECT_BYTES = 8 * 1024 * 1024;
const NOT_FOUND = 404;

const named = z.object({ metadata: z.object({ name: z.string(), resourceVersion: z.string().catch('') }) });

export async function followObject(deps: FollowDeps, request: ObjectRequest, signal: AbortSignal): Promise<void> {
  const { ask, tell } = deps;
  const { id, name, reveal } = request;
  const isHidden = isSecret(request) && !reveal;
  for (;;) {
    const target = objectPath(request);
    const answer = await ask({ method: 'GET', target, headers: [['accept', 'application/json']] }, signal);
    const first = await readJson(answer, MAX_OBJECT_BYTES).catch((error: unknown) => {
      if (error instanceof KubeFailure && error.status === NOT_FOUND) return undefined;
      throw error;
    });
    if (first === undefined) {
      tell({ type: 'gone', id });
      return;
    }
    const show = (object: unknown, isLive: boolean) =>
      tell({ type: 'object', id, json: objectText(request, object, isHidden), isHidden, isLive });
    show(first, false);
    let isLive = false;
    let last: unknown = first;
    try {
      await watchUntilOld(
        ask,
        {
          target: (version) =>
            objectPath(
              { ...request, name: '' },
              {
                fieldSelector: `metadata.name=${name}`,
                watch: 1,
                allowWatchBookmarks: 'true',
                resourceVersion: version,
              },
            ),
          accept: 'application/json',
          resourceVersion: named.safeParse(first).data?.metadata.resourceVersion ?? '',
          now: deps.now,
          onLive() {
            if (!isLive) show(last, true);
            isLive = true;
          },
          async onChange({ type, object }) {
            // A server that heeds no selector tells of others, too.
            if (named.safeParse(object).data?.metadata.name !== name) return undefined;
            last = object;
            if (type === 'DELETED') tell({ type: 'gone', id });
            else show(object, true);
            return undefined;
          },
        },
        signal,
      );
    } catch (error) {
      // It may be looked at and not watched: what it was is on the page.
      if (!(error instanceof KubeFailure) || isLive) throw error;
      return;
    }
  }
}

export function objectText(of: Pick<KubeRef, 'apiGroup' | 'resource'>, object: unknown, isHidden: boolean): string {
  return JSON.stringify(isHidden && isSecret(of) ? hideSecret(object) : object);
}
