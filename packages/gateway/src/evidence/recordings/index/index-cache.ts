/** The indexes that are in use, so that a seek does not read them again. */
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import { BucketAway, orAway } from '../stores/bucket-away.ts';
import type { RecordingStore } from '../stores/recording-store.ts';
import { decodeIndex, INDEX_NAME, type RecordingIndex } from './recording-index.ts';

/** Each may have some megabytes. */
const MAX_KEPT = 12;
/** Another gateway may have gone on with one that is not complete. */
const FRESH_MS = 2_000;

export interface IndexCache {
  get(sid: string): Promise<RecordingIndex | undefined>;
  forget(sid: string): void;
}

export function createIndexCache(store: Pick<RecordingStore, 'readBeside'>): IndexCache {
  const kept = new BoundedMap<string, { index: RecordingIndex | undefined; readAt: number }>(MAX_KEPT);
  return {
    async get(sid) {
      const known = kept.get(sid);
      if (known && (known.index?.complete || performance.now() - known.readAt < FRESH_MS)) {
        kept.delete(sid);
        kept.set(sid, known);
        return known.index;
      }
      // Without it a recording is shown as one that is not indexed yet; whether its bucket is there is told beside that.
      const bytes = await store.readBeside(sid, INDEX_NAME).catch(orAway);
      if (bytes instanceof BucketAway) return undefined;
      const index = bytes && decodeIndex(bytes);
      kept.set(sid, { index, readAt: performance.now() });
      return index;
    },
    forget: (sid) => void kept.delete(sid),
  };
}
