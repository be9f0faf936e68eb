/** Counts what a search finds: over time, and by type, user, severity and kind. Bounded, because the screen asks at every change. */
import type { EventCounts } from '@gatehouse/contract/audit/search';
import type { Db } from '../../../platform/storage/tables.ts';
import type { EventCursor, EventFilter, FindQuery, TimeRange } from './find-query.ts';
import { selectEvents } from './select-events.ts';

/** Beyond this the older ones are not counted. */
const MAX_COUNTED = 100_000;
const PART = 20_000;
/** Values shown of each facet. */
const MAX_VALUES = 50;

export interface CountQuery extends TimeRange {
  filter: EventFilter;
  buckets: number;
}

interface CountedRow {
  id: number;
  time: number;
  event: string;
  severity: string;
  user: string;
  resource_kind: string;
}

export async function countEvents(db: Db, { from, to, filter, buckets }: CountQuery): Promise<EventCounts> {
  const bucketMs = Math.max(1, Math.ceil((to - from + 1) / buckets));
  const tally = new Tally(from, bucketMs, Math.ceil((to - from + 1) / bucketMs));
  let after: EventCursor | undefined;
  for (let counted = 0; counted < MAX_COUNTED; counted += PART) {
    const rows = await selectCounted(db, { from, to, filter, after, order: 'desc', limit: PART });
    for (const row of rows) tally.add(row);
    if (rows.length < PART) return tally.result({ from, to, countedFrom: undefined });
    after = rows.at(-1)!;
  }
  return tally.result({ from, to, countedFrom: after!.time });
}

async function selectCounted(db: Db, query: FindQuery): Promise<CountedRow[]> {
  const found = await selectEvents(db, query);
  if (!found) return [];
  const columns = ['id', 'time', 'event', 'severity', 'user', 'resource_kind'] as const;
  return await found.select(columns.map((column) => `event.${column}` as const)).execute();
}

class Tally {
  readonly #from: number;
  readonly #bucketMs: number;
  readonly #buckets: Record<string, number>[];
  readonly #types = new Map<string, number>();
  readonly #users = new Map<string, number>();
  readonly #severities = new Map<string, number>();
  readonly #kinds = new Map<string, number>();
  #total = 0;

  constructor(from: number, bucketMs: number, buckets: number) {
    this.#from = from;
    this.#bucketMs = bucketMs;
    this.#buckets = Array.from({ length: buckets }, () => ({ info: 0, warning: 0, error: 0 }));
  }

  add({ time, event, severity, user, resource_kind }: CountedRow): void {
    this.#total += 1;
    const bucket = this.#buckets[Math.floor((time - this.#from) / this.#bucketMs)];
    if (bucket) bucket[severity] = (bucket[severity] ?? 0) + 1;
    raise(this.#types, event);
    raise(this.#users, user);
    raise(this.#severities, severity);
    raise(this.#kinds, resource_kind);
  }

  result({ from, to, countedFrom }: TimeRange & { countedFrom: number | undefined }): EventCounts {
    return {
      from: iso(from),
      to: iso(to),
      bucketMs: this.#bucketMs,
      buckets: this.#buckets.map(({ info = 0, warning = 0, error = 0 }, index) => ({
        time: iso(from + index * this.#bucketMs),
        info,
        warning,
        error,
      })),
      total: this.#total,
      complete: countedFrom === undefined,
      countedFrom: iso(countedFrom ?? from),
      types: mostFrequent(this.#types),
      users: mostFrequent(this.#users),
      severities: mostFrequent(this.#severities),
      kinds: mostFrequent(this.#kinds),
    };
  }
}

function raise(counts: Map<string, number>, value: string): void {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}

/** Events without a user or kind are in the total, not among the values one can choose. */
function mostFrequent(counts: Map<string, number>): { value: string; count: number }[] {
  return [...counts]
    .filter(([value]) => value !== '')
    .sort(([a, first], [b, second]) => second - first || (a < b ? -1 : 1))
    .slice(0, MAX_VALUES)
    .map(([value, count]) => ({ value, count }));
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
