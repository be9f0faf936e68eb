/** Finds servers by what people call them. What somebody does not see is not found. */

import type { AccessControl } from '../../access/create-access.ts';
import { holderOfHostName, isCalled } from '../../inventory/host-names.ts';
import { type Resource, toResource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError, notFound } from '../../platform/std/app-error.ts';
import { jsonField } from '../../platform/storage/json.ts';
import type { Db } from '../../platform/storage/tables.ts';

export interface NodeFinder {
  db: Db;
  access: Pick<AccessControl, 'decide'>;
  clusterName: string;
}

/** Names of the several that are listed in a refusal. */
const MAX_NAMED = 10;
const MAX_READ = 1000;

/** By id, name or host name, where only one that the actor sees has it. */
export async function findSeenNode(finder: NodeFinder, actor: Actor, wanted: string): Promise<Resource> {
  const { db, access, clusterName } = finder;
  const isSeen = (resource: Resource) => access.decide(actor, { type: 'see', kind: 'node', resource }).allowed;
  return onlyOne((await findNodes(db, clusterName, wanted)).filter(isSeen), wanted);
}

/** For whoever changes servers by a rule that lets them, seen or not. Throws `denied` for what they see but may not change. */
export async function findChangeableNode(
  finder: NodeFinder,
  actor: Actor,
  { wanted, verb }: { wanted: string; verb: 'update' | 'delete' },
): Promise<Resource> {
  const { db, access, clusterName } = finder;
  const found = await findNodes(db, clusterName, wanted);
  const may = found.filter(
    ({ name, labels }) =>
      access.decide(actor, { type: 'verb', resource: 'node', verb, object: { kind: 'node', name, labels } }).allowed,
  );
  if (may.length > 0) return onlyOne(may, wanted);
  if (found.some((resource) => access.decide(actor, { type: 'see', kind: 'node', resource }).allowed))
    throw new AppError('denied', `access denied: none of your roles allows '${verb}' on server '${wanted}'`);
  throw notFound('server', wanted);
}

async function findNodes(db: Db, cluster: string, wanted: string): Promise<Resource[]> {
  const nodes = db.selectFrom('resource').selectAll().where('cluster', '=', cluster).where('kind', '=', 'node');
  // By itself each: asked for both in one, and in order, SQLite looks at every server there is.
  const [byId, byName] = await Promise.all([
    nodes.where('id', '=', wanted).execute(),
    nodes.where('name', '=', wanted).orderBy('id').limit(MAX_READ).execute(),
  ]);
  const called = [...byId, ...byName.filter(({ id }) => id !== wanted)];
  const rows = called.length > 0 ? called : await withHostName(db, cluster, wanted);
  return rows.map((row) => toResource(row, 'node'));
}

/**
 * A host name is what a machine says of itself. It leads to the machine that had it first, while that one is here and no
 * other says the same; the name of a server that is away leads nowhere.
 */
async function withHostName(db: Db, cluster: string, hostname: string) {
  const holder = await holderOfHostName(db, cluster, hostname);
  if (holder === undefined) return [];
  const named = await db
    .selectFrom('agent')
    .select('id')
    .where('cluster', '=', cluster)
    .where(isCalled('agent.name', hostname))
    .executeTakeFirst();
  if (named) return [];
  const rows = await db
    .selectFrom('resource')
    .selectAll()
    .where('cluster', '=', cluster)
    .where('kind', '=', 'node')
    .where(jsonField(db, 'spec', 'hostname'), '=', hostname)
    .orderBy('id')
    .limit(MAX_READ)
    .execute();
  return rows.some(({ owner }) => owner === holder) ? rows : [];
}

function onlyOne(known: readonly Resource[], wanted: string): Resource {
  const byId = known.filter(({ id }) => id === wanted);
  const [found, second] = byId.length > 0 ? byId : known;
  if (!found) throw notFound('server', wanted);
  if (!second) return found;
  const named = known.slice(0, MAX_NAMED).map(({ id }) => id);
  throw new AppError('conflict', `several servers are called '${wanted}': name one of ${named.join(', ')}`, {
    fields: { resources: named },
  });
}
