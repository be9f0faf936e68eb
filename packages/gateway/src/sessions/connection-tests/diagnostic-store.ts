/** Connections that were tried, for whoever tried them to read again. */
import type { Kind } from '@gatehouse/contract/kinds/kinds';
import {
  type ConnectionDiagnostic,
  connectionDiagnostic,
  type EarlierTest,
  MAX_EARLIER_TESTS,
} from '@gatehouse/contract/sessions/diagnostics';
import { readJson, writeJson } from '../../platform/storage/json.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';

export const KEEP_DIAGNOSTIC_MS = 24 * 3_600_000;
/** Of one person, beside drafts, which are counted by the hour: who tests without end fills no store. */
export const MAX_KEPT = 200;

interface InsertedDiagnostic {
  user: string;
  now: number;
  diagnostic: ConnectionDiagnostic;
  /** To what; nothing of what is not added yet. */
  about?: { kind: Kind; resource: string };
}

/** Takes away what has run out, too: few are made, and each makes room for itself. */
export async function insertDiagnostic(tx: Tx, { user, now, diagnostic, about }: InsertedDiagnostic): Promise<void> {
  const { kind = null, resource = null } = about ?? {};
  const expires = now + KEEP_DIAGNOSTIC_MS;
  await tx.deleteFrom('connection_diagnostic').where('expires', '<=', now).execute();
  await tx
    .insertInto('connection_diagnostic')
    .values({ id: diagnostic.id, user, kind, resource, time: now, expires, data: writeJson(diagnostic) })
    .execute();
  if (about) await forgetOldest(tx, user);
}

async function forgetOldest(tx: Tx, user: string): Promise<void> {
  const last = await tx
    .selectFrom('connection_diagnostic')
    .select('time')
    .where('user', '=', user)
    .where('kind', 'is not', null)
    .orderBy('time', 'desc')
    .offset(MAX_KEPT)
    .limit(1)
    .executeTakeFirst();
  if (!last) return;
  await tx
    .deleteFrom('connection_diagnostic')
    .where('user', '=', user)
    .where('kind', 'is not', null)
    .where('time', '<=', last.time)
    .execute();
}

/** The newest first. */
export async function listEarlier(
  db: Db,
  { user, kind, names, now }: { user: string; kind: Kind; names: readonly string[]; now: number },
): Promise<EarlierTest[]> {
  const rows = await db
    .selectFrom('connection_diagnostic')
    .select(['time', 'data'])
    .where('user', '=', user)
    .where('kind', '=', kind)
    .where('resource', 'in', names)
    .where('expires', '>', now)
    .orderBy('time', 'desc')
    .orderBy('id')
    .limit(MAX_EARLIER_TESTS)
    .execute();
  return rows.map(({ time, data }) => {
    const { id, success, message, traces = [] } = connectionDiagnostic.parse(readJson(data));
    const step = traces.find(({ status }) => status === 'FAILED')?.gatehouse?.step;
    return { id, at: new Date(time).toISOString(), success, message, ...(step === undefined ? {} : { step }) };
  });
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
