/** Holds up open sessions while the gateway hears nothing of its store, and lets them go on once all of them were decided again. */
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { isFrozen, isLost } from '../../platform/change-feed/lost-store.ts';
import type { Log } from '../../platform/std/log.ts';
import type { HostedSession } from './hosted-session.ts';
import type { SessionEnd } from './session-store.ts';

const LOOK_EVERY_MS = 1_000;

interface FreezeDeps {
  feed: Pick<ChangeFeed, 'silentMs' | 'settled'>;
  live: ReadonlyMap<string, HostedSession>;
  /** Decides all open sessions by what is known now. */
  decideAll(): Promise<void>;
  log: Log;
}

/** For roles with `lock: strict`: whoever cannot be known not to be locked is out, at once. */
export const LOCKS_UNKNOWN: SessionEnd = {
  cause: 'locked',
  message: 'the gateway cannot tell whether you are locked, and a role of yours lets nothing go on then',
};

/** For what cannot be held up: it is cut, and may be asked for again once the store answers. */
export const STORE_LOST: SessionEnd = { cause: 'failed', message: 'the gateway has lost its database' };

function endStrict(feed: FreezeDeps['feed'], live: FreezeDeps['live']): void {
  if (!isLost(feed)) return;
  for (const hosted of [...live.values()]) {
    if (hosted.options.lockMode !== 'strict') continue;
    if (hosted.nature.isGuest) hosted.letGo(LOCKS_UNKNOWN);
    else hosted.finish(LOCKS_UNKNOWN);
  }
}

export function freezeWhileLost({ feed, live, decideAll, log }: FreezeDeps): { look(): Promise<void>; close(): void } {
  let thawing = false;
  const look = async () => {
    endStrict(feed, live);
    const held = [...live.values()];
    if (isFrozen(feed)) {
      const moving = held.filter(({ isSuspended }) => !isSuspended);
      if (moving.length > 0) log.error({ sessions: moving.length }, 'the store is lost: open sessions are held up');
      for (const hosted of moving) {
        if (hosted.nature.isGuest) hosted.letGo(STORE_LOST);
        // Nothing asks it before each byte whether that may pass.
        else if (hosted.nature.cannotWait && !hosted.nature.isCutInParts) hosted.finish(STORE_LOST);
        else hosted.suspend(true);
      }
      // Also of those that are held up already: what was on its way when the store was lost may have come since.
      for (const { parts } of held) parts.cut(STORE_LOST);
      return;
    }
    if (thawing || !held.some(({ isSuspended }) => isSuspended)) return;
    thawing = true;
    try {
      // Whatever was committed meanwhile counts before the first byte passes.
      await feed.settled();
      await decideAll();
      if (!isFrozen(feed)) for (const hosted of live.values()) hosted.suspend(false);
    } catch (error) {
      log.warn({ error }, 'sessions that were held up cannot be decided yet');
    } finally {
      thawing = false;
    }
  };
  const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return { look, close: () => clearInterval(timer) };
}
