/** The servers that open sessions are with, as the inventory has them now: relabelled, at another address, or gone. */
import { nodeSpec } from '@gatehouse/contract/kinds/node/node-spec';
import { readAnnouncements } from '../../inventory/announcement-store.ts';
import { type ResourceChange, readResourceChange } from '../../inventory/resource-changes.ts';
import { type Resource, toResource } from '../../inventory/resource-store.ts';
import { sqlIn } from '../../platform/storage/sql-in.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { SessionAction, SessionEnd } from './session-store.ts';

type NodeAction = Extract<SessionAction, { kind: 'node' }>;

/** Undefined where nothing can be said: its agent is away, and the session waits for it. */
export type ServerNow = { resource: Resource } | { end: SessionEnd } | undefined;

const REMOVED: SessionEnd = { cause: 'denied', message: 'the server was removed' };
const MOVED: SessionEnd = { cause: 'denied', message: 'the server was changed: it is at another address now' };

/** However many sessions there are, at most three queries. */
export async function serversNow(
  db: Db,
  actions: readonly SessionAction[],
): Promise<(action: SessionAction) => ServerNow> {
  const known = new Map<string, Resource>();
  const wanted = new Map(actions.filter(isNode).map(({ resource }) => [resource.id, resource]));
  const [first] = wanted.values();
  if (!first) return () => undefined;
  const rows = await db
    .selectFrom('resource')
    .selectAll()
    .where('cluster', '=', first.cluster)
    .where('kind', '=', 'node')
    .where(sqlIn(db, 'resource.id', [...wanted.keys()]))
    .execute();
  for (const row of rows) known.set(row.id, toResource(row, 'node'));
  const away = await ownersAway(
    db,
    [...wanted.values()].filter(({ id, owner }) => owner !== '' && !known.has(id)).map(({ owner }) => owner),
  );
  return (action) => {
    if (!isNode(action)) return undefined;
    const { resource } = action;
    const now = known.get(resource.id);
    if (!now) return away.has(resource.owner) ? undefined : { end: REMOVED };
    return isAnother(resource, now) ? { end: MOVED } : { resource: now };
  };
}

/** Whether a change may be about the server of a session; whoever does not say what it is about is about all. */
export function concerns(data: unknown): (action: SessionAction) => boolean {
  const change: ResourceChange | undefined = readResourceChange(data);
  if (!change) return isNode;
  const [owners, ids] = [new Set(change.owners), new Set(change.ids)];
  return (action) => isNode(action) && (ids.has(action.resource.id) || owners.has(action.resource.owner));
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

/** The row describes another machine than the one that was allowed and is connected. */
function isAnother(before: Resource, now: Resource): boolean {
  const [was, is] = [nodeSpec.safeParse(before.spec).data, nodeSpec.safeParse(now.spec).data];
  if (before.owner !== now.owner || was?.type !== is?.type) return true;
  return was?.type === 'openssh' && is?.type === 'openssh' && (was.addr !== is.addr || was.through !== is.through);
}

function isNode(action: SessionAction): action is NodeAction {
  return action.kind === 'node';
}
