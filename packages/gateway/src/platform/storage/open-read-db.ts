/** The store once more, for reading in a thread of its own: what is slow there holds nobody up. */
import { Kysely, PostgresDialect } from 'kysely';
import { openHereChannel } from './sqlite/sqlite-channel.ts';
import { sqliteDialect } from './sqlite/sqlite-dialect.ts';
import { SqliteWriter } from './sqlite/sqlite-writer.ts';
import type { StoreSource } from './storage.ts';
import type { Db, Tables } from './tables.ts';

export interface ReadDb {
  db: Db;
  close(): Promise<void>;
}

const MAX_WAIT_MS = 60_000;
const POSTGRES_CONNECTIONS = 2;

/** The tables must be up to date: it does not migrate. */
export async function openReadDb(source: StoreSource): Promise<ReadDb> {
  return source.engine === 'sqlite' ? openSqlite(source.file) : await openPostgres(source.url);
}

function openSqlite(file: string): ReadDb {
  const channel = openHereChannel({ file, readOnly: true });
  const writer = new SqliteWriter(channel, { maxWaitMs: MAX_WAIT_MS, onPublished: () => {} });
  const db = new Kysely<Tables>({ dialect: sqliteDialect({ writer, read: (call) => channel.call(call) }) });
  return { db, close: () => channel.close() };
}

async function openPostgres(url: string): Promise<ReadDb> {
  const [{ default: pg }, { connectionFrom }, { DeadlinePool }, { LONG_READ_DEADLINE_MS: usualMs }] = await Promise.all(
    [
      import('pg'),
      import('./postgres/postgres-storage.ts'),
      import('./postgres/deadline-pool.ts'),
      import('./query-deadline.ts'),
    ],
  );
  const pool = new pg.Pool({ ...connectionFrom(url, usualMs), max: POSTGRES_CONNECTIONS, idleTimeoutMillis: 60_000 });
  // Broken connections are replaced by the pool; whoever waits for one gets the error.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new DeadlinePool(pool, { usualMs, onLost: () => {} }) }),
  });
  return { db, close: () => db.destroy() };
}
