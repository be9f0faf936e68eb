/** Brings the tables to the shape this program knows, one transaction per step (or for all of them where nothing is yet), and refuses a database that is ahead of it. */
import type { Kysely } from 'kysely';
import type { Log } from '../std/log.ts';
import { StartError } from '../std/start-error.ts';
import type { Db, Engine, Tables, Tx } from './tables.ts';

export interface Migration {
  number: number;
  name: string;
  /** Given a handle without table types: old steps must compile whatever the tables have become. */
  up(db: Kysely<unknown>, engine: Engine): Promise<void>;
}

interface MigrateOptions {
  engine: Engine;
  migrations: readonly Migration[];
  /** Called once, before the first step, when the database already holds data. */
  backUp?: (first: Migration) => Promise<void>;
  log: Log;
  now: () => number;
}

/** The caller holds a lock against other gateways meanwhile. */
export async function migrate(db: Db, { engine, migrations, backUp, log, now }: MigrateOptions): Promise<void> {
  await createMigrationTable(db, engine);
  const applied = await db.selectFrom('migration').selectAll().orderBy('number').execute();
  refuseForeign(applied, migrations);
  const pending = migrations.slice(applied.length);
  if (pending.length === 0) return;

  const take = async (tx: Tx, migration: Migration) => {
    await migration.up(untyped(tx), engine);
    await tx
      .insertInto('migration')
      .values({ number: migration.number, name: migration.name, applied: now() })
      .execute();
  };
  if (applied.length === 0) {
    // Nothing is there to lose: all at once is written to disk once, and whoever starts for the first time waits for it.
    await db.transaction().execute(async (tx) => {
      for (const migration of pending) await take(tx, migration);
    });
    log.info({ migration: label(pending.at(-1)!) }, 'database made');
    return;
  }
  await backUp?.(pending[0]!);
  for (const migration of pending) {
    await db.transaction().execute((tx) => take(tx, migration));
    log.info({ migration: label(migration) }, 'database migrated');
  }
}

async function createMigrationTable(db: Db, engine: Engine): Promise<void> {
  await db.schema
    .createTable('migration')
    .ifNotExists()
    .addColumn('number', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('applied', engine === 'sqlite' ? 'integer' : 'bigint', (column) => column.notNull())
    .execute();
}

function refuseForeign(applied: readonly Pick<Tables['migration'], 'number' | 'name'>[], known: readonly Migration[]) {
  const newest = known.at(-1)!;
  const last = applied.at(-1);
  if (last && last.number > newest.number) {
    throw new StartError(
      `the database is at version ${label(last)}, written by a newer Gatehouse; this one knows versions up to ` +
        `${label(newest)}: start the newer Gatehouse, or restore a backup taken before the upgrade`,
    );
  }
  for (const [index, step] of applied.entries()) {
    const expected = known[index]!;
    if (step.number === expected.number && step.name === expected.name) continue;
    throw new StartError(
      `the database went through step ${label(step)} where this Gatehouse has ${label(expected)}: they do not belong together`,
    );
  }
}

function label({ number, name }: Pick<Migration, 'number' | 'name'>): string {
  return `${String(number).padStart(4, '0')}-${name}`;
}

function untyped(tx: Tx): Kysely<unknown> {
  return tx as unknown as Kysely<unknown>;
}
