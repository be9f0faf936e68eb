/** Pages of one kind, as the wire has each of them. A kind says how its own are told; one that says nothing is told by its name. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import { visibleLabels } from '@gatehouse/contract/std/labels';
import type { ListQuery } from '@gatehouse/contract/wire/paging';
import type { AccessControl } from '../access/create-access.ts';
import type { Visibility } from '../access/visibility.ts';
import type { Actor } from '../platform/http/actor.ts';
import type { Db } from '../platform/storage/tables.ts';
import type { ListIndex } from './list-index/create-list-index.ts';
import type { Derived } from './list-plan.ts';
import { listResources, type ResourceList } from './list-resources.ts';
import type { Resource } from './resource-store.ts';

export interface ListKindDeps {
  db: Db;
  access: Pick<AccessControl, 'visibleTo'>;
  clusterName: string;
  /** For large inventories; without it SQL answers alone. */
  index?: Pick<ListIndex, 'find' | 'refresh'> | undefined;
}

export interface ListedKind<Item, Query extends ListQuery = ListQuery> {
  kind: Kind;
  /** A whole page at once: what is asked of the store for one is asked for all. */
  present(actor: Actor, resources: readonly Resource[]): Promise<Item[]> | Item[];
  derived?: Derived;
  /** A page in an order or by a filter that the inventory does not know; undefined: as any list. */
  ownPage?(actor: Actor, seen: Visibility, query: Query): Promise<ResourceList> | undefined;
}

export type ListedPage<Item> = Omit<ResourceList, 'items'> & { items: Item[] };

export async function listKind<Item, Query extends ListQuery>(
  { db, access, clusterName, index }: ListKindDeps,
  listed: ListedKind<Item, Query>,
  actor: Actor,
  query: Query,
): Promise<ListedPage<Item>> {
  // Both wait for the store, so they do it together; a failure shows where it is waited for.
  const fresh = index?.refresh();
  fresh?.catch(() => {});
  const seen = await access.visibleTo(actor, listed.kind);
  const find: ListIndex['find'] | undefined = index && ((who, plan) => index.find(who, plan, fresh));
  const { kind, derived } = listed;
  const page =
    (await listed.ownPage?.(actor, seen, query)) ??
    (await listResources(db, seen, { cluster: clusterName, kind, ...query, derived }, find && { find }));
  return { ...page, items: await listed.present(actor, page.items) };
}

/** A kind that is only a row. */
export function listedByName(kind: Kind): ListedKind<{ kind: Kind; id: string; name: string; labels: Labelled }> {
  return {
    kind,
    present: (_, resources) =>
      resources.map(({ id, name, labels }) => ({ kind, id, name, labels: visibleLabels(labels) })),
  };
}

type Labelled = ReturnType<typeof visibleLabels>;
