/** The shared store of several gateways: PostgreSQL through its driver. */
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Log } from '../../std/log.ts';
import { StartError } from '../../std/start-error.ts';
import { CLUSTER_ID, readClusterIdentity } from '../cluster-identity.ts';
import { probeWrite, readMeta } from '../meta.ts';
import { type Migration, migrate } from '../migrate.ts';
import { MIGRATION_DEADLINE_MS, USUAL_DEADLINE_MS, withDeadline } from '../query-deadline.ts';
import type { Storage } from '../storage.ts';
import type { StoreGuard } from '../store-guard.ts';
import type { Db, Tables } from '../tables.ts';
import { DeadlinePool } from './deadline-pool.ts';
import { listenForChanges } from './postgres-listener.ts';

const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 5_000;
/** A transaction forgotten by its owner holds locks that others wait for. */
const IDLE_TRANSACTION_MS = 15_000;
/** An idle connection is asked by the system whether it is still there. */
const KEEP_ALIVE_MS = 10_000;

const INT8 = 20;
const NUMERIC = 1700;
const JSON_TYPE = 114;
const JSONB = 3802;

interface PostgresOptions {
  migrations: readonly Migration[];
  log: Log;
  now: () => number;
  guard?: StoreGuard;
}

export async function openPostgresStorage(
  url: string,
  { migrations, log, now, guard }: PostgresOptions,
): Promise<Storage> {
  const connect = connectionFrom(url);
  const pool = new pg.Pool({ ...connect, max: MAX_CONNECTIONS, idleTimeoutMillis: 60_000 });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ error }, 'idle database connection lost'));
  // So would one that breaks between two statements of a transaction; its next statement fails anyway.
  pool.on('connect', (client) => client.on('error', (error) => log.debug({ error }, 'database connection lost')));
  const onLost = (error: Error) => log.warn({ error }, 'a database connection did not answer and was given up');
  const errors: ((error: unknown) => void)[] = [];
  const onError = (error: unknown) => {
    for (const listener of errors) listener(error);
  };
  const bounded = new DeadlinePool(pool, { usualMs: USUAL_DEADLINE_MS, onLost, onError });
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: bounded }) });
  try {
    await checkServer(db, url);
    guard?.admit({ place: `the database at ${addressOf(url)}`, clusterId: await heldCluster(db) });
    await withDeadline(MIGRATION_DEADLINE_MS, () =>
      underMigrationLock(db, (locked) => migrate(locked, { engine: 'postgres', migrations, log, now })),
    );
    const cluster = await readClusterIdentity(db, now());
    guard?.opened(cluster);
    return {
      db,
      engine: 'postgres',
      source: { engine: 'postgres', url },
      cluster,
      failed: new Promise(() => {}),
      probe: async () => void (await sql`select 1`.execute(db)),
      probeWrite: () => probeWrite(db),
      onError: (listener) => void errors.push(listener),
      watchChanges: (onNews) => listenForChanges({ connect, log, onNews }),
      close: () => db.destroy(),
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** The database ends a statement itself after the usual time: nobody waits for it any more. */
export function connectionFrom(url: string, usualMs = USUAL_DEADLINE_MS): pg.ClientConfig {
  const types = new pg.TypeOverrides();
  // Times, counts and sums stay far below 2^53, and SQLite gives numbers too.
  types.setTypeParser(INT8, Number);
  types.setTypeParser(NUMERIC, Number);
  // JSON stays text until readJson: parsed values would make a stored string and its own JSON look alike.
  types.setTypeParser(JSON_TYPE, (text) => text);
  types.setTypeParser(JSONB, (text) => text);
  return {
    connectionString: url,
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
    application_name: 'gatehouse',
    statement_timeout: usualMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  };
}

async function checkServer(db: Db, url: string): Promise<void> {
  let encoding: string;
  try {
    const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db);
    encoding = rows[0]!.server_encoding;
  } catch (error) {
    const reason = error instanceof Error ? error.message || String(error.cause ?? error.name) : String(error);
    throw new StartError(`the database at ${addressOf(url)} cannot be reached: ${reason}`, { cause: error });
  }
  if (encoding === 'UTF8') return;
  throw new StartError(`the database at ${addressOf(url)} has the encoding ${encoding}; Gatehouse needs UTF8`);
}

/** Whose it is, before any table is made; undefined for an empty one. */
async function heldCluster(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ found: string | null }>`select to_regclass('meta')::text as found`.execute(db);
  return rows[0]?.found ? await readMeta(db, CLUSTER_ID) : undefined;
}

/** Gateways that start together take turns; the later ones find the work done. The lock goes with its connection. */
async function underMigrationLock(db: Db, work: (db: Db) => Promise<void>): Promise<void> {
  await db.connection().execute(async (locked) => {
    await sql`select pg_advisory_lock(hashtext('gatehouse migration'))`.execute(locked);
    try {
      await work(locked);
    } finally {
      await sql`select pg_advisory_unlock(hashtext('gatehouse migration'))`.execute(locked);
    }
  });
}

/** The address without user name and password. */
function addressOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return `'${host || searchParams.get('host') || 'the local socket'}${pathname}'`;
}
