/** Start keys of answers that are worked out: the place of the last item in the order of the list. */

import { z } from 'zod';
import { readPageKey, writePageKey } from '../../platform/std/page-key.ts';

const parts = z.array(z.string().max(2048)).min(1).max(3);

/** Items come sorted by their place. */
export function pageAfter<T>(
  items: readonly T[],
  { limit, startKey }: { limit: number; startKey: string },
  placeOf: (item: T) => readonly string[],
): { items: T[]; startKey: string; totalCount: number } {
  const from = startKey === '' ? 0 : firstAfter(items, readPlaceKey(startKey), placeOf);
  const shown = items.slice(from, from + limit);
  const last = shown.at(-1);
  const isMore = from + limit < items.length;
  return { items: shown, startKey: isMore && last ? writePageKey(placeOf(last)) : '', totalCount: items.length };
}

export function comparePlaces(a: readonly string[], b: readonly string[]): number {
  for (const [index, part] of a.entries()) {
    const other = b[index] ?? '';
    if (part !== other) return part < other ? -1 : 1;
  }
  return 0;
}

function firstAfter<T>(items: readonly T[], place: readonly string[], placeOf: (item: T) => readonly string[]): number {
  const found = items.findIndex((item) => comparePlaces(placeOf(item), place) > 0);
  return found < 0 ? items.length : found;
}

export function readPlaceKey(key: string): string[] {
  return readPageKey(parts, key);
}
