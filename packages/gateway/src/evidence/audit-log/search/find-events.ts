/** Reads pages of events from whichever engine holds the log. */
import { EVENT_COLUMNS, type EventRow } from '../../../platform/audit/chain.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import type { EventCursor, FindQuery } from './find-query.ts';
import { selectEvents } from './select-events.ts';

/** Read in parts, so that a page of long events is never whole in memory twice. */
const PART = 1_000;
/** A page ends early rather than be larger than this. */
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024;

/** What an event on the wire is made of; a page without proofs reads no more. */
const WIRE_COLUMNS = ['id', 'time', 'event', 'code', 'uid', 'cluster', 'data'] as const;
export type WireRow = Pick<EventRow, (typeof WIRE_COLUMNS)[number]>;

export interface FoundPage<Row> {
  rows: Row[];
  /** Where the next page begins; undefined when this was the last. */
  next: EventCursor | undefined;
}

/** With everything that was hashed. */
export async function findEvents(db: Db, query: FindQuery): Promise<FoundPage<EventRow>> {
  return await readPage(query, async (part) => {
    const found = await selectEvents(db, part);
    return found ? await found.select(EVENT_COLUMNS.map((column) => `event.${column}` as const)).execute() : [];
  });
}

export async function findWireEvents(db: Db, query: FindQuery): Promise<FoundPage<WireRow>> {
  return await readPage(query, async (part) => {
    const found = await selectEvents(db, part);
    return found ? await found.select(WIRE_COLUMNS.map((column) => `event.${column}` as const)).execute() : [];
  });
}

async function readPage<Row extends WireRow>(
  query: FindQuery,
  select: (part: FindQuery) => Promise<Row[]>,
): Promise<FoundPage<Row>> {
  const rows: Row[] = [];
  let characters = 0;
  let { after } = query;
  while (rows.length < query.limit && characters < MAX_PAGE_CHARACTERS) {
    // One more than wanted tells whether there is a next page.
    const limit = Math.min(PART, query.limit - rows.length) + 1;
    const part = await select({ ...query, after, limit });
    const isLast = part.length < limit;
    const kept = isLast ? part : part.slice(0, -1);
    for (const row of kept) {
      rows.push(row);
      characters += row.data.length;
    }
    if (isLast) return { rows, next: undefined };
    const { time, id } = kept.at(-1)!;
    after = { time, id };
  }
  return { rows, next: after };
}
