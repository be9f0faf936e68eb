/** What open sessions are with, as the inventory has it now: relabelled, another one, or gone. */

import { isDeepStrictEqual } from 'node:util';
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { readAnnouncements } from '../../inventory/announcement-store.ts';
import { isShared } from '../../inventory/kind-fields.ts';
import { type ResourceChange, readResourceChange } from '../../inventory/resource-changes.ts';
import { type Resource, toResource } from '../../inventory/resource-store.ts';
import { sqlIn } from '../../platform/storage/sql-in.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { ResourceLife } from './resource-life.ts';
import type { SessionAction, SessionEnd } from './session-store.ts';

/** Undefined where nothing can be said: its agent is away, and the session waits for it. */
export type ResourceNow = { resource: Resource } | { end: SessionEnd } | undefined;

/** By kind, as far as one says more than the careful rule below. */
export type Lives = { readonly [K in Kind]?: { life?: ResourceLife } };

/** What a kind says nothing of is over with any change of what is dialled. */
const CAREFUL: ResourceLife = {
  called: 'resource',
  isAnother: (before, now) => !isDeepStrictEqual(before.spec, now.spec),
};

/** However many sessions there are, a query for each kind and two more. */
export async function resourcesNow(
  db: Db,
  kinds: Lives,
  actions: readonly SessionAction[],
): Promise<(action: SessionAction) => ResourceNow> {
  const lifeOf = ({ kind }: SessionAction) => kinds[kind]?.life ?? CAREFUL;
  const known = new Map<string, Resource>();
  for (const [kind, those] of Map.groupBy(actions, (action) => action.kind)) {
    const ids = [...new Set(those.map(({ resource }) => resource.id))];
    const rows = await db
      .selectFrom('resource')
      .selectAll()
      .where('cluster', '=', those[0]!.resource.cluster)
      .where('kind', '=', kind)
      .where(sqlIn(db, 'resource.id', ids))
      .execute();
    for (const row of rows) known.set(keyOf(kind, row.id), toResource(row, kind));
  }
  const missing = actions.filter(
    (action) =>
      lifeOf(action).waitsForAgent &&
      action.resource.owner !== '' &&
      !known.has(keyOf(action.kind, action.resource.id)),
  );
  const away = await ownersAway(
    db,
    missing.map(({ resource }) => resource.owner),
  );
  return (action) => {
    const { resource, kind } = action;
    const { called, isAnother, moved = 'changed' } = lifeOf(action);
    const now = known.get(keyOf(kind, resource.id));
    if (now) return isAnother(resource, now) ? { end: over(`the ${called} was ${moved}`) } : { resource: now };
    return away.has(resource.owner) ? undefined : { end: over(`the ${called} was removed`) };
  };
}

function keyOf(kind: string, id: string): string {
  return `${kind} ${id}`;
}

function over(message: string): SessionEnd {
  return { cause: 'denied', message };
}

/** Whether a change may be about what a session is with; whoever does not say what it is about is about all. */
export function concerns(kind: string, data: unknown): (action: SessionAction) => boolean {
  const change: ResourceChange | undefined = readResourceChange(data);
  const [owners, ids] = [new Set(change?.owners), new Set(change?.ids)];
  return (action) => {
    if (action.kind !== kind) return false;
    // Any of several agents may offer it: a change that names one of them may be about it.
    if (!change || isShared(action.kind)) return true;
    return ids.has(action.resource.id) || owners.has(action.resource.owner);
  };
}

/** What an agent offers is not listed while it is away. One that is here and offers it no more, or was removed, is not away. */
async function ownersAway(db: Db, owners: readonly string[]): Promise<Set<string>> {
  if (owners.length === 0) return new Set();
  const agents = await db
    .selectFrom('agent')
    .select('id')
    .where(sqlIn(db, 'agent.id', [...new Set(owners)]))
    .execute();
  const announced = await readAnnouncements(
    db,
    agents.map(({ id }) => id),
  );
  return new Set(agents.map(({ id }) => id).filter((id) => !announced.has(id)));
}
