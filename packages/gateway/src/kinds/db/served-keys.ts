/** The keys by which clients cancel what they run, of all sessions that this gateway serves; of others, every gateway on the same database is asked. */
import { hash } from 'node:crypto';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { publish } from '../../platform/change-feed/publish.ts';
import { createRateLimit } from '../../platform/http/rate-limit.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';

export interface ServedKeys {
  /** Until the session is over. */
  add(key: Buffer, cancel: () => Promise<void>): () => void;
  /** Nothing is told of a key that nobody has. */
  cancel(key: Buffer): Promise<void>;
  close(): void;
}

/** Where other gateways may serve what this one does not. */
export interface OtherGateways {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
  log: Log;
  now: () => number;
}

const CANCEL_TOPIC = 'db-cancel';
/** Anybody who reaches the port may name a key, and each that is unknown here would be written for the others to read. */
const ASKED_OF_OTHERS = { burst: 100, perMinute: 600, keyOf: () => '' };

export function createServedKeys(others?: OtherGateways): ServedKeys {
  const held = new Map<string, () => Promise<void>>();
  const cancelHere = async (name: string) => {
    await held
      .get(name)?.()
      .catch(() => {});
  };
  const asking = others && askOthers(others, (name) => void cancelHere(name));
  return {
    add(key, cancel) {
      const name = nameOf(key);
      held.set(name, cancel);
      return () => held.delete(name);
    },
    async cancel(key) {
      const name = nameOf(key);
      if (held.has(name)) await cancelHere(name);
      else await asking?.ask(name);
    },
    close: () => asking?.close(),
  };
}

function askOthers({ db, feed, log, now }: OtherGateways, hear: (name: string) => void) {
  const rate = createRateLimit(now, ASKED_OF_OTHERS);
  const following = feed.subscribe([CANCEL_TOPIC], {
    // Not waited for: a server that takes its time must not keep the next one waiting.
    change: ({ id }) => hear(id),
    // What was asked while nobody could hear is over, or is asked again.
    gap: () => {},
  });
  return {
    async ask(name: string): Promise<void> {
      try {
        rate.take('');
      } catch {
        // A line in the log for each would be their next way to fill a disk.
        return;
      }
      try {
        await db.transaction().execute((tx) => publish(tx, { topic: CANCEL_TOPIC, id: name }));
      } catch (error) {
        log.warn({ error }, 'other gateways were not asked to cancel a statement');
      }
    },
    close: () => following.close(),
  };
}

/** What others are asked by is written into the store: whoever reads that has no key by it. */
function nameOf(key: Buffer): string {
  return hash('sha256', key, 'hex');
}
