/** The audit events of each kind, by family. A module exports its events and nothing else. Heavy with words: only who shows or writes events loads it. */
import * as apps from './app/app-events.ts';
import * as databases from './db/db-events.ts';
import * as databaseTrust from './db/db-trust-events.ts';
import * as mysql from './db/mysql-events.ts';
import * as otherDatabases from './db/other-database-events.ts';
import * as postgres from './db/postgres-events.ts';
import * as desktops from './desktop/desktop-events.ts';
import type { KINDS, Kind } from './kinds.ts';
import * as kubernetes from './kube/kube-events.ts';
import * as kubeObjects from './kube/kube-object-events.ts';
import * as kubePasses from './kube/kube-pass-events.ts';
import * as scp from './node/scp-events.ts';
import * as servers from './node/server-events.ts';
import * as sftp from './node/sftp-events.ts';
import * as ssh from './node/ssh-events.ts';

type Families<Own extends string> = Record<Own, readonly object[]> & Readonly<Record<string, readonly object[]>>;

export const KIND_EVENTS = {
  node: { nodes: [servers], ssh: [ssh], files: [scp, sftp] },
  app: { apps: [apps] },
  kube: { kubernetes: [kubernetes, kubePasses, kubeObjects] },
  db: { databases: [databases, databaseTrust, postgres, mysql, otherDatabases] },
  desktop: { desktops: [desktops] },
} as const satisfies { [K in Kind]: Families<(typeof KINDS)[K]['eventFamily']> };

/** Families whose events all come from a kind, or some of them. */
export type KindEventFamily = { [K in Kind]: keyof (typeof KIND_EVENTS)[K] }[Kind];
