/** The numbers by which clients of MySQL know their own connections, where they were greeted before there was one to the server: a client cancels what it runs by naming its number on a second connection, which may come to another gateway. */
import { hash, randomInt, randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Change } from '../../platform/change-feed/change-store.ts';
import { publish } from '../../platform/change-feed/publish.ts';
import { createRateLimit } from '../../platform/http/rate-limit.ts';
import type { OtherGateways } from './served-keys.ts';

export interface ServedThreads {
  /** One that nobody has. */
  next(): number;
  /** Until the session is over. `owner`: by whom alone it may be named. */
  add(own: number, thread: { owner: string; thread: number }): () => void;
  /** The server's number; undefined where it is nobody's here, or somebody else's. */
  threadOf(own: number, owner: string): number | undefined;
  /** The same of other gateways, for what nobody has here; undefined where there are none, or it cannot be one. */
  askOthers(own: number, owner: string): Promise<number | undefined> | undefined;
  close(): void;
}

/** Where the numbers of real servers do not come, and none is below zero to clients that read them with a sign. */
const [FIRST, LAST] = [0x4000_0000, 0x7fff_ffff];
const ASKED_TOPIC = 'db-thread-asked';
const FOUND_TOPIC = 'db-thread-found';
/** Whoever has it says so at once; of a number that is nobody's, nobody says anything. */
const ANSWER_MS = 1_000;
/** Each question is a line in the store that every gateway reads. By who asks: one that asks without end keeps nobody else from asking. */
const ASKED_BY_ONE = { burst: 20, perMinute: 60, keyOf: (owner: string) => owner };
const asked = z.object({ by: z.string() });
const found = z.object({ thread: z.int() });

export function createServedThreads(others?: OtherGateways): ServedThreads {
  const served = new Map<number, { owner: string; thread: number }>();
  /** What others read has neither the number nor who asks: whoever reads it can ask for nothing. */
  const heldBy = new Map<string, number>();
  const asking = others && ask(others, (name) => heldBy.get(name));
  return {
    next() {
      for (;;) {
        const own = randomInt(FIRST, LAST);
        if (!served.has(own)) return own;
      }
    },
    add(own, thread) {
      const name = nameOf(own, thread.owner);
      served.set(own, thread);
      if (asking) heldBy.set(name, thread.thread);
      return () => {
        served.delete(own);
        heldBy.delete(name);
      };
    },
    threadOf(own, owner) {
      const known = served.get(own);
      return known?.owner === owner ? known.thread : undefined;
    },
    askOthers(own, owner) {
      if (!asking || own < FIRST || own > LAST || served.has(own)) return undefined;
      return asking.threadOf(nameOf(own, owner), owner);
    },
    close: () => asking?.close(),
  };
}

function ask({ db, feed, log, now }: OtherGateways, threadHere: (name: string) => number | undefined) {
  const rate = createRateLimit(now, ASKED_BY_ONE);
  const waiting = new Map<string, (thread: number | undefined) => void>();
  const tell = (topic: string, id: string, data: object) =>
    db.transaction().execute((tx) => publish(tx, { topic, id, data }));

  function hear({ topic, id, data }: Change): void {
    if (topic === FOUND_TOPIC) {
      waiting.get(id)?.(found.safeParse(data).data?.thread);
      return;
    }
    const thread = threadHere(id);
    const by = asked.safeParse(data).data?.by;
    if (thread === undefined || by === undefined) return;
    // Not waited for: what follows is others' questions.
    tell(FOUND_TOPIC, by, { thread }).catch((error: unknown) =>
      log.warn({ error }, 'another gateway was not told of a connection that it asked for'),
    );
  }
  const following = feed.subscribe([ASKED_TOPIC, FOUND_TOPIC], {
    change: hear,
    // What was asked while nobody could hear is over, or is asked again.
    gap: () => {},
  });

  return {
    async threadOf(name: string, owner: string): Promise<number | undefined> {
      try {
        rate.take(owner);
      } catch {
        return undefined;
      }
      const by = randomUUID();
      const { promise, resolve } = Promise.withResolvers<number | undefined>();
      const timer = setTimeout(() => resolve(undefined), ANSWER_MS).unref();
      waiting.set(by, resolve);
      try {
        await Promise.race([tell(ASKED_TOPIC, name, { by }), promise]);
        return await promise;
      } catch (error) {
        log.warn({ error }, 'other gateways were not asked for a connection');
        return undefined;
      } finally {
        clearTimeout(timer);
        waiting.delete(by);
      }
    },
    close: () => following.close(),
  };
}

function nameOf(own: number, owner: string): string {
  return hash('sha256', `${own} ${owner}`, 'hex');
}
