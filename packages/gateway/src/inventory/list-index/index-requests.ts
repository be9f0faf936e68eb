/** What the thread that holds resources in memory is asked, and how it answers. A shelf holds the resources of one kind in one cluster. */
import type { Visibility } from '../../access/visibility.ts';
import type { SortColumn } from '../kind-fields.ts';
import type { FoundPage, ListPlan } from '../list-plan.ts';
import { findPage } from './find-page.ts';
import { IndexedResources, type IndexedRow } from './indexed-resources.ts';

export type IndexRequest =
  /** Rows of a shelf that is being filled. */
  | { type: 'add'; shelf: string; rows: readonly IndexedRow[] }
  /** Resources of these owners, and those with these ids, are from now on only these rows. */
  | { type: 'replace'; shelf: string; owners: readonly string[]; ids: readonly string[]; rows: readonly IndexedRow[] }
  /** Sorts ahead: whoever asks first need not wait for it. */
  | { type: 'order'; shelf: string; columns: readonly SortColumn[] }
  | { type: 'find'; shelf: string; seen: Visibility; plan: ListPlan }
  | { type: 'drop'; shelf: string };

export type IndexMessage = IndexRequest & { number: number };
export type IndexReply = { number: number } & ({ found: FoundPage | undefined } | { error: string });

/** Answers requests in the order they come. */
export function createIndexShelves(): (request: IndexRequest) => FoundPage | undefined {
  const shelves = new Map<string, IndexedResources>();
  const take = (name: string) => {
    const shelf = shelves.get(name) ?? new IndexedResources();
    shelves.set(name, shelf);
    return shelf;
  };
  return (request) => {
    switch (request.type) {
      case 'add':
        take(request.shelf).add(request.rows);
        return undefined;
      case 'replace':
        take(request.shelf).replace(request);
        return undefined;
      case 'order':
        for (const column of request.columns) take(request.shelf).ordered(column);
        return undefined;
      case 'find':
        return findPage(take(request.shelf), request.seen, request.plan);
      case 'drop':
        shelves.delete(request.shelf);
        return undefined;
      default:
        return request satisfies never;
    }
  };
}
