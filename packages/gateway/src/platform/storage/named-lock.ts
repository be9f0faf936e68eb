/** A lock by name, held until the transaction ends, against other gateways on the same database. */
import { PostgresAdapter, sql } from 'kysely';
import type { Db, Tx } from './tables.ts';

/** SQLite has one writer at a time, so there everybody holds it alone anyway. */
export async function holdLock(tx: Tx, name: string, mode: 'shared' | 'alone'): Promise<void> {
  if (!isPostgres(tx)) return;
  const take = mode === 'shared' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
  await sql`select ${take}(hashtext(${`gatehouse ${name}`}))`.execute(tx);
}

export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
