/** Finds one page among the resources in memory, and counts all that belong to the list. */

import type { Visibility } from '../../access/visibility.ts';
import type { StartPlace } from '../list-order.ts';
import type { ListPlan } from '../list-resources.ts';
import type { IndexedResources } from './indexed-resources.ts';
import { matchingSlots, visibleSlots } from './match-slots.ts';

export interface FoundPage {
  /** The rows of the page in their order. */
  seqs: number[];
  /** Where the next page begins. */
  next: StartPlace | undefined;
  /** 0 when it was not asked for. */
  total: number;
}

export function findPage(all: IndexedResources, seen: Visibility, plan: ListPlan): FoundPage {
  const { column, direction } = plan.order;
  const order = all.ordered(column);
  const isVisible = visibleSlots(all, seen);
  const matches = plan.filter ? matchingSlots(all, plan.kind, plan.filter) : undefined;
  const [first, last, step] = direction === 'asc' ? [0, order.length, 1] : [order.length - 1, -1, -1];
  const start = plan.from === undefined ? first : startOf(all, plan, plan.from);
  const page: number[] = [];
  let total = 0;
  let skip = plan.skip;
  // What comes before the page is walked only to be counted.
  for (let at = plan.counts ? first : start; at !== last; at += step) {
    const slot = order[at]!;
    if (!isVisible(slot) || (matches && !matches(slot))) continue;
    total += 1;
    if (page.length > plan.limit || (at - start) * step < 0) continue;
    if (skip > 0) skip -= 1;
    else page.push(slot);
    if (page.length > plan.limit && !plan.counts) break;
  }
  const next = page[plan.limit];
  return {
    seqs: page.slice(0, plan.limit).map((slot) => all.seqs[slot]!),
    next: next === undefined ? undefined : { value: all.columns[column][next]!, id: all.columns.id[next]! },
    total: plan.counts ? total : 0,
  };
}

/** The place in the order of the first item that belongs to the page or comes after it. */
function startOf(all: IndexedResources, { order }: ListPlan, { value, id }: StartPlace): number {
  const before = all.countBefore(order.column, value, id);
  if (order.direction === 'asc') return before;
  const slot = all.ordered(order.column)[before];
  const isThere = slot !== undefined && all.columns[order.column][slot] === value && all.columns.id[slot] === id;
  return isThere ? before : before - 1;
}
