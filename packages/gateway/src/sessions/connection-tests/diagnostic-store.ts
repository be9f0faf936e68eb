/** Connections that were tried, for whoever tried them to read again. */
import { type ConnectionDiagnostic, connectionDiagnostic } from '@gatehouse/contract/sessions/diagnostics';
import { readJson, writeJson } from '../../platform/storage/json.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';

export const KEEP_DIAGNOSTIC_MS = 24 * 3_600_000;

/** Takes away what has run out, too: few are made, and each makes room for itself. */
export async function insertDiagnostic(
  tx: Tx,
  { user, now, diagnostic }: { user: string; now: number; diagnostic: ConnectionDiagnostic },
): Promise<void> {
  await tx.deleteFrom('connection_diagnostic').where('expires', '<=', now).execute();
  await tx
    .insertInto('connection_diagnostic')
    .values({ id: diagnostic.id, user, time: now, expires: now + KEEP_DIAGNOSTIC_MS, data: writeJson(diagnostic) })
    .execute();
}

/** Of one that was inserted when it began. */
export async function finishDiagnostic(tx: Tx, diagnostic: ConnectionDiagnostic): Promise<void> {
  const { id } = diagnostic;
  await tx
    .updateTable('connection_diagnostic')
    .set({ data: writeJson(diagnostic) })
    .where('id', '=', id)
    .execute();
}

export async function dropDiagnostic(db: Db, id: string): Promise<void> {
  await db.deleteFrom('connection_diagnostic').where('id', '=', id).execute();
}

/** Of one user, of those whose ids begin so. */
export async function countDiagnostics(
  db: Db,
  { user, prefix, after }: { user: string; prefix: string; after: number },
): Promise<number> {
  const { count } = await db
    .selectFrom('connection_diagnostic')
    .select((builder) => builder.fn.countAll<number>().as('count'))
    .where('user', '=', user)
    .where('id', 'like', `${prefix}%`)
    .where('time', '>', after)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function findDiagnostic(
  db: Db,
  { id, user, now }: { id: string; user: string; now: number },
): Promise<ConnectionDiagnostic | undefined> {
  const row = await db
    .selectFrom('connection_diagnostic')
    .select('data')
    .where('id', '=', id)
    .where('user', '=', user)
    .where('expires', '>', now)
    .executeTakeFirst();
  return row && connectionDiagnostic.parse(readJson(row.data));
}
