/** Puts events at the end of a chain, each with the hash of the one before, and into the index they are found by. */
import { CompiledQuery, type Insertable, sql } from 'kysely';
import { eventWords } from '../storage/event-words.ts';
import { readJson } from '../storage/json.ts';
import { isPostgres } from '../storage/named-lock.ts';
import type { Tables, Tx } from '../storage/tables.ts';
import { EVENT_COLUMNS, eventHash, FIRST_HASH } from './chain.ts';
import type { EventDraft } from './event-draft.ts';

type NewRow = Omit<Insertable<Tables['event']>, 'words'>;

/** Statements have a limit on parameters: 17 an event. */
const PER_STATEMENT = 200;
/** Of SQLite: a statement of each size is prepared once, and not for each group anew. */
const SIZES = [128, 64, 32, 16, 8, 4, 2, 1] as const;
const COLUMNS = EVENT_COLUMNS.filter((column) => column !== 'id');

/** The chain's end stays locked until the commit: call it last in the transaction. */
export async function appendEvents(tx: Tx, chain: string, drafts: readonly EventDraft[]): Promise<void> {
  if (drafts.length === 0) return;
  const end = await takePlaces(tx, chain, drafts.length);
  let { hash } = end;
  const rows = drafts.map((draft, index): NewRow => {
    const row = { ...draft, chain, chain_index: end.index + index + 1, prev_hash: hash };
    hash = eventHash(row);
    return { ...row, hash };
  });
  if (isPostgres(tx)) {
    for (let at = 0; at < rows.length; at += PER_STATEMENT)
      await insertInPostgres(tx, rows.slice(at, at + PER_STATEMENT));
  } else await insertInSqlite(tx, rows);
  await tx.updateTable('event_chain').set({ hash }).where('chain', '=', chain).execute();
}

/** Texts of our own: putting them together by a builder costs more than the store takes to run them. */
async function insertInSqlite(tx: Tx, rows: readonly NewRow[]): Promise<void> {
  let at = 0;
  for (const size of SIZES) {
    for (; rows.length - at >= size; at += size) {
      const part = rows.slice(at, at + size);
      const values = part.flatMap((row) => COLUMNS.map((column) => row[column]));
      const added = await tx.executeQuery<{ id: number; uid: string }>(CompiledQuery.raw(insertEvents(size), values));
      const ids = new Map(added.rows.map(({ id, uid }) => [uid, id]));
      const words = part.flatMap((row) => [ids.get(row.uid), wordsOf(row).join(' ')]);
      await tx.executeQuery(CompiledQuery.raw(insertWords(size), words));
    }
  }
}

function insertEvents(size: number): string {
  const names = COLUMNS.map((column) => `"${column}"`).join(', ');
  return `insert into event (${names}) values ${placesFor(size, COLUMNS.length)} returning id, uid`;
}

function insertWords(size: number): string {
  return `insert into event_words (rowid, words) values ${placesFor(size, 2)}`;
}

function placesFor(rows: number, columns: number): string {
  const row = `(${Array(columns).fill('?').join(', ')})`;
  return Array(rows).fill(row).join(', ');
}

async function insertInPostgres(tx: Tx, rows: readonly NewRow[]): Promise<void> {
  await tx
    .insertInto('event')
    .values(rows.map((row) => ({ ...row, words: sql`array_to_tsvector(${wordsOf(row)}::text[])` })))
    .execute();
}

function wordsOf(row: NewRow): string[] {
  return eventWords(row, readJson(row.data));
}

/** Makes the chain longer and gives the end it had. The row stays locked until the commit, so nobody else has these places. */
async function takePlaces(tx: Tx, chain: string, count: number): Promise<{ index: number; hash: string }> {
  const take = () =>
    tx
      .updateTable('event_chain')
      .set((eb) => ({ length: eb('length', '+', count) }))
      .where('chain', '=', chain)
      .returning(['length', 'hash'])
      .executeTakeFirst();
  let end = await take();
  if (!end) {
    await tx
      .insertInto('event_chain')
      .values({ chain, length: 0, hash: FIRST_HASH })
      .onConflict((conflict) => conflict.column('chain').doNothing())
      .execute();
    end = (await take())!;
  }
  return { index: end.length - count, hash: end.hash };
}
