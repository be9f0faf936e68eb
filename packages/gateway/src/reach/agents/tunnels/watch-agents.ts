/** Ends tunnels that may no longer be: of agents that were removed, locked, or are connected elsewhere by now. */
import type { AccessControl } from '../../../access/create-access.ts';
import type { ChangeFeed } from '../../../platform/change-feed/change-feed.ts';
import type { Change } from '../../../platform/change-feed/change-store.ts';
import type { Log } from '../../../platform/std/log.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { AGENT_TOPIC, agentChange, currentConnections } from '../registry/agent-store.ts';
import { type LiveAgents, LOCKED, REMOVED } from './live-agents.ts';

const CHUNK = 500;

export interface WatchDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
  access: Pick<AccessControl, 'lockOnAgent' | 'onChange'>;
  live: LiveAgents;
  log: Log;
}

/** Gives back how to stop. */
export function watchAgents({ db, feed, access, live, log }: WatchDeps): () => void {
  const background = (work: Promise<unknown>) =>
    void work.catch((error: unknown) => log.warn({ error }, 'an agent cannot be disconnected'));

  /** Asks the store: a notice may be older than the connection we hold. */
  async function check(ids: readonly string[]): Promise<void> {
    for (let start = 0; start < ids.length; start += CHUNK) {
      const chunk = ids.slice(start, start + CHUNK);
      const current = await currentConnections(db, chunk);
      for (const id of chunk) {
        const held = live.get(id);
        const now = current.get(id);
        if (now === undefined) await live.disconnect(id, REMOVED);
        else if (held && now !== held.connection) await live.replaced(held);
      }
    }
  }

  async function heard({ id, data }: Change): Promise<void> {
    const { removed, connection } = agentChange.parse(data ?? {});
    const held = live.get(id);
    if (removed) return live.disconnect(id, REMOVED);
    // It joined again while it was connected: what it may offer has changed.
    if (connection === undefined) return live.disconnect(id, 'this agent joined anew', { retry: true });
    if (held && connection !== held.connection) await check([id]);
  }

  const subscription = feed.subscribe([AGENT_TOPIC], {
    change: async (change) => background(heard(change)),
    gap: async () => background(check(live.held().map(({ agent }) => agent.id))),
  });
  const stopLocks = access.onChange(() => {
    for (const { agent } of live.held()) {
      const lock = access.lockOnAgent(agent);
      if (lock) background(live.disconnect(agent.id, LOCKED, { retry: true }));
    }
  });
  return () => {
    subscription.close();
    stopLocks();
  };
}
