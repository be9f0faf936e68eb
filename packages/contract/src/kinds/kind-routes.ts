/** The calls and sockets of each kind. Apart from its other schemas: a screen loads those of its own kind alone. */
import type { Routes } from '../wire/route.ts';
import { APP_TCP_SOCKET, APP_WEB_SOCKET, appRoutes, jwksRoutes } from './app/apps.ts';
import { DB_TCP_SOCKET, databaseRoutes } from './db/databases.ts';
import { dbApprovalRoutes } from './db/db-approvals.ts';
import { dbTrustRoutes } from './db/db-trust.ts';
import { DB_EDITOR_SOCKET } from './db/editor.ts';
import { desktopRoutes } from './desktop/desktops.ts';
import { desktopFileRoutes } from './desktop/transfer.ts';
import type { HeldNameRoutes } from './held-names.ts';
import type { KINDS, Kind } from './kinds.ts';
import { KUBE_BROWSE_SOCKET } from './kube/browse.ts';
import { KUBE_DOOR_SOCKET, kubePassRoutes } from './kube/kube-pass.ts';
import { kubeRoutes } from './kube/kubernetes.ts';
import { fileRoutes } from './node/files/files.ts';
import { scpRoutes } from './node/files/scp.ts';
import { nodeRoutes } from './node/nodes.ts';

interface KindCalls {
  /** By feature: the first half of the operation's id. */
  routes: Readonly<Record<string, Routes>>;
  sockets?: readonly string[];
}

/** What is shared has names that somebody must be able to see and free. */
type CallsFor<K extends Kind, Row extends { path: string }> = Row extends { shared: unknown; offered: 'named' }
  ? KindCalls & { routes: Record<Row['path'], HeldNameRoutes<K>> }
  : KindCalls;

const KIND_CALLS = {
  node: { routes: { nodes: nodeRoutes, files: fileRoutes, scp: scpRoutes } },
  app: { routes: { apps: appRoutes, jwks: jwksRoutes }, sockets: [APP_TCP_SOCKET, APP_WEB_SOCKET] },
  kube: {
    routes: { kubernetes: kubeRoutes, kubePasses: kubePassRoutes },
    sockets: [KUBE_BROWSE_SOCKET, KUBE_DOOR_SOCKET],
  },
  db: {
    routes: { databases: databaseRoutes, dbTrust: dbTrustRoutes, dbApprovals: dbApprovalRoutes },
    sockets: [DB_TCP_SOCKET, DB_EDITOR_SOCKET],
  },
  desktop: { routes: { desktops: desktopRoutes, desktopFiles: desktopFileRoutes } },
} as const satisfies { [K in Kind]: CallsFor<K, (typeof KINDS)[K]> };

type Together<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;
type KindRoutes = Together<(typeof KIND_CALLS)[Kind]['routes']>;

const calls: readonly KindCalls[] = Object.values(KIND_CALLS);

export const kindRoutes = Object.assign({}, ...calls.map(({ routes }) => routes)) as KindRoutes;
export const kindSockets: readonly string[] = calls.flatMap(({ sockets }) => sockets ?? []);
