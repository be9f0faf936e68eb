/** Answers the shell's first calls: clusters, user context, alerts. */

import { encodeAcl } from '@gatehouse/contract/access/acl';
import type { Alert, Cluster, clusterRoutes } from '@gatehouse/contract/console/clusters';
import { OK } from '@gatehouse/contract/wire/ack';
import type { AccessControl } from '../../access/create-access.ts';
import { requireOnCluster } from '../../access/reach.ts';
import { accessStrategy } from '../../access/session-options.ts';
import type { Federation } from '../../identity/federation/federation.ts';
import type { LinkState } from '../../identity/federation/links.ts';
import type { StoredLeaf } from '../../identity/federation/stores/remote-cluster-store.ts';
import { findUser } from '../../identity/stores/user-store.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Handlers } from '../../platform/http/call.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { listAlerts } from './alert-store.ts';
import { postAlert, removeAlert } from './alerts.ts';

export interface ClusterDeps {
  db: Db;
  access: Pick<AccessControl, 'of' | 'require'>;
  now: () => number;
  clusterName: string;
  version: string;
  publicAddr: string | undefined;
  federation: Pick<Federation, 'leaves' | 'links'>;
  /** How many servers somebody sees. */
  countNodes(actor: Actor): Promise<number>;
  /** What the gateway itself tells somebody, beside what administrators post to everybody. */
  ownAlerts(actor: Actor): Promise<readonly Alert[]>;
}

export function clusterHandlers({
  db,
  access,
  now,
  countNodes,
  ownAlerts,
  federation,
  ...facts
}: ClusterDeps): Handlers<typeof clusterRoutes> {
  const own = (): Cluster => ({
    name: facts.clusterName,
    lastConnected: new Date(now()).toISOString(),
    status: 'online',
    // As the wire has it: only the context counts.
    nodeCount: 0,
    publicURL: '',
    authVersion: '',
    proxyVersion: '',
  });
  const requireEdit = (actor: Actor) => requireOnCluster(access, actor, 'update', facts.clusterName);
  return {
    async sites({ actor }) {
      const leaves = federation.leaves.seenBy(actor);
      return [own(), ...leaves.map((leaf) => leafCluster(leaf, federation.links().leaf(leaf.id), now()))];
    },

    async context({ actor }) {
      return {
        authType: actor.authType,
        hasPassword: (await findUser(db, actor.username))?.passwordHash !== undefined,
        userName: actor.username,
        userAcl: encodeAcl(actor.acl),
        cluster: {
          ...own(),
          nodeCount: await countNodes(actor),
          publicURL: facts.publicAddr ?? '',
          authVersion: facts.version,
          proxyVersion: facts.version,
        },
        accessStrategy: accessStrategy(access.of(actor)),
        accessCapabilities: { requestableRoles: [], suggestedReviewers: [] },
      };
    },

    async alerts({ actor }) {
      return { alerts: [...(await listAlerts(db, now())), ...(await ownAlerts(actor))] };
    },
    async postAlert({ actor, body }) {
      requireEdit(actor);
      return postAlert(db, body, now());
    },
    async removeAlert({ actor, params: { name } }) {
      requireEdit(actor);
      await removeAlert(db, name);
      return OK;
    },
  };
}

/** From memory: no list waits for another cluster. */
function leafCluster({ name, labels, version, lastSeen, created }: StoredLeaf, link: LinkState, now: number): Cluster {
  return {
    name,
    lastConnected: new Date(link.isConnected ? now : (lastSeen ?? created)).toISOString(),
    status: link.isConnected ? 'online' : 'offline',
    nodeCount: 0,
    publicURL: '',
    authVersion: '',
    proxyVersion: '',
    leaf: true,
    version: (link.isConnected ? link.version : undefined) ?? version,
    labels: { ...labels },
    ...(link.isConnected || link.trouble === undefined ? {} : { trouble: link.trouble }),
  };
}
