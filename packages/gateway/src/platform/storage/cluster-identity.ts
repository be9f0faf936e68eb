/** Who this cluster is, from its first start on: a random id that outlives names, addresses and gateways. */
import { randomUUID } from 'node:crypto';
import { writeMetaOnce } from './meta.ts';
import type { Db } from './tables.ts';

/** Under this name in the facts about the database. */
export const CLUSTER_ID = 'cluster.id';

export interface ClusterIdentity {
  clusterId: string;
  created: number;
}

export async function readClusterIdentity(db: Db, now: number): Promise<ClusterIdentity> {
  return {
    clusterId: await writeMetaOnce(db, CLUSTER_ID, randomUUID()),
    created: Number(await writeMetaOnce(db, 'cluster.created', String(now))),
  };
}
