/** The first tables: facts about the database, alerts, sealed secrets, and the change feed. */
import { type Kysely, sql } from 'kysely';
import { columnTypes } from '../column-types.ts';
import type { Migration } from '../migrate.ts';
import type { Engine } from '../tables.ts';

export const foundation: Migration = {
  number: 1,
  name: 'foundation',
  async up(db, engine) {
    const { text, json, integer } = columnTypes(engine);

    await db.schema
      .createTable('meta')
      .addColumn('key', text, (column) => column.primaryKey())
      .addColumn('value', text, (column) => column.notNull())
      .execute();

    await db.schema
      .createTable('alert')
      .addColumn('name', text, (column) => column.primaryKey())
      .addColumn('severity', 'integer', (column) => column.notNull())
      .addColumn('message', text, (column) => column.notNull())
      .addColumn('labels', json, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('expires', integer)
      .execute();

    await db.schema
      .createTable('secret')
      .addColumn('name', text, (column) => column.primaryKey())
      .addColumn('sealed', text, (column) => column.notNull())
      .addColumn('created', integer, (column) => column.notNull())
      .addColumn('updated', integer, (column) => column.notNull())
      .execute();

    await createChanges(db, engine);
  },
};

async function createChanges(db: Kysely<unknown>, engine: Engine): Promise<void> {
  const { text, json, integer } = columnTypes(engine);
  await db.schema
    .createTable('change')
    .addColumn('position', integer, (column) =>
      engine === 'sqlite' ? column.primaryKey().autoIncrement() : column.primaryKey().generatedByDefaultAsIdentity(),
    )
    .addColumn('topic', text, (column) => column.notNull())
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('data', json)
    .addColumn('time', integer, (column) => column.notNull().defaultTo(nowMs(engine)))
    .execute();
  await db.schema.createIndex('change_time').on('change').column('time').execute();
  if (engine === 'postgres') await orderByCommit(db);
}

/** The database's own clock: the gateways' clocks may differ, and their rows are pruned by one measure. */
function nowMs(engine: Engine) {
  return engine === 'sqlite'
    ? sql`(cast(unixepoch('subsec') * 1000 as integer))`
    : sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
}

/**
 * In PostgreSQL a row has its position before its transaction commits, so a reader that has seen 11 would miss 10 that
 * commits later. Therefore each row gets its final position at the very end of its transaction, under a lock that is
 * held until the commit is visible. No other lock is taken after it, so it cannot deadlock with the transaction's own.
 */
async function orderByCommit(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function change_take_position() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(hashtext('gatehouse change'));
      update change set position = nextval(pg_get_serial_sequence('change', 'position')) where position = new.position;
      perform pg_notify('gatehouse_change', '');
      return null;
    end $$`.execute(db);
  await sql`
    create constraint trigger change_commit_order after insert on change
    deferrable initially deferred for each row execute function change_take_position()`.execute(db);
}
