/** Puts events at the end of a chain, each with the hash of the one before, and into the index they are found by. */
import { type Insertable, sql } from 'kysely';
import { eventWords } from '../storage/event-words.ts';
import { readJson } from '../storage/json.ts';
import { isPostgres } from '../storage/named-lock.ts';
import type { Tables, Tx } from '../storage/tables.ts';
import { eventHash, FIRST_HASH } from './chain.ts';
import type { EventDraft } from './event-draft.ts';

type NewRow = Omit<Insertable<Tables['event']>, 'words'>;

/** Statements have a limit on parameters: 17 an event. */
const PER_STATEMENT = 200;

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
  for (let at = 0; at < rows.length; at += PER_STATEMENT) {
    const part = rows.slice(at, at + PER_STATEMENT);
    await (isPostgres(tx) ? insertInPostgres(tx, part) : insertInSqlite(tx, part));
  }
  await tx.updateTable('event_chain').set({ hash }).where('chain', '=', chain).execute();
}

async function insertInSqlite(tx: Tx, rows: readonly NewRow[]): Promise<void> {
  const added = await tx.insertInto('event').values(rows).returning(['id', 'uid']).execute();
  const ids = new Map(added.map(({ id, uid }) => [uid, id]));
  await tx
    .insertInto('event_words')
    .values(rows.map((row) => ({ rowid: ids.get(row.uid)!, words: wordsOf(row).join(' ') })))
    .execute();
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
