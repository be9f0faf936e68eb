/** A lock by name, held until the transaction ends, against other gateways on the same database. */
import { PostgresAdapter, sql } from 'kysely';
import type { Tx } from './tables.ts';

/** SQLite has one writer at a time, so there everybody holds it alone anyway. */
export async function holdLock(tx: Tx, name: string, mode: 'shared' | 'alone'): Promise<void> {
  if (!(tx.getExecutor().adapter instanceof PostgresAdapter)) return;
  const take = mode === 'shared' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
  await sql`select ${take}(hashtext(${`gatehouse ${name}`}))`.execute(tx);
}
