/** A trust as administrators read it. */
import type { TrustedClusterItem, TrustStatus } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import { keyFingerprintOf } from '../key/key-fingerprint.ts';
import type { ClusterLinks, LinkState } from '../links.ts';
import type { StoredTrust } from '../stores/trusted-cluster-store.ts';
import { readStoredTrust } from './trust-document.ts';

export function trustItem(trust: StoredTrust, links: ClusterLinks, visitors: number): TrustedClusterItem {
  const link = links.root(trust.name);
  const trouble = trust.ended ?? (link.isConnected ? undefined : link.trouble);
  return {
    id: `trusted_cluster:${trust.name}`,
    kind: 'trusted_cluster',
    name: trust.name,
    content: trust.content,
    revision: trust.revision,
    enabled: trust.enabled,
    address: trust.address,
    rootName: trust.rootName,
    rootId: trust.rootId,
    rootKey: keyFingerprintOf(trust.rootKey),
    roleMap: readStoredTrust(trust.content).spec.role_map,
    status: statusOf(trust, link),
    ...(link.since === undefined ? {} : { since: new Date(link.since).toISOString() }),
    ...(trust.enabled && trouble !== undefined ? { trouble } : {}),
    created: new Date(trust.created).toISOString(),
    visitors,
  };
}

function statusOf({ enabled, ended }: StoredTrust, { isConnected }: LinkState): TrustStatus {
  if (!enabled) return 'disabled';
  if (ended !== undefined) return 'ended';
  return isConnected ? 'online' : 'offline';
}
