/** The clusters as their list has them: this one, and every leaf that joined it, whether or not one's roles show it. */
import type { Cluster } from '@gatehouse/contract/console/clusters';
import type { RemoteCluster } from '@gatehouse/contract/reach/trusted-clusters/trusted-clusters';
import type { Label } from '@gatehouse/contract/std/labels';

export interface ClusterRow {
  name: string;
  isOwn: boolean;
  /** Others joined it. */
  isRoot: boolean;
  isOnline: boolean;
  version: string;
  /** Runs something older than this gateway, and may not know every call. */
  isOlder: boolean;
  lastSeen: string | undefined;
  labels: readonly Label[];
  trouble: string | undefined;
  /** One's roles at this gateway show it: only then anything of it can be asked for. */
  isShown: boolean;
  /** What administrators know of a leaf. */
  leaf: RemoteCluster | undefined;
}

/** `own`: of the context, which alone tells its version. */
export function clusterRows(
  own: Cluster,
  sites: readonly Cluster[],
  leaves: readonly RemoteCluster[],
): readonly ClusterRow[] {
  const shown = new Map(sites.map((site) => [site.name, site]));
  const known = new Map(leaves.map((leaf) => [leaf.name, leaf]));
  const names = new Set([...shown.keys(), ...known.keys()].filter((name) => name !== own.name));
  const first: ClusterRow = {
    name: own.name,
    isOwn: true,
    isRoot: names.size > 0,
    isOnline: true,
    version: own.authVersion,
    isOlder: false,
    lastSeen: undefined,
    labels: [],
    trouble: undefined,
    isShown: true,
    leaf: undefined,
  };
  return [first, ...[...names].map((name) => leafRow(name, shown.get(name), known.get(name), own.authVersion))];
}

function leafRow(
  name: string,
  site: Cluster | undefined,
  leaf: RemoteCluster | undefined,
  ownVersion: string,
): ClusterRow {
  const version = leaf?.version ?? site?.version ?? '';
  return {
    name,
    isOwn: false,
    isRoot: false,
    isOnline: (leaf ?? site)?.status === 'online',
    version,
    isOlder: isOlder(version, ownVersion),
    lastSeen: leaf?.lastSeen ?? (site?.lastConnected || undefined),
    labels: Object.entries(leaf?.labels ?? site?.labels ?? {}).map(([label, value]) => ({ name: label, value })),
    trouble: leaf?.trouble ?? site?.trouble,
    isShown: site !== undefined,
    leaf,
  };
}

/** By numbers, place by place: 0.10 is newer than 0.9. What is no version is taken for none older. */
export function isOlder(version: string, than: string): boolean {
  const [a, b] = [partsOf(version), partsOf(than)];
  if (!a || !b) return false;
  const at = [0, 1, 2].find((place) => (a[place] ?? 0) !== (b[place] ?? 0));
  return at !== undefined && (a[at] ?? 0) < (b[at] ?? 0);
}

function partsOf(version: string): number[] | undefined {
  const found = /^v?(\d+(?:\.\d+)*)/.exec(version)?.[1];
  return found?.split('.').map(Number);
}
