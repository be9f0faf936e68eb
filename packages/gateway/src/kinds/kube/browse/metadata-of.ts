/** What a collection of a cluster has, by name: no more than the metadata of each is asked for, a page at a time. */
import type { KubeCollection } from '@gatehouse/contract/kinds/kube/browse';
import { z } from 'zod';
import { type KubeAsk, readJson } from './answers.ts';
import { KubeFailure } from './kube-failure.ts';
import { objectPath } from './object-path.ts';

const MAX_PAGE_BYTES = 16 * 1024 * 1024;
/** Also of a cluster that never comes to the end of nothing. */
const MAX_PAGES = 100;
const ITEMS_AT_ONCE = 1_000;
const ACCEPT = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

const metadata = z.object({
  name: z.string().max(253),
  namespace: z.string().max(253).catch(''),
  labels: z.record(z.string(), z.string()).catch({}),
});
export type KubeMetadata = z.output<typeof metadata>;

const metadataPage = z.object({
  metadata: z.object({ continue: z.string().catch('') }),
  items: z.array(z.object({ metadata })),
});

export interface MetadataWanted extends KubeCollection {
  namespace: string;
  /** What is beyond it is not asked for. */
  maxItems: number;
}

/** Throws `KubeFailure`, which says what the cluster, or a rule, has against it. */
export async function metadataOf(
  ask: KubeAsk,
  { maxItems, ...collection }: MetadataWanted,
  signal: AbortSignal,
): Promise<KubeMetadata[]> {
  const found: KubeMetadata[] = [];
  let from: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && from !== '' && found.length < maxItems; pages += 1) {
    const target = objectPath(collection, { limit: ITEMS_AT_ONCE, continue: from });
    const answer = await ask({ method: 'GET', target, headers: [['accept', ACCEPT]] }, signal);
    const page = metadataPage.safeParse(await readJson(answer, MAX_PAGE_BYTES)).data;
    if (!page)
      throw new KubeFailure(
        0,
        'NotAList',
        `the cluster answered with something that is no list of ${collection.resource}`,
      );
    for (const item of page.items.slice(0, maxItems - found.length)) found.push(item.metadata);
    from = page.metadata.continue;
  }
  return found;
}
