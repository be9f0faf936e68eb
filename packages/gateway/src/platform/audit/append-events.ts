/** Puts events at the end of a chain, each with the hash of the one before, and into the index they are found by. */
import { CompiledQuery, type Insertable, sql } from 'kysely';
import { eventText, eventWords, type Said } from '../storage/event-words.ts';
import { isPostgres } from '../storage/named-lock.ts';
import type { Tables, Tx } from '../storage/tables.ts';
import { executeTogether } from '../storage/together.ts';
import { EVENT_COLUMNS, eventHash, FIRST_HASH } from './chain.ts';
import { type EventDraft, saidIn } from './event-draft.ts';

interface NewEvent {
  row: Omit<Insertable<Tables['event']>, 'words'>;
  said: Said;
}

/** Statements have a limit on parameters: 17 an event. */
const PER_STATEMENT = 200;
/** Of SQLite: a statement of each size is prepared once, and not for each group anew. */
const SIZES = [128, 64, 32, 16, 8, 4, 2, 1] as const;
const COLUMNS = EVENT_COLUMNS.filter((column) => column !== 'id');
const NAMES = COLUMNS.map((column) => `"${column}"`).join(', ');

interface AppendOptions {
  chain: string;
  /** What else is to be written, in the same message. */
  along?: readonly CompiledQuery[];
}

/** The chain's end stays locked until the commit: call it last in the transaction. */
export async function appendEvents(
  tx: Tx,
  { chain, along = [] }: AppendOptions,
  drafts: readonly EventDraft[],
): Promise<void> {
  const end = await takePlaces(tx, { chain, along }, drafts.length);
  let { hash } = end;
  const events = drafts.map((draft, index): NewEvent => {
    const row = { ...draft, chain, chain_index: end.index + index + 1, prev_hash: hash, hash: '' };
    hash = eventHash(row);
    row.hash = hash;
    return { row, said: saidIn(draft) };
  });
  await executeTogether(tx, [
    ...(isPostgres(tx) ? insertsInPostgres(tx, events) : insertsInSqlite(events)),
    tx.updateTable('event_chain').set({ hash }).where('chain', '=', chain).compile(),
  ]);
}

/**
 * Texts of our own: putting them together by a builder costs more than the store takes to run them. The words come last and all at once:
 * SQLite writes what the index has gathered before each further statement, and has to merge those pieces afterwards.
 */
function insertsInSqlite(events: readonly NewEvent[]): CompiledQuery[] {
  const queries: CompiledQuery[] = [];
  let at = 0;
  for (const size of SIZES) {
    for (; events.length - at >= size; at += size) {
      const values: unknown[] = [];
      for (let index = at; index < at + size; index += 1) pushValues(values, (events[index] as NewEvent).row);
      queries.push(CompiledQuery.raw(insertEvents(size), values));
    }
  }
  const words = JSON.stringify(events.map(({ row, said }) => eventText(row, said)));
  queries.push(CompiledQuery.raw(INSERT_WORDS, [events.length - 1, words]));
  return queries;
}

/** In the order of `COLUMNS`. By name, as asking for each column in a loop takes several times as long. */
function pushValues(values: unknown[], row: NewEvent['row']): void {
  values.push(row.uid, row.time, row.event, row.code, row.severity, row.user, row.sign_in, row.session);
  values.push(row.resource_kind, row.resource_name, row.address, row.cluster, row.data);
  values.push(row.chain, row.chain_index, row.prev_hash, row.hash);
}

function insertEvents(size: number): string {
  const row = `(${Array(COLUMNS.length).fill('?').join(', ')})`;
  return `insert into event (${NAMES}) values ${Array(size).fill(row).join(', ')}`;
}

/** The numbers that events got are known there, and nobody waits for them here: nobody else writes meanwhile, and the last has the highest. */
const INSERT_WORDS =
  'insert into event_words (rowid, words) select (select max(id) from event) - ? + key, value from json_each(?)';

function insertsInPostgres(tx: Tx, events: readonly NewEvent[]): CompiledQuery[] {
  const queries: CompiledQuery[] = [];
  for (let at = 0; at < events.length; at += PER_STATEMENT) {
    const part = events.slice(at, at + PER_STATEMENT);
    const values = part.map(({ row, said }) => ({
      ...row,
      words: sql`array_to_tsvector(${eventWords(row, said.data)}::text[])`,
    }));
    queries.push(tx.insertInto('event').values(values).compile());
  }
  return queries;
}

/** Makes the chain longer and gives the end it had. The row stays locked until the commit, so nobody else has these places. */
async function takePlaces(
  tx: Tx,
  { chain, along }: Required<AppendOptions>,
  count: number,
): Promise<{ index: number; hash: string }> {
  const take = tx
    .updateTable('event_chain')
    .set((eb) => ({ length: eb('length', '+', count) }))
    .where('chain', '=', chain)
    .returning(['length', 'hash']);
  const answers = await executeTogether(tx, [...along, take.compile()]);
  let [end] = answers.at(-1)!.rows as { length: number; hash: string }[];
  if (!end) {
    await tx
      .insertInto('event_chain')
      .values({ chain, length: 0, hash: FIRST_HASH })
      .onConflict((conflict) => conflict.column('chain').doNothing())
      .execute();
    end = await take.executeTakeFirstOrThrow();
  }
  return { index: end.length - count, hash: end.hash };
}
