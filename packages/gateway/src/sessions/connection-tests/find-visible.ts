/** What somebody sees, found by the names the wire has for each kind. */

import type { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import type { Body } from '@gatehouse/contract/wire/route';
import type { Resource } from '../../inventory/resource-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { TestedKinds } from './connection-test.ts';

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
