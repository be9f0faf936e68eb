/** Recordings that are written to a folder and go to a bucket when their session is over: readers do not see the difference. */
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { Log } from '../../../platform/std/log.ts';
import { BucketAway } from './bucket-away.ts';
import type { BucketStore } from './bucket-store.ts';
import { type DiskStore, recordingPath } from './disk-store.ts';
import type { RecordingStore } from './recording-store.ts';

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 5 * 60_000;
const CLOSE_MS = 2_000;
const AWAY_MS = 3_000;

export interface SpooledDeps {
  folder: string;
  local: DiskStore;
  bucket: BucketStore;
  log: Log;
  /** It has reached the bucket, or why not yet. */
  onTried(sid: string, error: string | undefined): Promise<void>;
  firstRetryMs?: number;
}

export interface SpooledStore extends RecordingStore {
  /** Its session is over: it goes to the bucket, however often that has to be tried. False: it is there. */
  upload(sid: string): Promise<boolean>;
  close(): Promise<void>;
}

export function openSpooledStore(deps: SpooledDeps): SpooledStore {
  const { folder, local, bucket, log, onTried, firstRetryMs = FIRST_RETRY_MS } = deps;
  const closing = new AbortController();
  const waiting = new Set<string>();
  /** One at a time: terminals matter more than uploads. */
  let queue: Promise<void> = Promise.resolve();

  const isHere = async (sid: string) => {
    const source = await local.open(sid);
    await source?.close();
    return source !== undefined;
  };

  const upload = async (sid: string): Promise<void> => {
    if (!(await isHere(sid))) return;
    await bucket.upload(sid, recordingPath(folder, sid));
    for (const name of await local.beside(sid)) {
      const bytes = await local.readBeside(sid, name);
      if (bytes) await bucket.writeBeside(sid, name, bytes);
    }
    await local.remove(sid);
  };

  const tryUpload = async (sid: string, retryMs: number): Promise<void> => {
    if (closing.signal.aborted) return;
    try {
      await upload(sid);
      waiting.delete(sid);
      await onTried(sid, undefined);
    } catch (error) {
      const reason = error instanceof Error ? error.message || error.name : String(error);
      log.warn({ error, sessionId: sid }, 'a recording cannot be uploaded; trying again');
      await onTried(sid, reason).catch((failure: unknown) => log.warn({ error: failure }, 'an upload is not noted'));
      const timer = setTimeout(() => enqueue(sid, Math.min(retryMs * 2, LAST_RETRY_MS)), retryMs).unref();
      whenAborted(closing.signal, () => clearTimeout(timer));
    }
  };
  /** A page of recordings asks for each of them: one that was not answered answers for the others, for a moment. */
  let away: { error: BucketAway; at: number } | undefined;
  const fromBucket = async <T>(read: () => Promise<T>): Promise<T> => {
    if (away && performance.now() - away.at < AWAY_MS) throw away.error;
    try {
      const found = await read();
      away = undefined;
      return found;
    } catch (error) {
      if (error instanceof BucketAway) away = { error, at: performance.now() };
      throw error;
    }
  };
  const enqueue = (sid: string, retryMs: number) => {
    queue = queue.then(() => tryUpload(sid, retryMs));
  };

  return {
    async open(sid) {
      return (await local.open(sid)) ?? (await fromBucket(() => bucket.open(sid)));
    },

    async *list() {
      const here = new Set<string>();
      for await (const recording of local.list()) {
        here.add(recording.sid);
        yield recording;
      }
      for await (const recording of bucket.list()) if (!here.has(recording.sid)) yield recording;
    },

    async remove(sid) {
      await bucket.remove(sid);
      await local.remove(sid);
    },

    async readBeside(sid, name) {
      return (await local.readBeside(sid, name)) ?? (await fromBucket(() => bucket.readBeside(sid, name)));
    },

    async writeBeside(sid, name, bytes) {
      await ((await isHere(sid)) ? local : bucket).writeBeside(sid, name, bytes);
    },

    async upload(sid) {
      if (waiting.has(sid)) return true;
      if (!(await isHere(sid))) return false;
      waiting.add(sid);
      enqueue(sid, firstRetryMs);
      return true;
    },

    async close() {
      closing.abort();
      // An upload that is cut is begun again by the next gateway.
      await Promise.race([queue, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
      bucket.close();
    },
  };
}
