/** Searches all recordings somebody may see by what was on the screen. The index of words names recordings, their lines decide. */
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { type Session, toSession } from '../../sessions/host/session-store.ts';
import { isPostgres } from '../../storage/named-lock.ts';
import type { Db, Tables } from '../../storage/tables.ts';
import { linesOf } from '../index/line-blocks.ts';
import { type ListPlace, recordedCondition, type SessionFilter } from '../playback/recorded-sessions.ts';
import type { Hit } from './find-lines.ts';
import { matchTerms, readTerms, type Term } from './match-line.ts';

export interface RecordingSearch extends SessionFilter {
  /** Who may list it and not read it finds nothing in it. */
  alsoVisible: RawBuilder<SqlBool>;
  text: string;
  after: ListPlace | undefined;
  limit: number;
}

export interface FoundRecording {
  session: Session;
  hits: Hit[];
  moreHits: boolean;
}

const HITS_EACH = 5;
/** Blocks of one recording that are looked through for its hits. */
const BLOCKS_EACH = 48;
/** Words that are in many recordings and never in one line would have us look through all of them: the next page goes on. */
const MOST_MS = 300;
const PART = 40;

export async function searchRecordings(db: Db, query: RecordingSearch) {
  const terms = readTerms(query.text);
  const waiting = await countWaiting(db, query);
  const match = terms.some(({ words }) => words.length > 0) ? matchOf(db, terms) : undefined;
  if (match === undefined) return { found: [], next: undefined, waiting };
  const found: FoundRecording[] = [];
  const until = performance.now() + MOST_MS;
  let { after } = query;
  for (;;) {
    const candidates = await findCandidates(db, { ...query, after, limit: PART }, match);
    for (const { session, number } of candidates) {
      if (found.length >= query.limit || performance.now() > until) return { found, next: after, waiting };
      const { hits, moreHits } = await hitsIn(db, number, match, terms);
      if (hits.length > 0) found.push({ session, hits, moreHits });
      after = { created: session.created, id: session.id };
    }
    if (candidates.length < PART) return { found, next: undefined, waiting };
  }
}

interface Candidate {
  session: Session;
  number: number;
}

/** Newest first. */
async function findCandidates(
  db: Db,
  { after, alsoVisible, limit, ...filter }: Omit<RecordingSearch, 'text'>,
  match: string,
): Promise<Candidate[]> {
  const numbers = isPostgres(db)
    ? sql<{
        number: number;
      }>`(select id >> 12 as number from recording_block where words @@ ${match}::tsquery group by 1)`
    : sql<{
        number: number;
      }>`(select rowid >> 12 as number from recording_words where recording_words match ${match} group by 1)`;
  let found = db
    .selectFrom('session')
    .innerJoin('recording_index', 'recording_index.sid', 'session.id')
    .innerJoin(numbers.as('hit'), 'hit.number', 'recording_index.number')
    .selectAll('session')
    .select('recording_index.number as recording_number')
    .where((eb) => recordedCondition(db, eb, filter))
    .where(alsoVisible)
    .orderBy('session.created', 'desc')
    .orderBy('session.id', 'desc')
    .limit(limit);
  if (after) found = found.where(sql<SqlBool>`(session.created, session.id) < (${after.created}, ${after.id})`);
  const rows = await found.execute();
  return rows.map(({ recording_number: number, ...row }) => ({
    number,
    session: toSession(row as Selectable<Tables['session']>),
  }));
}

async function hitsIn(db: Db, number: number, match: string, terms: readonly Term[]) {
  const first = number * 4096;
  const end = first + 4096;
  const matching = isPostgres(db)
    ? sql<SqlBool>`words @@ ${match}::tsquery`
    : sql<SqlBool>`id in (select rowid from recording_words
        where recording_words match ${match} and rowid >= ${first} and rowid < ${end})`;
  const blocks = await db
    .selectFrom('recording_block')
    .select('lines')
    .where('id', '>=', first)
    .where('id', '<', end)
    .where(matching)
    .orderBy('id')
    .limit(BLOCKS_EACH)
    .execute();
  const hits: Hit[] = [];
  for (const { lines } of blocks) {
    for (const { ms, text: line } of linesOf(lines)) {
      const marks = matchTerms(line, terms);
      if (marks) hits.push({ ms, line, marks });
    }
    if (hits.length > HITS_EACH) break;
  }
  return { hits: hits.slice(0, HITS_EACH), moreHits: hits.length > HITS_EACH };
}

/** Words are letters and digits only, so nothing in them can end the quotes. */
function matchOf(db: Db, terms: readonly Term[]): string {
  const onPostgres = isPostgres(db);
  const wanted = terms.flatMap(({ words, begins }) =>
    words.map((word, index) => {
      const isOpen = begins && index === words.length - 1;
      if (onPostgres) return `'${word}'${isOpen ? ':*' : ''}`;
      return `"${word}"${isOpen ? '*' : ''}`;
    }),
  );
  return [...new Set(wanted)].join(onPostgres ? ' & ' : ' AND ');
}

/** Ended ones the index has not reached: what is in them is not found yet. */
async function countWaiting(db: Db, { alsoVisible, after: _, text: __, limit: ___, ...filter }: RecordingSearch) {
  const { count } = await db
    .selectFrom('session')
    .leftJoin('recording_index', 'recording_index.sid', 'session.id')
    .select(({ fn }) => fn.countAll().as('count'))
    .where((eb) => recordedCondition(db, eb, filter))
    .where(alsoVisible)
    .where('session.recorded', '=', 1)
    .where('session.ended', 'is not', null)
    .where((eb) => eb.or([eb('recording_index.sid', 'is', null), eb('recording_index.complete', '=', 0)]))
    .executeTakeFirstOrThrow();
  return Number(count);
}
