/** How often agents are heard: by what their reports take, and over all their connections, so that connecting anew earns nothing. */
import { BoundedMap } from '../../../platform/std/bounded-map.ts';

/** An agent may tell of several changes at once; one that never stops is heard once a second. */
const BURST = 5;
const REFILL_MS = 1_000;
/** So many resources take as long as a report by itself. */
const RESOURCES = 100;
/** Beyond this many agents the one that was quiet longest is forgotten. */
const MAX_AGENTS = 10_000;

export interface ReportPace {
  /** Counts a report that was taken. */
  taken(agentId: string, resources: number): void;
  /** Until the next one is read. */
  waitMs(agentId: string): number;
}

export function createReportPace(now: () => number = () => performance.now()): ReportPace {
  const credits = new BoundedMap<string, { credit: number; at: number }>(MAX_AGENTS);
  const creditOf = (agentId: string) => {
    const { credit, at } = credits.get(agentId) ?? { credit: BURST, at: now() };
    return Math.min(BURST, credit + (now() - at) / REFILL_MS);
  };
  return {
    taken(agentId, resources) {
      const credit = creditOf(agentId) - 1 - resources / RESOURCES;
      credits.delete(agentId);
      credits.set(agentId, { credit, at: now() });
    },
    waitMs: (agentId) => Math.max(0, -creditOf(agentId) * REFILL_MS),
  };
}
