/** The leaves of this cluster, in memory: every call that names another cluster asks which one it is. */
import type { AccessControl } from '../../../access/create-access.ts';
import { seesCluster } from '../../../access/sees-cluster.ts';
import type { Actor } from '../../../platform/http/actor.ts';
import { readRemoteName } from '../../stores/remote-name.ts';
import type { KeptRows } from '../kept-rows.ts';
import type { StoredLeaf } from '../stores/remote-cluster-store.ts';

export interface LeafDirectory {
  any(): boolean;
  byId(id: string): StoredLeaf | undefined;
  /** Whose key proved a tunnel: the one it signs with, or the one it has announced. */
  byKey(key: string): StoredLeaf | undefined;
  /** By its name; one that the actor does not see is not there. */
  find(name: string, actor: Actor): StoredLeaf | undefined;
  /** Those the actor sees, by name. */
  seenBy(actor: Actor): StoredLeaf[];
}

export function createLeafDirectory(leaves: KeptRows<StoredLeaf>, access: Pick<AccessControl, 'of'>): LeafDirectory {
  // Who came from another cluster goes no further than this one, whatever their own cluster asks for in their name.
  const sees = (actor: Actor, { labels }: StoredLeaf) =>
    actor.isOwner === true || (!readRemoteName(actor.username) && seesCluster(access.of(actor), labels));
  return {
    any: () => leaves.all().length > 0,
    byId: (id) => leaves.all().find((leaf) => leaf.id === id),
    byKey: (key) => leaves.all().find((leaf) => leaf.key === key || leaf.next === key),
    find: (name, actor) => leaves.all().find((leaf) => leaf.name === name && sees(actor, leaf)),
    seenBy: (actor) => leaves.all().filter((leaf) => sees(actor, leaf)),
  };
}
