/** What searching, proving, shortening and handing on the audit log takes. */
import { type Kysely, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import { eventWords, type MarkedColumns } from '../event-words.ts';
import type { Migration } from '../migrate.ts';

const FIRST_HASH = '0'.repeat(64);

export const auditLog: Migration = {
  number: 10,
  name: 'audit-log',
  async up(db, engine) {
    const { text, integer } = columnTypes(engine);
    await db.schema
      .alterTable('event_chain')
      .addColumn('start_index', integer, (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('event_chain')
      .addColumn('start_hash', text, (column) => column.notNull().defaultTo(FIRST_HASH))
      .execute();

    await db.schema
      .createTable('event_checkpoint')
      .addColumn('number', integer, (column) => column.primaryKey())
      .addColumn('time', integer, (column) => column.notNull())
      .addColumn('body', text, (column) => column.notNull())
      .addColumn('signature', text, (column) => column.notNull())
      .execute();

    await db.schema
      .createTable('event_sink')
      .addColumn('sink', text, (column) => column.notNull())
      .addColumn('chain', text, (column) => column.notNull())
      .addColumn('delivered', integer, (column) => column.notNull())
      .addPrimaryKeyConstraint('event_sink_key', ['sink', 'chain'])
      .execute();

    await (engine === 'sqlite' ? searchInSqlite(db) : searchInPostgres(db));
  },
};

/**
 * The words of an event and its columns as marked words are one full-text index, which intersects any filters and walks
 * newest first. `event_span` says which ids a time range can lie between, whatever the clock did meanwhile.
 */
async function searchInSqlite(db: Kysely<unknown>): Promise<void> {
  for (const index of ['event_time', 'event_event', 'event_user', 'event_session']) {
    await db.schema.dropIndex(index).execute();
  }
  await sql`create virtual table event_words using fts5(
    words, content='', contentless_delete=1, detail=none, tokenize='unicode61 remove_diacritics 0')`.execute(db);
  await sql`create table event_span (
    block integer primary key, first_time integer not null, last_time integer not null)`.execute(db);
  await sql`create trigger event_added after insert on event begin
    insert into event_span (block, first_time, last_time) values (new.id >> 12, new.time, new.time)
    on conflict (block) do update set
      first_time = min(first_time, excluded.first_time), last_time = max(last_time, excluded.last_time);
  end`.execute(db);
  await sql`create trigger event_removed after delete on event begin
    delete from event_words where rowid = old.id;
  end`.execute(db);
  await sql`insert into event_span (block, first_time, last_time)
    select id >> 12, min(time), max(time) from event group by id >> 12`.execute(db);
  await eachEvent(db, async ({ id, ...row }) => {
    const words = eventWords(row, JSON.parse(row.data)).join(' ');
    await sql`insert into event_words (rowid, words) values (${id}, ${words})`.execute(db);
  });
}

async function searchInPostgres(db: Kysely<unknown>): Promise<void> {
  // As text it stays byte for byte what was hashed.
  await sql`alter table event alter column data type text collate "C" using data::text`.execute(db);
  await sql`alter table event add column words tsvector not null default ''`.execute(db);
  await eachEvent(db, async ({ id, ...row }) => {
    const data: unknown = JSON.parse(row.data);
    const words = eventWords(row, data);
    await sql`update event set data = ${inOrder(data)}, words = array_to_tsvector(${words}::text[]) where id = ${id}`.execute(
      db,
    );
  });
  await sql`create index event_words on event using gin (words)`.execute(db);
  await sql`create index event_about on event (resource_kind, resource_name, time, id)`.execute(db);
  await sql`create index event_address on event (address, time, id)`.execute(db);
  await sql`create index event_trouble on event (severity, time, id) where severity <> 'info'`.execute(db);
}

type OldEvent = MarkedColumns & { id: number; data: string };

async function eachEvent(db: Kysely<unknown>, work: (event: OldEvent) => Promise<void>): Promise<void> {
  for (let after = 0; ; ) {
    const { rows } = await sql<OldEvent>`select * from event where id > ${after} order by id limit 1000`.execute(db);
    for (const row of rows) await work(row);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}

/** Keys sorted, as they were when the event was hashed; jsonb had put them into an order of its own. */
function inOrder(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOrder).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const pairs = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${pairs.map(([key, inner]) => `${JSON.stringify(key)}:${inOrder(inner)}`).join(',')}}`;
}
