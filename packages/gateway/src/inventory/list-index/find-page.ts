/** Finds one page among the resources in memory, and counts all that belong to the list. */
import type { Visibility } from '../../access/visibility.ts';
import type { FoundPage, ListPlan } from '../list-plan.ts';
import type { IndexedResources } from './indexed-resources.ts';
import { both, count, matchingSlots, visibleSlots } from './match-slots.ts';

export function findPage(all: IndexedResources, seen: Visibility, plan: ListPlan): FoundPage {
  all.beginQuestion();
  const { column, direction } = plan.order;
  const { slots: order } = all.ordered(column);
  const visible = visibleSlots(all, seen);
  const flags = plan.filter ? both(visible, matchingSlots(all, plan.kind, plan.filter)) : visible;
  const step = direction === 'asc' ? 1 : -1;
  const page: number[] = [];
  let skip = plan.skip;
  for (let at = startOf(all, plan); at >= 0 && at < order.length && page.length <= plan.limit; at += step) {
    const slot = order[at]!;
    if (flags[slot] !== 1) continue;
    if (skip > 0) skip -= 1;
    else page.push(slot);
  }
  const next = page[plan.limit];
  return {
    seqs: page.slice(0, plan.limit).map((slot) => all.seqs[slot]!),
    next: next === undefined ? undefined : { value: all.columns[column][next]!, id: all.columns.id[next]! },
    total: plan.counts ? count(flags) : 0,
  };
}

/** The place in the order of the first item that belongs to the page or comes after it. */
function startOf(all: IndexedResources, { order: { column, direction }, from }: ListPlan): number {
  const { slots: order } = all.ordered(column);
  if (from === undefined) return direction === 'asc' ? 0 : order.length - 1;
  const before = all.countBefore(column, from.value, from.id);
  if (direction === 'asc') return before;
  const slot = order[before];
  const isThere = slot !== undefined && all.columns[column][slot] === from.value && all.columns.id[slot] === from.id;
  return isThere ? before : before - 1;
}
