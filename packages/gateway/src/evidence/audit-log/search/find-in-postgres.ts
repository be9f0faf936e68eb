/** Finds events in PostgreSQL: by time, with its indexes for columns and words. */
import { type Expression, type SelectQueryBuilder, sql } from 'kysely';
import type { Db, Tables } from '../../../platform/storage/tables.ts';
import { conditions } from './conditions.ts';
import type { FindQuery } from './find-query.ts';
import { NO_FILTER } from './find-query.ts';
import { type WantedWord, wordsWanted } from './words-wanted.ts';

type EventSelect = SelectQueryBuilder<Tables, 'event', object>;

export function selectInPostgres(db: Db, query: FindQuery): EventSelect {
  const { after, order, limit, filter } = query;
  // The columns have indexes of their own here; only what is text needs the words.
  const { session, signIn, requestId, search } = filter;
  const match = matchText(wordsWanted({ ...NO_FILTER, session, signIn, requestId, search }));
  let found = db
    .selectFrom('event')
    .where((eb) => conditions(eb, query, positionOf))
    .orderBy('event.time', order)
    .orderBy('event.id', order)
    .limit(limit);
  if (match) found = found.where(sql<boolean>`event.words @@ ${match}::tsquery`);
  if (after) {
    const behind = order === 'desc' ? sql`<` : sql`>`;
    found = found.where(sql<boolean>`(event.time, event.id) ${behind} (${after.time}, ${after.id})`);
  }
  return found;
}

/** Words are letters and digits only, so nothing in them can end the quotes. */
function matchText(wanted: readonly WantedWord[]): string | undefined {
  if (wanted.length === 0) return undefined;
  const groups = wanted.map((group) => group.map(({ word, begins }) => `'${word}'${begins ? ':*' : ''}`).join(' | '));
  return groups.map((group) => `(${group})`).join(' & ');
}

function positionOf(piece: string, text: Expression<string>): Expression<number> {
  return sql<number>`strpos(${text}, ${piece})`;
}
