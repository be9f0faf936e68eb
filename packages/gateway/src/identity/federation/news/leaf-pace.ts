/** How much one leaf may tell, over all its lines: it costs the root rows and work, and one that connects anew earns nothing by it. */
import type { LeafNews } from '@gatehouse/contract/reach/trusted-clusters/news';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import { createMutex } from '../../../platform/std/mutex.ts';
import { createPace, type Pace, type Rate } from '../../../platform/std/pace.ts';

export type LeafRates = Record<'keys' | 'wants' | 'watch' | 'factor' | 'session', Rate>;

/** A leaf that comes back tells all its sign-ins again; everything else is what people and administrators do. */
const RATES: LeafRates = {
  keys: { burst: 20, perSecond: 0.1 },
  wants: { burst: 20, perSecond: 0.5 },
  watch: { burst: 50_000, perSecond: 500 },
  factor: { burst: 300, perSecond: 20 },
  session: { burst: 500, perSecond: 5 },
};

/** Sessions that wait to be written. Beyond these the line itself waits. */
const MAX_WAITING = 1_000;
const MAX_REMEMBERED = 20_000;

const AGAIN_MS = 10_000;

const NEVER = new AbortController().signal;

export interface LeafPace {
  /** Before the news are looked at. Never held while this side has something to tell. */
  wait(news: Exclude<LeafNews, { type: 'session' | 'wants' }>, over: AbortSignal): Promise<void>;
  /** Writes it in its turn; resolves at once unless too many wait. */
  session(id: string, write: () => Promise<void>): Promise<void>;
  /**
   * Resolves once it is heard, or has to wait: of several that come too fast the last one counts. One that could not be written is
   * tried again, until the line that told it is over: then the leaf tells it anew.
   */
  wants(hear: () => Promise<void>, over: AbortSignal): Promise<void>;
}

export interface LeafPaceDeps {
  /** What could not be done in its turn, long after it was heard. */
  failed(error: unknown): void;
  /** It told more than is written at once, for whoever looks after the leaf. */
  tooMany(): void;
  rates?: Partial<LeafRates> | undefined;
  /** Until what could not be written is tried again. */
  againMs?: number | undefined;
}

interface Wanted {
  hear(): Promise<void>;
  over: AbortSignal;
}

export function createLeafPace({ failed, tooMany, rates, againMs = AGAIN_MS }: LeafPaceDeps): LeafPace {
  const made = new Map<keyof LeafRates, Pace>();
  const paceOf = (of: keyof LeafRates) => {
    const pace = made.get(of) ?? createPace({ ...RATES, ...rates }[of]);
    made.set(of, pace);
    return pace;
  };
  const inTurn = createMutex();
  const told = new BoundedMap<string, true>(MAX_REMEMBERED);
  let waiting = 0;
  let wanted: Wanted | undefined;
  /** Told last, heard or not. */
  let last: Wanted | undefined;
  let isHearing = false;

  async function hearLast(): Promise<void> {
    isHearing = true;
    try {
      while (wanted) {
        await paceOf('wants').wait(1, NEVER);
        const current = wanted;
        wanted = undefined;
        await current.hear().catch((error: unknown) => {
          failed(error);
          again(current);
        });
      }
    } finally {
      isHearing = false;
    }
  }

  function again(failing: Wanted): void {
    setTimeout(() => {
      // What was told since counts, and is on its way.
      if (failing !== last || failing.over.aborted) return;
      wanted = failing;
      if (!isHearing) void hearLast();
    }, againMs).unref();
  }

  return {
    async wait(news, over) {
      const [of, count] =
        news.type === 'watch'
          ? (['watch', news.sids.length] as const)
          : ([news.type === 'keys' ? 'keys' : 'factor', 1] as const);
      await paceOf(of).wait(count, over);
    },

    async session(id, write) {
      if (told.has(id)) return;
      told.set(id, true);
      waiting += 1;
      const written = inTurn(async () => {
        await paceOf('session').wait(1, NEVER);
        await write();
      })
        .catch(failed)
        .finally(() => {
          waiting -= 1;
        });
      if (waiting <= MAX_WAITING) return;
      tooMany();
      await written;
    },

    async wants(hear, over) {
      wanted = { hear, over };
      last = wanted;
      if (isHearing) return;
      const isNow = paceOf('wants').hasRoom();
      const heard = hearLast();
      if (isNow) await heard;
    },
  };
}
