/** Puts together what leads to other clusters: leaves that dialled this one, and roots that this one dials. */
import { leafLink } from '@gatehouse/contract/audit/trusted-cluster-events';
import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import type { DoorDeps } from '../doors/agent-tunnel/tunnel-door.ts';
import type { Federation } from '../identity/federation/federation.ts';
import type { Audit } from '../platform/audit/emit.ts';
import type { GatewayConfig } from '../platform/config/resolve.ts';
import type { Clusters } from '../platform/http/cluster.ts';
import { openRelayedDoor } from '../platform/http/relayed-door.ts';
import type { Log } from '../platform/std/log.ts';
import type { Db } from '../platform/storage/tables.ts';
import { authorizeLeaf } from '../reach/leaf-clusters/authorize-leaf.ts';
import { type DialledRoots, dialRoots } from '../reach/leaf-clusters/dial-roots.ts';
import { createClusters } from '../reach/leaf-clusters/leaf-relay.ts';
import { LiveLeaves } from '../reach/leaf-clusters/live-leaves.ts';

export interface ClusterDeps {
  config: Pick<GatewayConfig, 'clusterName' | 'drainSeconds'>;
  federation: Federation;
  db: Db;
  audit: Audit;
  registry: Registry;
  publicOrigin(): string;
  log: Log;
  now: () => number;
}

export interface LinkedClusters {
  clusters: Clusters;
  leaves: DoorDeps['leaves'];
  beginClose(): void;
  close(): Promise<void>;
}

/** Call it before the application is ready: only then are roots dialled. */
export function composeClusters(app: FastifyInstance, deps: ClusterDeps): LinkedClusters {
  const { config, federation, db, audit, registry, log, now } = deps;
  const { news } = federation;
  const drainMs = config.drainSeconds * 1000;
  const live = new LiveLeaves({
    ...{ trust: federation, news, log, now, drainMs },
    tell: (link) => db.transaction().execute((tx) => audit.emit(tx, leafLink, link)),
  });
  const door = openRelayedDoor(app, { origin: deps.publicOrigin, cluster: config.clusterName });
  let roots: DialledRoots | undefined;
  app.addHook('onReady', async () => {
    roots = dialRoots({ trust: federation, door, news, log, now, drainMs });
  });
  federation.setLinks({
    leaf: (id) => live.state(id),
    root: (trust) => roots?.state(trust) ?? { isConnected: false },
  });
  new Gauge({
    name: 'gatehouse_leaf_clusters_connected',
    help: 'Leaf clusters connected to this gateway.',
    registers: [registry],
    collect() {
      this.set(live.size);
    },
  });
  return {
    clusters: createClusters({ own: config.clusterName, trust: federation, live }),
    leaves: {
      authorize: (hello, key) => authorizeLeaf(federation, hello, key),
      admit: (tunnel, leaf, address) => live.admit(tunnel, leaf, address),
    },
    beginClose() {
      live.beginClose();
      roots?.beginClose();
    },
    async close() {
      await Promise.all([live.close(), roots?.close()]);
      door.close();
    },
  };
}
