/** Reads the log as it grows. The place a follower has reached is one number per chain: within a chain nothing is ever written behind it. */

import { z } from 'zod';
import { chainRows, type EventRow } from '../../../platform/audit/chain.ts';
import { readPageKey, writePageKey } from '../../../platform/std/page-key.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import type { EventFilter } from './find-query.ts';
import { matchesFilter } from './match-event.ts';

/** Chain → the last event read of it. */
export type Reached = Record<string, number>;

export interface FollowQuery {
  after: Reached;
  filter: EventFilter;
  limit: number;
}

export interface Followed {
  rows: EventRow[];
  after: Reached;
  more: boolean;
}

export async function chainEnds(db: Db): Promise<Reached> {
  const chains = await db.selectFrom('event_chain').select(['chain', 'length']).execute();
  return Object.fromEntries(chains.map(({ chain, length }) => [chain, length]));
}

/** Looks at no more than `limit` events, so that a filter that lets nothing through cannot hold the reader up. */
export async function followEvents(db: Db, { after, filter, limit }: FollowQuery): Promise<Followed> {
  const ends = await chainEnds(db);
  const rows: EventRow[] = [];
  const reached: Reached = {};
  let left = limit;
  let more = false;
  for (const [chain, end] of Object.entries(ends)) {
    const from = after[chain] ?? 0;
    const read = end > from && left > 0 ? await chainRows(db, chain, from, left) : [];
    left -= read.length;
    reached[chain] = Math.max(from, read.at(-1)?.chain_index ?? from);
    more ||= reached[chain] < end;
    rows.push(...read.filter((row) => matchesFilter(row, filter)));
  }
  rows.sort((a, b) => a.time - b.time || a.id - b.id);
  return { rows, after: { ...after, ...reached }, more };
}

const reachedShape = z.record(z.string().max(128), z.number().int().min(0));

export function reachedKey(reached: Reached): string {
  return writePageKey(reached);
}

export function readReachedKey(key: string): Reached {
  return readPageKey(reachedShape, key, 'place to go on from');
}
