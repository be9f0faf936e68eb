/** What a cluster has: its namespaces, and the kinds of its API. */
import type { BrowseReply, KubeKindRow } from '@gatehouse/contract/kinds/kube/browse';
import { z } from 'zod';
import { type KubeAsk, readJson } from './answers.ts';
import { KubeFailure } from './kube-failure.ts';
import { metadataOf } from './metadata-of.ts';

const MAX_DISCOVERY_BYTES = 4 * 1024 * 1024;
const MAX_NAMESPACES = 10_000;
const MAX_GROUPS = 500;
const MAX_KINDS = 5_000;
const GROUPS_AT_ONCE = 8;
const NAMESPACES = { apiGroup: '', apiVersion: 'v1', resource: 'namespaces', namespace: '' };

type Namespaces = Omit<Extract<BrowseReply, { type: 'namespaces' }>, 'id' | 'type'>;

/** Where they may not be listed, `known` says which somebody may look into. */
export async function listNamespaces(
  ask: KubeAsk,
  known: () => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<Namespaces> {
  let names: string[];
  try {
    names = (await metadataOf(ask, { ...NAMESPACES, maxItems: MAX_NAMESPACES }, signal)).map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof KubeFailure) || error.status !== 403) throw error;
    return { names: [...new Set(await known())].sort(), from: 'configured', why: error.message };
  }
  // Of these a role may show only some, and let more be looked into.
  return {
    names: [...new Set([...names, ...(await known())])].sort(),
    from: 'cluster',
    why: '',
  };
}

const groupList = z.object({
  groups: z.array(
    z.object({
      name: z.string().max(253),
      versions: z.array(z.object({ version: z.string().max(253) })),
      preferredVersion: z.object({ version: z.string().max(253) }).optional(),
    }),
  ),
});

const resourceList = z.object({
  resources: z.array(
    z.object({
      name: z.string().max(253),
      kind: z.string().max(253),
      namespaced: z.boolean(),
      verbs: z.array(z.string().max(64)).max(32).catch([]),
    }),
  ),
});

interface GroupVersion {
  apiGroup: string;
  apiVersion: string;
}

export async function listKinds(ask: KubeAsk, signal: AbortSignal): Promise<{ kinds: KubeKindRow[]; isCut: boolean }> {
  const get = async (target: string) =>
    readJson(
      await ask({ method: 'GET', target, headers: [['accept', 'application/json']] }, signal),
      MAX_DISCOVERY_BYTES,
    );
  const { groups } = groupList.safeParse(await get('/apis')).data ?? { groups: [] };
  const wanted: GroupVersion[] = [{ apiGroup: '', apiVersion: 'v1' }];
  for (const { name, preferredVersion, versions } of groups.slice(0, MAX_GROUPS)) {
    const apiVersion = preferredVersion?.version ?? versions[0]?.version;
    if (apiVersion) wanted.push({ apiGroup: name, apiVersion });
  }
  let isCut = groups.length > MAX_GROUPS;
  const found = new Map<GroupVersion, KubeKindRow[]>();
  const left = [...wanted];
  let count = 0;
  const work = async () => {
    for (let next = left.shift(); next && count <= MAX_KINDS; next = left.shift()) {
      try {
        // What nobody will be told is not kept while the others are asked for.
        const kinds = kindsOf(next, await get(groupPath(next))).slice(0, MAX_KINDS + 1 - count);
        count += kinds.length;
        found.set(next, kinds);
      } catch (error) {
        signal.throwIfAborted();
        // One part of the API that is away, or says something odd, hides no other.
        if (!(error instanceof KubeFailure) && !(error instanceof z.ZodError)) throw error;
        isCut = true;
      }
    }
  };
  await Promise.all(Array.from({ length: GROUPS_AT_ONCE }, work));
  const kinds = wanted.flatMap((group) => found.get(group) ?? []);
  return { kinds: kinds.slice(0, MAX_KINDS), isCut: isCut || kinds.length > MAX_KINDS };
}

function groupPath({ apiGroup, apiVersion }: GroupVersion): string {
  const parts = apiGroup === '' ? ['api', apiVersion] : ['apis', apiGroup, apiVersion];
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

function kindsOf({ apiGroup, apiVersion }: GroupVersion, value: unknown): KubeKindRow[] {
  return resourceList
    .parse(value)
    .resources.filter(({ name, verbs }) => !name.includes('/') && verbs.includes('list'))
    .map(({ name, kind, namespaced, verbs }) => ({
      ...{ apiGroup, apiVersion, resource: name, kind, verbs },
      isNamespaced: namespaced,
    }));
}
