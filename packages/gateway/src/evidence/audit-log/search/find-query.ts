/** What is looked for in the log, once the defaults are filled in. */

import type { EventSearchQuery } from '@gatehouse/contract/audit/search-query';
import { z } from 'zod';
import { readPageKey, writePageKey } from '../../../platform/std/page-key.ts';

export type EventFilter = Pick<
  EventSearchQuery,
  | 'include'
  | 'code'
  | 'severity'
  | 'user'
  | 'resourceKind'
  | 'resourceName'
  | 'session'
  | 'address'
  | 'signIn'
  | 'requestId'
  | 'search'
>;

export interface TimeRange {
  /** Both ends belong to it. */
  from: number;
  to: number;
}

/** A place between two events in the order of a search. */
export interface EventCursor {
  time: number;
  id: number;
}

export interface FindQuery extends TimeRange {
  filter: EventFilter;
  order: 'asc' | 'desc';
  limit: number;
  /** Only what comes behind it. */
  after: EventCursor | undefined;
}

export const NO_FILTER: EventFilter = {
  include: [],
  code: [],
  severity: [],
  user: undefined,
  resourceKind: undefined,
  resourceName: undefined,
  session: undefined,
  address: undefined,
  signIn: undefined,
  requestId: undefined,
  search: undefined,
};

const MONTH_MS = 30 * 86_400_000;

export function rangeOf({ from, to }: { from?: number | undefined; to?: number | undefined }, now: number): TimeRange {
  const end = to ?? now;
  return { from: from ?? end - MONTH_MS, to: end };
}

const place = z.tuple([z.number().int(), z.number().int().min(0)]);

export function placeKey({ time, id }: EventCursor): string {
  return writePageKey([time, id]);
}

export function readPlaceKey(key: string | undefined): EventCursor | undefined {
  if (key === undefined) return undefined;
  const [time, id] = readPageKey(place, key);
  return { time, id };
}
