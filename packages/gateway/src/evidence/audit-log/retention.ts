/** Removes events that have been kept long enough, a little at a time, and signs where each chain begins from then on. */
import { auditRetention } from '@gatehouse/contract/audit/audit-log-events';
import type { Audit } from '../../platform/audit/emit.ts';
import { isPostgres } from '../../platform/storage/named-lock.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { type CheckpointDeps, requireSignedLog, writeCheckpoint } from './write-checkpoints.ts';

const DAY_MS = 86_400_000;
const LOOK_EVERY_MS = 3_600_000;
const FIRST_LOOK_MS = 60_000;
/** Short enough that a writer behind it does not notice. */
const BATCH = 500;
const PAUSE_MS = 50;

interface RetentionDeps extends CheckpointDeps {
  audit: Audit;
  retentionDays: number;
  /** Sinks that must have an event before it may go. */
  sinks: readonly string[];
}

export interface Retention {
  close(): Promise<void>;
}

export function startRetention(deps: RetentionDeps): Retention {
  const closing = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  const look = () => {
    running = removeExpired(deps, closing.signal).catch((error: unknown) => {
      deps.log.warn({ error }, 'expired audit events cannot be removed');
    });
  };
  if (deps.retentionDays === 0) return { close: async () => {} };
  const first = setTimeout(look, FIRST_LOOK_MS).unref();
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    async close() {
      closing.abort();
      clearTimeout(first);
      clearInterval(timer);
      await running;
    },
  };
}

/** Gives back how many went. */
export async function removeExpired(deps: RetentionDeps, signal?: AbortSignal): Promise<number> {
  const { db, now, retentionDays } = deps;
  const before = now() - retentionDays * DAY_MS;
  let removed = 0;
  for (const { chain, start_index } of await db.selectFrom('event_chain').selectAll().execute()) {
    const last = Math.min(await lastExpired(db, chain, before), await leastDelivered(db, chain, deps.sinks));
    let start = start_index;
    while (start < last && !signal?.aborted) {
      start = await removeBatch(deps, chain, Math.min(start + BATCH, last));
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    if (start === start_index) continue;
    removed += start - start_index;
    const facts = { chain, before: new Date(before).toISOString(), removed: start - start_index, first: start + 1 };
    await db.transaction().execute((tx) => deps.audit.emit(tx, auditRetention, facts));
  }
  if (removed > 0 && !isPostgres(db)) await dropSpans(db);
  return removed;
}

/** The removal, the chain's new beginning and its signature are one: at no moment does the log begin where nothing is signed. */
async function removeBatch(deps: RetentionDeps, chain: string, until: number): Promise<number> {
  const signed = await deps.db.transaction().execute(async (tx) => {
    // What is not the log that was signed is kept: somebody will want to look at it.
    await requireSignedLog(tx, deps);
    const { hash } = await tx
      .selectFrom('event')
      .select('hash')
      .where('chain', '=', chain)
      .where('chain_index', '=', until)
      .executeTakeFirstOrThrow();
    await tx.deleteFrom('event').where('chain', '=', chain).where('chain_index', '<=', until).execute();
    await tx
      .updateTable('event_chain')
      .set({ start_index: until, start_hash: hash })
      .where('chain', '=', chain)
      .execute();
    return await writeCheckpoint(tx, deps, { always: true });
  });
  if (signed !== undefined) await deps.memory?.remember(signed, deps.signer.publicKey);
  return until;
}

async function lastExpired(db: Db, chain: string, before: number): Promise<number> {
  // Along the chain: a clock that was wrong once must not cost younger events. Ordered by time, all of them would be sorted first.
  const kept = await db
    .selectFrom('event')
    .select('chain_index')
    .where('chain', '=', chain)
    .where('time', '>=', before)
    .orderBy('chain_index')
    .limit(1)
    .executeTakeFirst();
  if (kept) return kept.chain_index - 1;
  const end = await db.selectFrom('event_chain').select('length').where('chain', '=', chain).executeTakeFirst();
  return end?.length ?? 0;
}

async function leastDelivered(db: Db, chain: string, sinks: readonly string[]): Promise<number> {
  if (sinks.length === 0) return Number.POSITIVE_INFINITY;
  const rows = await db
    .selectFrom('event_sink')
    .select('delivered')
    .where('chain', '=', chain)
    .where('sink', 'in', sinks)
    .execute();
  return rows.length < sinks.length ? 0 : Math.min(...rows.map(({ delivered }) => delivered));
}

async function dropSpans(db: Db): Promise<void> {
  const oldest = await db
    .selectFrom('event')
    .select((eb) => eb.fn.min('id').as('id'))
    .executeTakeFirst();
  await db
    .deleteFrom('event_span')
    .where('block', '<', Math.floor((oldest?.id ?? 0) / 4_096))
    .execute();
}
