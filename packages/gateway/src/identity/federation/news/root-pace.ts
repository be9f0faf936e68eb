/** How much one root may tell, over all its lines: it costs the leaf rows and events of its log, and one that connects anew earns nothing by it. */
import type { RootNews } from '@gatehouse/contract/reach/trusted-clusters/news';
import { createPace, type Pace, type Rate } from '../../../platform/std/pace.ts';

type Paced = 'keys' | 'others';

/** A root tells of everybody who is here when its line begins; keys are rotated by people. */
const RATES: Record<Paced, Rate> = {
  keys: { burst: 20, perSecond: 0.1 },
  others: { burst: 50_000, perSecond: 500 },
};

export interface RootPace {
  /** Before the news are looked at; answers that somebody waits for are never held. */
  wait(trust: string, type: RootNews['type'], over: AbortSignal): Promise<void>;
}

export function createRootPace(): RootPace {
  const paces = new Map<string, Record<Paced, Pace>>();
  return {
    async wait(trust, type, over) {
      const known = paces.get(trust) ?? { keys: createPace(RATES.keys), others: createPace(RATES.others) };
      paces.set(trust, known);
      await known[type === 'keys' ? 'keys' : 'others'].wait(1, over);
    },
  };
}
