/** In which order a list comes, and the keys by which it goes on: each names the first item of a page and the order it belongs to. */

import { factsOf, type Kind } from '@gatehouse/contract/kinds/kinds';
import { z } from 'zod';
import { AppError } from '../platform/std/app-error.ts';
import { readPageKey, writePageKey } from '../platform/std/page-key.ts';
import { type SortColumn, sortColumn } from './kind-fields.ts';

export interface ListOrder {
  column: SortColumn;
  direction: 'asc' | 'desc';
}

/** Where a page begins: what its first item has in the column, and its id. */
export interface PageCursor {
  value: string;
  id: string;
}

const startKeyParts = z.tuple([z.string().max(16), z.string().max(1024), z.string().max(1024)]);

/** What is not asked for comes by name. */
export function parseSort(kind: Kind, sort: string | undefined): ListOrder {
  if (sort === undefined) return { column: 'name', direction: 'asc' };
  const [field = '', direction = 'asc', ...rest] = sort.split(':');
  const column = sortColumn(kind, field);
  if (!column) {
    const known = factsOf(kind).sortable.join(', ');
    // As the wire reference has it: what a list has no order by may come to be there.
    throw new AppError('not_available', `sort names '${field.slice(0, 40)}'; this list can be sorted by ${known}`);
  }
  if ((direction !== 'asc' && direction !== 'desc') || rest.length > 0) {
    throw new AppError('bad_request', `sort must end with :asc or :desc, not ':${direction.slice(0, 20)}'`);
  }
  return { column, direction };
}

export function encodeStartKey(order: ListOrder, { value, id }: PageCursor): string {
  return writePageKey([markOf(order), value, id]);
}

export function decodeStartKey(order: ListOrder, text: string): PageCursor {
  const [mark, value, id] = readPageKey(startKeyParts, text);
  if (mark !== markOf(order)) throw new AppError('bad_request', 'the start key belongs to a list in another order');
  return { value, id };
}

function markOf({ column, direction }: ListOrder): string {
  return `${column}:${direction}`;
}
