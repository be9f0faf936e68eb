/** Reads pages of events from whichever engine holds the log. */
import { EVENT_COLUMNS, type EventRow } from '../../audit/chain.ts';
import type { Db } from '../../storage/tables.ts';
import type { FindQuery, Place } from './find-query.ts';
import { selectEvents } from './select-events.ts';

/** Read in parts, so that a page of long events is never whole in memory twice. */
const PART = 1_000;
/** A page ends early rather than be larger than this. */
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024;

export interface FoundPage {
  rows: EventRow[];
  /** Where the next page begins; undefined when this was the last. */
  next: Place | undefined;
}

export async function findEvents(db: Db, query: FindQuery): Promise<FoundPage> {
  const rows: EventRow[] = [];
  let characters = 0;
  let { after } = query;
  while (rows.length < query.limit && characters < MAX_PAGE_CHARACTERS) {
    // One more than wanted tells whether there is a next page.
    const limit = Math.min(PART, query.limit - rows.length) + 1;
    const part = await select(db, { ...query, after, limit });
    const isLast = part.length < limit;
    const kept = isLast ? part : part.slice(0, -1);
    for (const row of kept) {
      rows.push(row);
      characters += row.data.length;
    }
    if (isLast) return { rows, next: undefined };
    after = placeOf(kept.at(-1)!);
  }
  return { rows, next: after };
}

function placeOf({ time, id }: EventRow): Place {
  return { time, id };
}

async function select(db: Db, query: FindQuery): Promise<EventRow[]> {
  const found = await selectEvents(db, query);
  const columns = EVENT_COLUMNS.map((column) => `event.${column}` as const);
  return found ? await found.select(columns).execute() : [];
}
