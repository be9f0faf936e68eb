/** Compares ended sessions with the recordings that are there, and notes for each what it found. */

import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { Log } from '../../../platform/std/log.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { findSession, type Session } from '../../../sessions/host/session-store.ts';
import { type RecordingCheck, stateOf } from '../format/check-recording.ts';
import {
  begunRecording,
  findRecording,
  findRecordings,
  isElsewhere,
  type KnownRecording,
  tellRecordingChanged,
  writeRecording,
} from '../recording-status-store.ts';
import type { RecordingSource, RecordingStore, StoredRecording } from '../stores/recording-store.ts';

const LOOK_EVERY_MS = 5_000;
const WHOLE_EVERY_MS = 5 * 60_000;
/** The end of a session is noted a moment after its last frame. */
const AGAIN_MS = 300;
const PAGE = 500;

export interface ReconcileDeps {
  db: Db;
  store: RecordingStore;
  clusterName: string;
  /** PEM. */
  keys: readonly string[];
  /** Names the gateway whose folder it is: only its own marks are of its files. */
  place: string;
  /** This gateway writes it at the moment. */
  isWriting(sid: string): boolean;
  /** Resolves when what happened so far is noted. */
  noted(): Promise<void>;
  /** Undefined where recordings stay where they are written; else whether it is still to be uploaded, which is begun then. */
  upload?: (sid: string) => Promise<boolean>;
  log: Log;
  now: () => number;
}

export interface Reconciler {
  /** Its recording was closed. */
  ended(sid: string): void;
  /** Looks at it again, if its session is over. */
  check(sid: string): Promise<void>;
  /** Those whose sessions ended and that nobody has looked at since. */
  look(): Promise<void>;
  /** All of them: what vanished or changed since shows. */
  lookAtAll(): Promise<void>;
  /** When it last looked at all of them. */
  readonly looked: number;
  close(): Promise<void>;
}

export function createReconciler(deps: ReconcileDeps): Reconciler {
  const { db, store, clusterName, log, now } = deps;
  const closing = new AbortController();
  let looked = 0;
  let running: Promise<void> = Promise.resolve();

  /** One after the other: each reads a whole file. */
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const done = running.then(async () => {
      if (!closing.signal.aborted) await work();
    });
    running = done.catch(() => {});
    return done;
  };

  const check = async (sid: string): Promise<boolean> => {
    const session = await findSession(db, clusterName, sid);
    if (!session?.ended || deps.isWriting(sid)) return session !== undefined && !session.ended;
    await deps.noted();
    const known = (await findRecording(db, sid)) ?? begunRecording(sid);
    if (known.state === 'removed' || known.state === 'disabled') return false;
    const source = await store.open(sid);
    // What another gateway keeps is that one's to judge: two that each miss the other's files would never agree.
    if (!source && isElsewhere(known, { place: deps.place, hasBucket: deps.upload !== undefined })) return false;
    const found = source ? await lookInto(source, session, known) : undefined;
    const waits = source !== undefined && ((await deps.upload?.(sid)) ?? false);
    const next = judge(session, known, found, waits);
    await db.transaction().execute(async (tx) => {
      await writeRecording(tx, { ...next, checked: now() });
      if (next.state !== known.state) await tellRecordingChanged(tx, { sid, user: session.user });
    });
    return false;
  };

  const lookInto = async (source: RecordingSource, session: Session, { mark }: KnownRecording): Promise<Found> => {
    try {
      const own = mark?.place === deps.place ? mark : undefined;
      const verdict = await stateOf(source, { keys: deps.keys, sid: session.id, mark: own });
      return { verdict, bytes: source.bytes, changed: source.changed ?? 0 };
    } finally {
      await source.close();
    }
  };

  const checkAll = async (sids: readonly string[]): Promise<void> => {
    for (const sid of sids) {
      if (closing.signal.aborted) return;
      await check(sid).catch((error: unknown) =>
        log.warn({ error, sessionId: sid }, 'what became of a recording cannot be found out'),
      );
    }
  };

  const look = () => inTurn(async () => checkAll(await unchecked(db, clusterName)));

  const lookAtAll = () =>
    inTurn(async () => {
      await checkAll(await unknown(db, clusterName));
      const there = new Set<string>();
      let batch: StoredRecording[] = [];
      const compare = async () => {
        const known = await findRecordings(
          db,
          batch.map(({ sid }) => sid),
        );
        // A removal that was interrupted.
        for (const { sid } of batch) if (known.get(sid)?.state === 'removed') await store.remove(sid);
        const changed = batch.filter(({ sid, bytes, changed: at }) => hasChanged(known.get(sid), bytes, at));
        await checkAll(changed.map(({ sid }) => sid));
        for (const { sid, checked } of known.values())
          if (checked > 0 && !deps.isWriting(sid)) await deps.upload?.(sid);
        batch = [];
      };
      try {
        for await (const stored of store.list()) {
          there.add(stored.sid);
          batch.push(stored);
          if (batch.length >= PAGE) await compare();
        }
      } finally {
        // A bucket that does not answer keeps nobody from looking at what is here; only what is missing cannot be told then.
        await compare();
      }
      await checkAll((await presumedThere(db)).filter((sid) => !there.has(sid)));
      looked = now();
    });

  const quietly = (work: () => Promise<void>) =>
    void work().catch((error: unknown) => log.warn({ error }, 'recordings cannot be compared with sessions'));
  const first = setTimeout(() => quietly(lookAtAll), AGAIN_MS).unref();
  const often = setInterval(() => quietly(look), LOOK_EVERY_MS).unref();
  const seldom = setInterval(() => quietly(lookAtAll), WHOLE_EVERY_MS).unref();

  return {
    ended(sid) {
      const again = (left: number) => {
        const timer = setTimeout(
          () =>
            quietly(() =>
              inTurn(async () => {
                if ((await check(sid)) && left > 0) again(left - 1);
              }),
            ),
          AGAIN_MS,
        ).unref();
        whenAborted(closing.signal, () => clearTimeout(timer));
      };
      again(5);
    },
    check: (sid) => inTurn(async () => void (await check(sid))),
    look,
    lookAtAll,
    get looked() {
      return looked;
    },
    async close() {
      closing.abort();
      clearTimeout(first);
      clearInterval(often);
      clearInterval(seldom);
      await running;
    },
  };
}

interface Found {
  verdict: RecordingCheck;
  bytes: number;
  changed: number;
}

function judge(session: Session, known: KnownRecording, found: Found | undefined, waits: boolean): KnownRecording {
  const failed = known.gap === 'failed';
  if (!found) {
    if (known.finding) return { ...known, state: 'corrupted', gap: 'corrupted', reason: known.finding, bytes: 0 };
    if (failed) return { ...known, state: 'failed' };
    return { ...known, state: 'missing', gap: 'missing', reason: 'there is no file of it any more', bytes: 0 };
  }
  const { verdict, bytes, changed } = found;
  const base = { ...known, bytes, changed, durationMs: verdict.durationMs };
  // What was changed before stays found, however whole its last part is.
  if (known.finding) return { ...base, state: 'corrupted', gap: 'corrupted', reason: changedBefore(known.finding) };
  if (verdict.state === 'corrupted') return { ...base, state: 'corrupted', gap: 'corrupted', reason: verdict.reason };
  if (verdict.state === 'complete' && verdict.hasGap)
    return { ...base, state: 'complete', gap: 'truncated', reason: 'a part of what was printed is missing' };
  if (verdict.state === 'complete') {
    const reason = waits ? 'it waits to be uploaded' : '';
    return { ...base, state: 'complete', gap: waits ? 'not_uploaded' : '', reason };
  }
  // Of what could not be written, the part before plays.
  if (failed) return { ...base, state: verdict.frames > 0 ? 'truncated' : 'failed' };
  const lost = session.ended?.cause === 'gateway_lost' ? 'the gateway that wrote it was stopped; ' : '';
  return {
    ...base,
    state: verdict.frames > 0 ? 'truncated' : 'missing',
    gap: 'truncated',
    reason: `${lost}${verdict.reason}`,
  };
}

function changedBefore(finding: string): string {
  return `what was recorded first is not what was written, and was put aside: ${finding}`;
}

function hasChanged(known: KnownRecording | undefined, bytes: number, changed: number): boolean {
  if (!known) return true;
  const isFinal = known.checked > 0 && known.state !== 'removed' && known.state !== 'disabled';
  return isFinal && (known.bytes !== bytes || known.changed !== changed);
}

async function unchecked(db: Db, cluster: string): Promise<string[]> {
  const rows = await db
    .selectFrom('recording')
    .innerJoin('session', 'session.id', 'recording.sid')
    .select('recording.sid')
    .where('recording.state', 'in', ['live', 'failed'])
    .where('recording.checked', '=', 0)
    .where('session.cluster', '=', cluster)
    .where('session.ended', 'is not', null)
    .limit(PAGE)
    .execute();
  return rows.map(({ sid }) => sid);
}

/** Sessions that should have one and of which nothing was ever noted. */
async function unknown(db: Db, cluster: string): Promise<string[]> {
  const rows = await db
    .selectFrom('session')
    .leftJoin('recording', 'recording.sid', 'session.id')
    .select('session.id')
    .where('session.cluster', '=', cluster)
    .where('session.ended', 'is not', null)
    .where('session.recorded', '=', 1)
    .where('recording.sid', 'is', null)
    .limit(PAGE)
    .execute();
  return rows.map(({ id }) => id);
}

async function presumedThere(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('recording')
    .select('sid')
    .where('state', 'in', ['complete', 'truncated', 'corrupted'])
    .execute();
  return rows.map(({ sid }) => sid);
}
