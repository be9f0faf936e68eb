/** Pictures of recorded desktops: for seeks, lists and timelines. Taken when somebody first looks at a recording, one recording at a time, while the machine has room. */
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { Log } from '../../../platform/std/log.ts';
import type { DesktopDecoder } from '../../../sessions/desktop/decoder/desktop-decoder.ts';
import type { OutputRate } from '../output-rate.ts';
import type { RecordingStore } from '../stores/recording-store.ts';
import { readShot, readShotPng, readShots, type Shot, type ShotContents, shotBefore } from './shot-files.ts';
import { takeShots } from './take-shots.ts';

const GIVE_WAY_MS = 20_000;
const MAX_WAITING = 200;
/** What failed so often is not tried again before the next start. */
const MAX_FAILURES = 2;

export interface Shots {
  /** Somebody looks at an ended recording. */
  opened(sid: string): void;
  /** The last one at or before a time, with what a client needs to go on from it. */
  before(sid: string, ms: number): Promise<(Shot & ShotContents) | undefined>;
  /** PNG of about that time. */
  picture(sid: string, ms: number): Promise<Buffer | undefined>;
  /** Resolves when nothing waits to be taken. */
  settled(): Promise<void>;
  /** Waits for the one that is being taken: close what draws it as well. */
  close(): Promise<void>;
}

export interface ShotsDeps {
  store: RecordingStore;
  decoder: Pick<DesktopDecoder, 'open'>;
  outputRate: Pick<OutputRate, 'over'>;
  log: Log;
}

export function createShots({ store, decoder, outputRate, log }: ShotsDeps): Shots {
  const waiting = new Set<string>();
  const failures = new Map<string, number>();
  let working: Promise<void> | undefined;
  let isClosed = false;

  const goOn = async () => {
    await outputRate.over(GIVE_WAY_MS, () => isClosed);
    return !isClosed;
  };
  const takeOne = async (sid: string) => {
    const source = await store.open(sid);
    try {
      if (source) await takeShots({ store, decoder, goOn }, sid, source);
    } finally {
      await source?.close();
    }
  };
  const work = async () => {
    for (const sid of waiting) {
      if (isClosed) return;
      try {
        await takeOne(sid);
      } catch (error) {
        failures.set(sid, (failures.get(sid) ?? 0) + 1);
        log.warn({ reason: errorMessage(error), sessionId: sid }, 'pictures of a recording cannot be taken');
      }
      waiting.delete(sid);
    }
  };

  return {
    opened(sid) {
      if (isClosed || waiting.size >= MAX_WAITING || (failures.get(sid) ?? 0) >= MAX_FAILURES) return;
      waiting.add(sid);
      working ??= work().finally(() => {
        working = undefined;
      });
    },
    async before(sid, ms) {
      const shot = shotBefore(await readShots(store, sid), ms);
      const contents = shot && (await readShot(store, sid, shot.number));
      return shot && contents ? { ...shot, ...contents } : undefined;
    },
    async picture(sid, ms) {
      const list = await readShots(store, sid);
      const shot = shotBefore(list, ms) ?? list.shots[0];
      return shot && (await readShotPng(store, sid, shot.number));
    },
    async settled() {
      while (working) await working;
    },
    async close() {
      isClosed = true;
      await working;
    },
  };
}
