/** Tells whoever holds something open under a sign-in when that ends, and keeps the memory of sign-ins true. */
import { END_REASONS, type EndReason } from '@gatehouse/contract/auth/sign-ins';
import { z } from 'zod';
import type { ChangeFeed } from '../../changes/change-feed.ts';
import type { Change } from '../../changes/change-store.ts';
import type { LiveSignIn, SignInCache } from './sign-in-cache.ts';
import { isAlive } from './sign-in-store.ts';

/** Expiry and inactivity come without a change to hear of; sockets close within two seconds all the same. */
const LOOK_EVERY_MS = 1_000;

const signInChange = z.object({ user: z.string(), ended: z.enum(END_REASONS).optional() });

export interface SignInWatch {
  /** Calls back once, when the sign-in is over. Gives back how to stop watching. */
  onEnd(signInId: string, listener: (reason: EndReason) => void): () => void;
  /** Looks at everything watched now. */
  look(): Promise<void>;
  close(): void;
}

interface WatchDeps {
  feed: ChangeFeed;
  cache: SignInCache;
  now: () => number;
  isLocked(live: LiveSignIn): boolean;
  /** The sign-in unless it is over; ends it when it has rested too long. */
  alive(signInId: string): Promise<boolean>;
}

export function createSignInWatch({ feed, cache, now, isLocked, alive }: WatchDeps): SignInWatch {
  const watched = new Map<string, Set<(reason: EndReason) => void>>();

  const tell = (id: string, reason: EndReason) => {
    const listeners = watched.get(id);
    watched.delete(id);
    for (const listener of listeners ?? []) listener(reason);
  };
  const look = async () => {
    for (const id of [...watched.keys()]) {
      if (await alive(id)) continue;
      cache.dropSignIn(id);
      const live = await cache.signIn(id);
      if (live && isAlive(live.signIn, now())) {
        if (isLocked(live)) tell(id, 'ended_by_administrator');
        continue;
      }
      tell(id, live?.signIn.ended?.reason ?? (live ? 'expired' : 'user_deleted'));
    }
  };
  const subscription = feed.subscribe(['sign-in', 'user'], {
    change({ topic, id, data }: Change) {
      if (topic === 'user') return cache.dropUser(id);
      cache.dropSignIn(id);
      const { ended } = signInChange.safeParse(data).data ?? {};
      if (ended) tell(id, ended);
    },
    async gap() {
      cache.dropAll();
      await look();
    },
  });
  const timer = setInterval(() => void look().catch(() => undefined), LOOK_EVERY_MS).unref();

  return {
    onEnd(signInId, listener) {
      const listeners = watched.get(signInId) ?? new Set();
      watched.set(signInId, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && watched.get(signInId) === listeners) watched.delete(signInId);
      };
    },
    look,
    close() {
      clearInterval(timer);
      subscription.close();
    },
  };
}
