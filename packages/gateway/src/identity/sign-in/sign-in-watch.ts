/** Tells whoever holds something open under a sign-in when that ends, and keeps the memory of sign-ins true. */
import { END_REASONS, type EndReason } from '@gatehouse/contract/identity/sign-ins';
import { z } from 'zod';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import type { Change } from '../../platform/change-feed/change-store.ts';
import type { LiveSignIn, SignInCache } from '../stores/sign-in-cache.ts';
import { isAlive } from '../stores/sign-in-store.ts';

/** Expiry and inactivity come without a change to hear of; sockets close within two seconds all the same. */
const LOOK_EVERY_MS = 1_000;

const signInChange = z.object({ user: z.string(), ended: z.enum(END_REASONS).optional() });

export interface SignInWatch {
  /** Calls back once, when the sign-in is over, or may not be used from that address any more. Gives back how to stop watching. */
  onEnd(signInId: string, listener: (reason: EndReason) => void, address?: string): () => void;
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
  somebodyPins(): boolean;
  isElsewhere(live: LiveSignIn, address: string): boolean;
}

type Listener = (reason: EndReason) => void;

export function createSignInWatch(deps: WatchDeps): SignInWatch {
  const { feed, cache, now, isLocked, alive } = deps;
  /** By sign-in: who listens, and where from as far as that is known. */
  const watched = new Map<string, Map<Listener, string | undefined>>();

  const tell = (id: string, reason: EndReason) => {
    const listeners = watched.get(id);
    watched.delete(id);
    for (const listener of listeners?.keys() ?? []) listener(reason);
  };
  const tellElsewhere = async (id: string) => {
    const live = await cache.signIn(id);
    for (const [listener, address] of [...(watched.get(id) ?? [])]) {
      if (!live || address === undefined || !deps.isElsewhere(live, address)) continue;
      watched.get(id)?.delete(listener);
      listener('other_address');
    }
  };
  const look = async () => {
    const pins = deps.somebodyPins();
    for (const id of [...watched.keys()]) {
      if (await alive(id)) {
        if (pins) await tellElsewhere(id);
        continue;
      }
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
    onEnd(signInId, listener, address) {
      const listeners = watched.get(signInId) ?? new Map<Listener, string | undefined>();
      watched.set(signInId, listeners.set(listener, address));
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
