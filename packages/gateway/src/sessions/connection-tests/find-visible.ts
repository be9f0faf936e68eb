/** What somebody sees of the inventory, asked by the names the wire has for each kind. */

import { kinds as allKinds } from '@gatehouse/contract/kinds/kinds';
import type { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import type { Body } from '@gatehouse/contract/wire/route';
import type { AccessControl } from '../../access/create-access.ts';
import { visibleCondition } from '../../access/visibility.ts';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { TestedKinds } from './connection-test.ts';

export interface SeenDeps {
  db: Db;
  access: Pick<AccessControl, 'visibleTo'>;
  clusterName: string;
}

export async function seesAnything({ db, access, clusterName }: SeenDeps, actor: Actor): Promise<boolean> {
  for (const kind of allKinds) {
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
  kinds: TestedKinds,
  actor: Actor,
  { node, database, kube, windows_desktop: desktop }: Body<typeof diagnosticRoutes.mfaRequired>,
): Promise<Resource> {
  if (node) return await kinds.node.find(actor, node.node_name);
  if (database) return await kinds.db.find(actor, database.service_name);
  if (kube) return await kinds.kube.find(actor, kube.cluster_name);
  return await kinds.desktop.find(actor, desktop?.desktop_name ?? '');
}
