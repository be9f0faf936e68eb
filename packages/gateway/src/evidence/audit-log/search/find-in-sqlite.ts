/** Finds events in the embedded store: along the ids, which grow with time, by the full-text index where there is a filter. */
import { type Expression, type SelectQueryBuilder, sql } from 'kysely';
import type { Db, Tables } from '../../../platform/storage/tables.ts';
import { conditions } from './conditions.ts';
import type { FindQuery, TimeRange } from './find-query.ts';
import { type WantedWord, wordsWanted } from './words-wanted.ts';

type EventSelect = SelectQueryBuilder<Tables, 'event', object>;

const BLOCK = 4_096;

/** The query without its columns; undefined when there cannot be anything. */
export async function selectInSqlite(db: Db, query: FindQuery): Promise<EventSelect | undefined> {
  const ids = await idsOf(db, query);
  if (!ids) return undefined;
  const { after, order, limit } = query;
  const first = after && order === 'asc' ? Math.max(ids.first, after.id + 1) : ids.first;
  const last = after && order === 'desc' ? Math.min(ids.last, after.id - 1) : ids.last;
  const match = matchText(wordsWanted(query.filter));
  // The joined table must not lead: along the index the first rows found are the page, and the rest is never read.
  const found = match
    ? (db
        .selectFrom('event_words')
        .crossJoin('event')
        .whereRef('event.id', '=', 'event_words.rowid')
        .where(sql<boolean>`event_words match ${match}`)
        .where('event_words.rowid', '>=', first)
        .where('event_words.rowid', '<=', last)
        .orderBy('event_words.rowid', order) as unknown as EventSelect)
    : db.selectFrom('event').where('event.id', '>=', first).where('event.id', '<=', last).orderBy('event.id', order);
  return found.where((eb) => conditions(eb, query, positionOf)).limit(limit);
}

/** Which ids the range lies between, give or take a block. */
async function idsOf(db: Db, { from, to }: TimeRange): Promise<{ first: number; last: number } | undefined> {
  const { low, high } = await db
    .selectFrom('event_span')
    .select((eb) => [eb.fn.min('block').as('low'), eb.fn.max('block').as('high')])
    .where('last_time', '>=', from)
    .where('first_time', '<=', to)
    .executeTakeFirstOrThrow();
  // Without a match the aggregates are null, whatever their types say.
  if (low === null || high === null) return undefined;
  return { first: Number(low) * BLOCK, last: Number(high) * BLOCK + BLOCK - 1 };
}

function matchText(wanted: readonly WantedWord[]): string | undefined {
  if (wanted.length === 0) return undefined;
  const groups = wanted.map((group) => group.map(({ word, begins }) => `"${word}"${begins ? '*' : ''}`).join(' OR '));
  return groups.map((group) => `(${group})`).join(' AND ');
}

function positionOf(piece: string, text: Expression<string>): Expression<number> {
  return sql<number>`instr(${text}, ${piece})`;
}
