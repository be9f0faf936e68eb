/** Says in the change feed which resources changed: by agent for what agents announce, one by one for what people enter. */
import { z } from 'zod';
import { publish } from '../platform/change-feed/publish.ts';
import type { Tx } from '../platform/storage/tables.ts';

export const RESOURCE_TOPIC = 'resource';

/** Below what a change may carry, with room for the signs between. */
const MAX_CHARACTERS = 3_500;

interface Changed {
  kind: string;
  id: string;
  /** Empty for what was entered by hand. */
  owner: string;
}

const changeData = z.object({ owners: z.array(z.string()), ids: z.array(z.string()) });
/** Whose resources to look at again, and which single ones. */
export type ResourceChange = z.output<typeof changeData>;

/** Announcements come in heaps, so a change names as many as it can. */
export async function publishResources(tx: Tx, changed: readonly Changed[]): Promise<void> {
  const changes = [...Map.groupBy(changed, ({ kind }) => kind)].flatMap(([kind, rows]) => {
    const owners = new Set(rows.flatMap(({ owner }) => owner || []));
    const ids = new Set(rows.filter(({ owner }) => owner === '').map(({ id }) => id));
    return [
      ...packed([...owners]).map((some): ResourceChange => ({ owners: some, ids: [] })),
      ...packed([...ids]).map((some): ResourceChange => ({ owners: [], ids: some })),
    ].map((data) => ({ topic: RESOURCE_TOPIC, id: kind, data }));
  });
  await publish(tx, ...changes);
}

/** For when so much of a kind changed that naming it is no use. */
export async function publishAll(tx: Tx, kinds: Iterable<string>): Promise<void> {
  await publish(tx, ...[...kinds].map((id) => ({ topic: RESOURCE_TOPIC, id })));
}

/** `undefined` when a change does not say what it was about. */
export function readResourceChange(data: unknown): ResourceChange | undefined {
  return changeData.safeParse(data).data;
}

function packed(texts: readonly string[]): string[][] {
  const packs: string[][] = [];
  let left = 0;
  for (const text of texts) {
    const size = JSON.stringify(text).length + 1;
    if (size > left) {
      packs.push([]);
      left = MAX_CHARACTERS;
    }
    packs.at(-1)!.push(text);
    left -= size;
  }
  return packs;
}
