/** Lets a cluster join as a leaf: the token and the row are one, and whatever is refused says what to do. */
import { trustedClusterCreated } from '@gatehouse/contract/audit/trusted-cluster-events';
import type { ClusterEntry } from '@gatehouse/contract/reach/trusted-clusters/cluster-entry';
import type { Audit } from '../../../platform/audit/emit.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Tx } from '../../../platform/storage/tables.ts';
import { spendClusterToken } from '../stores/cluster-token-store.ts';
import { findKeyHolder, findLeaf, putLeaf } from '../stores/remote-cluster-store.ts';
import type { OwnCluster } from './entry.ts';

/** As the configuration takes names of clusters. */
const CLUSTER_NAME = /^[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$/;

interface Joining {
  token: string;
  entry: ClusterEntry;
  own: OwnCluster;
  audit: Audit;
  now: number;
  address: string;
}

export async function admitLeaf(tx: Tx, { token, entry, own, audit, now, address }: Joining): Promise<void> {
  const by = await spendClusterToken(tx, token, now);
  if (by === undefined)
    throw new AppError(
      'denied',
      "the token is not good: it was used, has run out, or is of another cluster; make a new one with 'gatehouse clusters token'",
    );
  const { clusterId: id, name, key, next, version } = entry;
  if (id === own.clusterId) throw new AppError('bad_request', 'this is the same cluster: it cannot be its own leaf');
  if (!CLUSTER_NAME.test(name))
    throw new AppError('bad_request', "the cluster's name must be letters, digits, dots and dashes, at most 63");
  const known = await findLeaf(tx, { id });
  if (known && known.key !== key && known.next !== key)
    throw new AppError(
      'conflict',
      `the cluster '${known.name}' is known here by another key: it was rotated without being heard of, or rebuilt. Remove it here first ('gatehouse clusters rm ${known.name}'), then join again`,
    );
  // Ids and keys are no secrets, and a token proves nothing about either: what is known of a leaf is changed by its tunnel alone.
  if (known && known.name !== name)
    throw new AppError(
      'conflict',
      `this cluster is known here as '${known.name}': remove it here first ('gatehouse clusters rm ${known.name}'), then join again as '${name}'`,
    );
  const named = await findLeaf(tx, { name });
  if (name === own.name || (named && named.id !== id))
    throw new AppError(
      'conflict',
      `another cluster is called '${name}' here: remove that one ('gatehouse clusters rm ${name}'), or give this one another clusterName`,
    );
  const holder = await findKeyHolder(tx, { id, keys: next === undefined ? [key] : [key, next] });
  if (holder)
    throw new AppError(
      'conflict',
      `the cluster '${holder.name}' has this key here: each has its own. Remove that one first ('gatehouse clusters rm ${holder.name}')`,
    );
  await putLeaf(tx, {
    id,
    name,
    key: known?.key ?? key,
    // The one it names is nobody's until it is announced through the tunnel, with its own signature.
    next: known?.next,
    version,
    created: now,
    createdBy: by,
  });
  await audit.emit(tx, trustedClusterCreated, { user: by, name }, { address });
}
