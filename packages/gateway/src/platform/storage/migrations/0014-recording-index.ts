/** What searching in recordings takes: how far each is read, and the lines that were on its screen with their words. */
import { sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';

export const recordingIndex: Migration = {
  number: 14,
  name: 'recording-index',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    const number = engine === 'sqlite' ? sql`integer primary key autoincrement` : sql`bigserial primary key`;
    await sql`create table recording_index (
      number ${number},
      sid ${text} not null unique,
      version integer not null,
      blocks integer not null,
      complete integer not null,
      lines_complete integer not null,
      bytes ${sql.raw(integer)} not null,
      indexed ${sql.raw(integer)} not null,
      failures integer not null,
      lease ${sql.raw(integer)} not null)`.execute(db);
    // Lists of recordings begin with the newest.
    await db.schema.createIndex('session_created').on('session').columns(['cluster', 'created', 'id']).execute();
    if (engine === 'sqlite') {
      await sql`create table recording_block (id integer primary key, lines blob not null)`.execute(db);
      await sql`create virtual table recording_words using fts5(
        words, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 0')`.execute(db);
      await sql`create trigger recording_block_removed after delete on recording_block begin
        delete from recording_words where rowid = old.id;
      end`.execute(db);
      return;
    }
    await sql`create table recording_block (
      id bigint primary key, lines bytea not null, words tsvector not null)`.execute(db);
    await sql`create index recording_words on recording_block using gin (words)`.execute(db);
  },
};
