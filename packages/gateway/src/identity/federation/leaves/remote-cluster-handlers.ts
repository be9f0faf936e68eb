/** Answers the calls about leaves that joined this cluster. */
import { trustedClusterDeleted, trustedClusterUpdated } from '@gatehouse/contract/audit/trusted-cluster-events';
import type { RemoteCluster, remoteClusterRoutes } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { OK } from '@gatehouse/contract/wire/ack';
import type { AccessControl } from '../../../access/create-access.ts';
import { mayReach, requireReach } from '../../../access/reach.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import type { Handlers } from '../../../platform/http/call.ts';
import { contextOf } from '../../../platform/http/context-of.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import type { KeptRows } from '../kept-rows.ts';
import { keyFingerprintOf } from '../key/key-fingerprint.ts';
import type { ClusterLinks } from '../links.ts';
import { deleteLeaf, findLeaf, listLeaves, type StoredLeaf, updateLeaf } from '../stores/remote-cluster-store.ts';

export interface LeafHandlerDeps {
  db: Db;
  access: AccessControl;
  audit: Audit;
  leaves: Pick<KeptRows<StoredLeaf>, 'refresh'>;
  links: () => ClusterLinks;
}

export function remoteClusterHandlers(deps: LeafHandlerDeps): Handlers<typeof remoteClusterRoutes> {
  const { db, access, audit, leaves } = deps;
  const required = async (actor: Actor, verb: 'update' | 'delete', name: string) =>
    requireReach(
      access,
      { actor, verb, kind: 'trusted_cluster', name, called: 'cluster' },
      await findLeaf(db, { name }),
    );
  return {
    async list({ actor }) {
      return (await listLeaves(db))
        .filter(({ name }) => mayReach(access, actor, 'list', 'trusted_cluster', name))
        .map((leaf) => leafItem(leaf, deps.links()));
    },

    async update({ actor, params: { name }, body: { labels }, exchange }) {
      const { id } = await required(actor, 'update', name);
      await db.transaction().execute(async (tx) => {
        await updateLeaf(tx, id, { labels });
        await audit.emit(tx, trustedClusterUpdated, { user: actor.username, name }, contextOf(actor, exchange));
      });
      await leaves.refresh();
      return leafItem((await findLeaf(db, { id }))!, deps.links());
    },

    async remove({ actor, params: { name }, exchange }) {
      const { id } = await required(actor, 'delete', name);
      await db.transaction().execute(async (tx) => {
        await deleteLeaf(tx, id);
        await audit.emit(tx, trustedClusterDeleted, { user: actor.username, name }, contextOf(actor, exchange));
      });
      await leaves.refresh();
      return OK;
    },
  };
}

function leafItem(leaf: StoredLeaf, links: ClusterLinks): RemoteCluster {
  const link = links.leaf(leaf.id);
  return {
    name: leaf.name,
    id: leaf.id,
    key: keyFingerprintOf(leaf.key),
    labels: { ...leaf.labels },
    version: (link.isConnected ? link.version : undefined) ?? leaf.version,
    status: link.isConnected ? 'online' : 'offline',
    ...(link.isConnected ? { connectedSince: new Date(link.since).toISOString() } : {}),
    ...(leaf.lastSeen === undefined ? {} : { lastSeen: new Date(leaf.lastSeen).toISOString() }),
    ...(link.isConnected || link.trouble === undefined ? {} : { trouble: link.trouble }),
    created: new Date(leaf.created).toISOString(),
    createdBy: leaf.createdBy,
  };
}
