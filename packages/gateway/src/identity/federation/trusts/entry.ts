/** Who a cluster is, as it tells another: base64 of JSON. */
import {
  type ClusterEntry,
  clusterEntry,
  ENTRY_VERSION,
} from '@gatehouse/contract/reach/trusted-clusters/cluster-entry';
import type { KeysNow } from '../key/federation-keys.ts';

export interface OwnCluster {
  clusterId: string;
  name: string;
  version: string;
}

export function writeEntry({ clusterId, name, version }: OwnCluster, { current, next }: KeysNow): string {
  const entry: ClusterEntry = {
    v: ENTRY_VERSION,
    clusterId,
    name,
    key: current.publicKey,
    ...(next ? { next: next.publicKey } : {}),
    version,
  };
  return Buffer.from(JSON.stringify(entry)).toString('base64');
}

/** Undefined for what is none. */
export function readEntry(text: string): ClusterEntry | undefined {
  try {
    return clusterEntry.safeParse(JSON.parse(Buffer.from(text, 'base64').toString('utf8'))).data;
  } catch {
    return undefined;
  }
}
