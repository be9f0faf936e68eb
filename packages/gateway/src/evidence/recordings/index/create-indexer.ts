/** Keeps the indexes of recordings up to date: one recording at a time, in a thread that gives way, those that somebody opens first. */
import type { ChangeFeed } from '../../../platform/change-feed/change-feed.ts';
import type { Log } from '../../../platform/std/log.ts';
import { isPostgres } from '../../../platform/storage/named-lock.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { SESSION_TOPIC } from '../../../sessions/host/session-store.ts';
import type { OutputRate } from '../output-rate.ts';
import type { RecordingStore } from '../stores/recording-store.ts';
import type { IndexCache } from './index-cache.ts';
import {
  dropLeases,
  findIndexRow,
  forgetRecordings,
  giveLease,
  type IndexRow,
  keepBlocks,
  type LeaseOutcome,
  listRemoved,
  listWaiting,
  takeLease,
  type WaitingRecording,
} from './index-store.ts';
import { decodeIndex, INDEX_NAME, INDEX_VERSION } from './recording-index.ts';
import { RecordingThread } from './recording-thread.ts';

const LOOK_EVERY_MS = 15_000;
const LOOK_SOON_MS = 1_000;
/** A running session is read again after so long, and after so long when somebody watches it. */
const RUNNING_EVERY_MS = 60_000;
const WATCHED_EVERY_MS = 5_000;
/** Renewed with every checkpoint. */
const LEASE_MS = 120_000;
const SILENCE_MS = 60_000;
/** Once all of them are done, only what ended lately is looked through. */
const LATELY_MS = 3_600_000;
const AT_ONCE = 50;
/** So long, at each checkpoint, it waits for the end of a flood; less than `SILENCE_MS`. */
const GIVE_WAY_MS = 20_000;

export interface IndexerDeps {
  db: Db;
  store: RecordingStore;
  cache: IndexCache;
  /** While much is printed, it waits. */
  outputRate: Pick<OutputRate, 'over'>;
  feed?: Pick<ChangeFeed, 'subscribe'>;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface Indexer {
  /** Somebody looks at it: it comes next. */
  opened(sid: string, running: boolean): void;
  /** Indexes whatever waits, and resolves when nothing does. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function createIndexer(deps: IndexerDeps): Indexer {
  const { db, store, cache, outputRate, feed, clusterName, log, now } = deps;
  const thread = new RecordingThread({ name: 'recording-index', background: true, silenceMs: SILENCE_MS, log });
  const opened = new Map<string, WaitingRecording>();
  let endedSince = 0;
  let working: Promise<void> | undefined;
  let again = false;
  let closed = false;
  let soon: NodeJS.Timeout | undefined;
  // Alone on its store, whatever a gateway finds under way was left by one that is gone.
  let freed = isPostgres(db) ? undefined : dropLeases(db);

  const isGivenUp = () => closed || opened.size > 0;

  const wake = (): Promise<void> => {
    again = true;
    working ??= work()
      .catch((error: unknown) => log.warn({ error }, 'recordings cannot be indexed now'))
      .finally(() => {
        working = undefined;
      });
    return working;
  };

  async function work(): Promise<void> {
    await freed;
    freed = undefined;
    while (again && !closed) {
      again = false;
      await forgetRecordings(db, await listRemoved(db, AT_ONCE));
      const before = now();
      const waiting = await listWaiting(db, {
        cluster: clusterName,
        endedSince,
        runningBefore: before - RUNNING_EVERY_MS,
        now: before,
        limit: AT_ONCE,
      });
      let undone = 0;
      for (const next of waiting) {
        await takeOpened();
        if (closed) return;
        if ((await indexOne(next, GIVE_WAY_MS)) === 'later') undone += 1;
      }
      await takeOpened();
      // When each of them failed, they would only fail again at once.
      if (waiting.length === AT_ONCE) again ||= undone < AT_ONCE;
      else if (undone === 0) endedSince = Math.max(0, before - LATELY_MS);
    }
  }

  async function takeOpened(): Promise<void> {
    for (const [sid, next] of opened) {
      if (closed) return;
      opened.delete(sid);
      // Somebody waits for it.
      await indexOne(next, 0);
    }
  }

  /** Later: it still waits, however long ago it ended. */
  async function indexOne({ sid, running }: WaitingRecording, giveWayMs: number): Promise<'fine' | 'later'> {
    await outputRate.over(giveWayMs, isGivenUp);
    const row = await takeLease(db, sid, { now: now(), leaseMs: LEASE_MS });
    if (!row) return 'later';
    let outcome: LeaseOutcome = {};
    try {
      if (!(row.complete && row.version === INDEX_VERSION)) outcome = await readOn(row, running, giveWayMs);
    } catch (error) {
      if (closed) return 'later';
      log.warn({ error, sessionId: sid }, 'a recording cannot be indexed');
      outcome = { failed: true };
    }
    await giveLease(db, row.number, { ...outcome, now: now() });
    return outcome.failed ? 'later' : 'fine';
  }

  async function readOn(row: IndexRow, running: boolean, giveWayMs: number): Promise<LeaseOutcome> {
    const { sid } = row;
    // A store that does not answer throws: what it has must not be taken for absent.
    const source = await store.open(sid);
    if (!source) return { absent: !running };
    try {
      const previous = await goOnFrom(row);
      const { bytes } = source;
      await thread.run({ type: 'index', previous, running }, source, async (checkpoint) => {
        const at = { now: now(), bytes, leaseMs: LEASE_MS };
        await db.transaction().execute((tx) => keepBlocks(tx, row, checkpoint, at));
        await store.writeBeside(sid, INDEX_NAME, checkpoint.file);
        cache.forget(sid);
        if (!checkpoint.complete) await outputRate.over(giveWayMs, isGivenUp);
      });
      return {};
    } finally {
      await source.close();
    }
  }

  /** What lies beside the recording, unless the lines it counts on are not in the store. */
  async function goOnFrom(row: IndexRow): Promise<Uint8Array | undefined> {
    const bytes = await store.readBeside(row.sid, INDEX_NAME);
    const index = bytes && decodeIndex(bytes);
    return index && index.blocks <= row.blocks && !index.complete ? bytes : undefined;
  }

  const wakeSoon = () => {
    soon ??= setTimeout(() => {
      soon = undefined;
      if (!closed) void wake();
    }, LOOK_SOON_MS).unref();
  };
  const subscription = feed?.subscribe([SESSION_TOPIC], { change: wakeSoon, gap: wakeSoon });
  const timer = setInterval(() => void wake(), LOOK_EVERY_MS).unref();

  return {
    opened(sid, running) {
      if (closed || opened.has(sid)) return;
      void findIndexRow(db, sid)
        .then((row) => {
          const isDone = row?.complete === 1 && row.version === INDEX_VERSION;
          if (isDone || (running && row && now() - row.indexed < WATCHED_EVERY_MS)) return;
          opened.set(sid, { sid, running });
          void wake();
        })
        .catch((error: unknown) => log.warn({ error }, 'recordings cannot be indexed now'));
    },
    async settled() {
      await wake();
    },
    async close() {
      closed = true;
      clearInterval(timer);
      clearTimeout(soon);
      subscription?.close();
      await thread.close();
      await working;
    },
  };
}
