/** Lets recordings go that have been kept long enough, or that there is no more room for: the oldest first, never running ones. */
import { recordingDeleted } from '@gatehouse/contract/audit/recording-events';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Log } from '../../../platform/std/log.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { namedSession } from '../named-session.ts';
import { findRecording, tellRecordingChanged, writeRecording } from '../recording-status-store.ts';
import type { RecordingStore } from '../stores/recording-store.ts';

const DAY_MS = 86_400_000;
const MEGABYTE = 1_000_000;
const FIRST_LOOK_MS = 60_000;
const LOOK_EVERY_MS = 3_600_000;

export interface RetentionDeps {
  db: Db;
  store: RecordingStore;
  audit: Audit;
  retentionDays: number;
  maxMegabytes: number;
  clusterName: string;
  isWriting(sid: string): boolean;
  log: Log;
  now: () => number;
}

export interface Expired {
  sid: string;
  user: string;
  bytes: number;
  reason: string;
}

/** What would go now. */
export async function findExpired(deps: RetentionDeps): Promise<Expired[]> {
  const { db, retentionDays, maxMegabytes, clusterName, now } = deps;
  if (retentionDays === 0 && maxMegabytes === 0) return [];
  const rows = await db
    .selectFrom('recording')
    .innerJoin('session', 'session.id', 'recording.sid')
    .select(['recording.sid', 'recording.bytes', 'session.user', 'session.ended'])
    .where('session.cluster', '=', clusterName)
    .where('session.ended', 'is not', null)
    .where('recording.state', 'in', ['complete', 'truncated', 'corrupted'])
    .orderBy('session.ended')
    .orderBy('recording.sid')
    .execute();
  const before = retentionDays === 0 ? 0 : now() - retentionDays * DAY_MS;
  let left = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  const expired: Expired[] = [];
  for (const { sid, bytes, user, ended } of rows) {
    const isOld = (ended ?? 0) < before;
    const isTooMuch = maxMegabytes > 0 && left > maxMegabytes * MEGABYTE;
    if ((!isOld && !isTooMuch) || deps.isWriting(sid)) continue;
    const reason = isOld ? `older than ${retentionDays} days` : `all of them are larger than ${maxMegabytes} MB`;
    expired.push({ sid, user, bytes, reason });
    left -= bytes;
  }
  return expired;
}

/** Who wants it gone: a person, or retention itself when left out. */
export async function removeExpired(
  deps: RetentionDeps,
  by: { username: string; signInId: string } | undefined,
  signal?: AbortSignal,
): Promise<Expired[]> {
  const removed: Expired[] = [];
  for (const expired of await findExpired(deps)) {
    if (signal?.aborted) break;
    if (await removeOne(deps, expired, by)) removed.push(expired);
  }
  return removed;
}

async function removeOne(
  { db, store, audit, log, now }: RetentionDeps,
  { sid, user, reason }: Expired,
  by: { username: string; signInId: string } | undefined,
): Promise<boolean> {
  // Noted first: what is gone without a note would count as lost.
  await db.transaction().execute(async (tx) => {
    const known = await findRecording(tx, sid);
    if (!known) return;
    const told = `removed by retention: ${reason}`;
    await writeRecording(tx, { ...known, state: 'removed', gap: '', reason: told, bytes: 0, checked: now() });
    await tellRecordingChanged(tx, { sid, user });
    const context = { sessionId: sid, ...(by && { signInId: by.signInId }) };
    const fields = { user: by?.username ?? '', ...(await namedSession(tx, sid)), reason };
    await audit.emit(tx, recordingDeleted, fields, context);
  });
  try {
    await store.remove(sid);
    return true;
  } catch (error) {
    log.warn({ error, sessionId: sid }, 'a recording cannot be removed; it is tried again');
    return false;
  }
}

export function startRetention(deps: RetentionDeps): { close(): Promise<void> } {
  const closing = new AbortController();
  if (deps.retentionDays === 0 && deps.maxMegabytes === 0) return { close: async () => {} };
  let running: Promise<unknown> = Promise.resolve();
  const look = () => {
    running = removeExpired(deps, undefined, closing.signal).catch((error: unknown) =>
      deps.log.warn({ error }, 'expired recordings cannot be removed'),
    );
  };
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
