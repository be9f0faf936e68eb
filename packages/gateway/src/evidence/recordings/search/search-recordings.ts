/** Searches all recordings somebody may see by what was on the screen. The index of words names recordings, their lines decide. */
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../../../platform/storage/named-lock.ts';
import type { Db, Tables } from '../../../platform/storage/tables.ts';
import { type Session, toSession } from '../../../sessions/host/session-store.ts';
import { unpackLines } from '../index/line-blocks.ts';
import { recordedCondition, type SessionCursor, type SessionFilter } from '../recorded-sessions.ts';
import type { Hit } from './find-lines.ts';
import { matchTerms, readTerms, type Term } from './match-line.ts';

export interface RecordingSearch extends SessionFilter {
  /** Who may list it and not read it finds nothing in it. */
  alsoVisible: RawBuilder<SqlBool>;
  text: string;
  after: SessionCursor | undefined;
  limit: number;
}

export interface FoundRecording {
  session: Session;
  hits: Hit[];
  moreHits: boolean;
}

const HITS_EACH = 5;
/** Blocks of each recording that are looked through at once, and of one whose hits are further behind. */
const FIRST_BLOCKS = 12;
const BLOCKS_EACH = 48;
/** Words that are in many recordings and never in one line would have us look through all of them: the next page goes on. */
const MAX_MS = 300;
const PART = 24;

export async function searchRecordings(db: Db, query: RecordingSearch) {
  const terms = readTerms(query.text);
  const waiting = await countWaiting(db, query);
  const match = terms.some(({ words }) => words.length > 0) ? matchOf(db, terms) : undefined;
  if (match === undefined) return { found: [], next: undefined, waiting };
  const found: FoundRecording[] = [];
  const until = performance.now() + MAX_MS;
  let { after } = query;
  for (;;) {
    const candidates = await findCandidates(db, { ...query, after, limit: PART }, match);
    const first = await firstHits(db, candidates, match, terms);
    for (const { session, number } of candidates) {
      if (found.length >= query.limit || performance.now() > until) return { found, next: after, waiting };
      const { hits, moreHits } = first.get(number) ?? (await hitsIn(db, number, match, terms));
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
  // As a list that is made once: joined, the engine goes through all of it for every session.
  const isHit = isPostgres(db)
    ? sql<SqlBool>`recording_index.number in (select id >> 12 from recording_block where words @@ ${match}::tsquery)`
    : sql<SqlBool>`recording_index.number in (
        select rowid >> 12 from recording_words where recording_words match ${match})`;
  let found = db
    .selectFrom('session')
    .innerJoin('recording_index', 'recording_index.sid', 'session.id')
    .selectAll('session')
    .select('recording_index.number as recording_number')
    .where((eb) => recordedCondition(db, eb, filter))
    .where(alsoVisible)
    .where(isHit)
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

interface Hits {
  hits: Hit[];
  moreHits: boolean;
}

/** From the first blocks of each, all in one question; left out are those that must be looked through further. */
async function firstHits(
  db: Db,
  candidates: readonly Candidate[],
  match: string,
  terms: readonly Term[],
): Promise<Map<number, Hits>> {
  const numbers = candidates.map(({ number }) => number);
  const found = new Map<number, Hits>();
  if (numbers.length === 0) return found;
  const { rows } = await (isPostgres(db)
    ? sql<FoundBlock>`select id, lines, total from (
        select id, lines, row_number() over each as place, count(*) over (partition by id >> 12) as total
        from recording_block where words @@ ${match}::tsquery and id >> 12 in (${sql.join(numbers)})
        window each as (partition by id >> 12 order by id)) as placed where place <= ${FIRST_BLOCKS} order by id`.execute(
        db,
      )
    : sqliteFirst(db, numbers, match));
  const blocks = Map.groupBy(rows, ({ id }) => Math.floor(id / 4096));
  for (const [number, part] of blocks) {
    const hits = hitsOf(part, terms);
    const isAll = (part[0]?.total ?? 0) <= part.length;
    // Looking through one by itself costs as much as the first look at all of them.
    if (hits.length > 0 || isAll)
      found.set(number, { hits: hits.slice(0, HITS_EACH), moreHits: hits.length > HITS_EACH || !isAll });
  }
  return found;
}

interface FoundBlock {
  id: number;
  lines: Uint8Array;
  /** How many blocks of the recording have the words. */
  total: number;
}

/** As a select that readers take: raw statements go to the one writer. */
async function sqliteFirst(db: Db, numbers: readonly number[], match: string): Promise<{ rows: FoundBlock[] }> {
  const placed = sql<FoundBlock & { place: number }>`(select rowid as id,
      row_number() over (partition by rowid >> 12 order by rowid) as place,
      count(*) over (partition by rowid >> 12) as total
    from recording_words where recording_words match ${match} and rowid >> 12 in (${sql.join(numbers)}))`;
  const rows = await db
    .selectFrom(placed.as('placed'))
    .innerJoin('recording_block', 'recording_block.id', 'placed.id')
    .select(['recording_block.id', 'recording_block.lines', 'placed.total'])
    .where('placed.place', '<=', FIRST_BLOCKS)
    .orderBy('recording_block.id')
    .execute();
  return { rows };
}

async function hitsIn(db: Db, number: number, match: string, terms: readonly Term[]): Promise<Hits> {
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
  const hits = hitsOf(blocks, terms);
  return { hits: hits.slice(0, HITS_EACH), moreHits: hits.length > HITS_EACH };
}

function hitsOf(blocks: readonly Pick<FoundBlock, 'lines'>[], terms: readonly Term[]): Hit[] {
  const hits: Hit[] = [];
  for (const { lines } of blocks) {
    for (const { ms, text: line } of unpackLines(lines)) {
      const marks = matchTerms(line, terms);
      if (marks) hits.push({ ms, line, marks });
    }
    if (hits.length > HITS_EACH) break;
  }
  return hits;
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
