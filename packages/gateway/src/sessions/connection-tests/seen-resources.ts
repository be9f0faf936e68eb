/** What somebody sees of the inventory, asked by the names the wire has for each kind. */

import { type Kind, kinds } from '@gatehouse/contract/kinds/kinds';
import type { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import type { Body } from '@gatehouse/contract/wire/route';
import type { AccessControl } from '../../access/create-access.ts';
import { visibleCondition } from '../../access/visibility.ts';
import { type Resource, toResource } from '../../inventory/resource-store.ts';
import { findSeenNode } from '../../kinds/node/find-node.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { notFound } from '../../platform/std/app-error.ts';
import type { Db } from '../../platform/storage/tables.ts';

export interface SeenDeps {
  db: Db;
  access: Pick<AccessControl, 'decide' | 'visibleTo'>;
  clusterName: string;
}

export async function seesAnything({ db, access, clusterName }: SeenDeps, actor: Actor): Promise<boolean> {
  for (const kind of kinds) {
    const seen = await access.visibleTo(actor, kind);
    if (seen.type === 'none') continue;
    const first = await db
      .selectFrom('resource')
      .select('id')
      .where('cluster', '=', clusterName)
      .where('kind', '=', kind)
      .where(visibleCondition(db, seen, 'sets'))
      .limit(1)
      .executeTakeFirst();
    if (first) return true;
  }
  return false;
}

/** Throws `not_found`, alike for what is not there and what is not seen. */
export async function findSeen(
  deps: SeenDeps,
  actor: Actor,
  { node, database, kube, windows_desktop: desktop }: Body<typeof diagnosticRoutes.mfaRequired>,
): Promise<Resource> {
  if (node) return await findSeenNode(deps, actor, node.node_name);
  if (database) return await findByName(deps, actor, 'db', database.service_name);
  if (kube) return await findByName(deps, actor, 'kube', kube.cluster_name);
  return await findByName(deps, actor, 'desktop', desktop?.desktop_name ?? '');
}

async function findByName(deps: SeenDeps, actor: Actor, kind: Kind, wanted: string): Promise<Resource> {
  const rows = await deps.db
    .selectFrom('resource')
    .selectAll()
    .where('cluster', '=', deps.clusterName)
    .where('kind', '=', kind)
    .where((builder) => builder.or([builder('id', '=', wanted), builder('name', '=', wanted)]))
    .limit(100)
    .execute();
  const seen = rows
    .map((row) => toResource(row, kind))
    .find((resource) => deps.access.decide(actor, { type: 'see', kind, resource }).allowed);
  if (!seen) throw notFound(kind, wanted);
  return seen;
}
