/** Screens of recordings at any time: drawn in a thread of its own, so that a hostile recording holds up no terminal. */
import type { RecordedScreen } from '@gatehouse/contract/recordings/recordings';
import type { Log } from '../../../platform/std/log.ts';
import type { IndexCache } from '../index/index-cache.ts';
import { keyframeBefore } from '../index/recording-index.ts';
import { RecordingThread } from '../index/recording-thread.ts';
import type { ItemPosition } from '../index/screen-at.ts';
import type { RecordingSource } from '../stores/recording-store.ts';

/** Some megabytes take a quarter of a second. */
const SILENCE_MS = 20_000;
/** Later than anything. */
const END_MS = Number.MAX_SAFE_INTEGER;

export interface Screens {
  /** Undefined: the last one. */
  look(sid: string, source: RecordingSource, ms: number | undefined): Promise<RecordedScreen>;
  /** With where to go on. */
  play(sid: string, source: RecordingSource, ms: number): Promise<{ screen: RecordedScreen; next: ItemPosition }>;
  /** The thread takes a moment to start: ask for it before it is needed. */
  warm(): void;
  close(): Promise<void>;
}

export function createScreens({ cache, log }: { cache: IndexCache; log: Log }): Screens {
  const thread = new RecordingThread({ name: 'recording-screens', background: false, silenceMs: SILENCE_MS, log });

  const draw = async (sid: string, source: RecordingSource, ms: number, use: 'look' | 'play') => {
    const index = await cache.get(sid);
    const keyframe = index && keyframeBefore(index, ms);
    const { screen, next, exact } = await thread.run({ type: 'screen', keyframe, ms, use }, source);
    return { screen: { ...screen, ...(exact ? {} : { approximate: true }) }, next };
  };

  return {
    async look(sid, source, ms) {
      if (ms === undefined) {
        const index = await cache.get(sid);
        if (index?.complete) return index.last;
      }
      return (await draw(sid, source, ms ?? END_MS, 'look')).screen;
    },
    play: (sid, source, ms) => draw(sid, source, ms, 'play'),
    warm: () => thread.warm(),
    close: () => thread.close(),
  };
}
