/** Decides open sessions again whenever roles, locks, users or sign-ins change, and looks at the clock for all of them. */
import { END_REASONS, type EndReason } from '@gatehouse/contract/auth/sign-ins';
import { z } from 'zod';
import type { Actor } from '../../access/actor.ts';
import type { AccessControl } from '../../access/create-access.ts';
import type { ChangeFeed } from '../../changes/change-feed.ts';
import type { Log } from '../../std/log.ts';
import type { Db } from '../../storage/tables.ts';
import { whyNot } from './admit.ts';
import { decideSession, endIfSignedOut, ownerOf, type ReadPerson } from './decide-session.ts';
import { freezeWhileLost } from './freeze-lost.ts';
import type { HostedSession } from './hosted-session.ts';
import { SESSION_TOPIC } from './session-store.ts';
import { outlivesSignIn, signedOut } from './signed-out.ts';

const LOOK_EVERY_MS = 1_000;
/** A burst of changes is decided once; well within the two seconds in which a session must be over. */
const SETTLE_MS = 50;

const signInChange = z.object({ ended: z.enum(END_REASONS).optional() });

interface WatchDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe' | 'silentMs' | 'settled'>;
  access: AccessControl;
  live: ReadonlyMap<string, HostedSession>;
  tick(): Promise<void>;
  /** Something of it was written, here or on another gateway. */
  changed(hosted: HostedSession): Promise<void>;
  log: Log;
}

export function createSessionWatch(deps: WatchDeps): { close(): void } {
  const { feed, access, live, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let deciding = Promise.resolve();

  const decide = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      deciding = deciding
        .then(() => decideAll(deps))
        .catch((error: unknown) => {
          log.error({ error }, 'open sessions cannot be decided again; trying once more');
          decide();
        });
    }, SETTLE_MS).unref();
  };
  const subscription = feed.subscribe(['user', 'sign-in', SESSION_TOPIC], {
    change({ topic, id, data }) {
      if (topic === 'user') return decide();
      if (topic === SESSION_TOPIC) {
        const hosted = live.get(id);
        return hosted && deps.changed(hosted);
      }
      const { ended } = signInChange.safeParse(data).data ?? {};
      if (!ended || outlivesSignIn(ended)) return undefined;
      return endSignedOut(deps, id, ended);
    },
    async gap() {
      decide();
      for (const hosted of [...live.values()]) await endIfSignedOut(deps, hosted);
    },
  });
  const forget = access.onChange(decide);
  const clock = setInterval(() => {
    for (const hosted of live.values()) {
      const end = hosted.overdue();
      if (end) hosted.finish(end);
    }
    void deps.tick().catch((error: unknown) => log.warn({ error }, 'sessions cannot be looked after'));
  }, LOOK_EVERY_MS).unref();

  const freeze = freezeWhileLost({ feed, live, decideAll: () => decideAll(deps), log });

  return {
    close() {
      freeze.close();
      subscription.close();
      forget();
      clearTimeout(timer);
      clearInterval(clock);
    },
  };
}

async function endSignedOut(deps: WatchDeps, signInId: string, reason: EndReason): Promise<void> {
  for (const hosted of [...deps.live.values()]) {
    for (const who of [...hosted.participants.values()])
      if (who.signInId === signInId && who.username !== hosted.session.user) hosted.remove(who, signedOut(reason));
    if (hosted.session.signInId !== signInId) continue;
    // A lock ends sign-ins too: then the lock is what has to be told.
    const owner = reason === 'ended_by_administrator' ? await ownerOf(deps, hosted.session) : undefined;
    const why = owner && whyNot(deps.access, owner, hosted.session.action);
    hosted.finish(why ?? signedOut(reason));
  }
}

async function decideAll(deps: WatchDeps): Promise<void> {
  const people = new Map<string, Promise<Actor | undefined>>();
  const read: ReadPerson = (session) => {
    const known = people.get(session.user) ?? ownerOf(deps, session);
    people.set(session.user, known);
    return known;
  };
  for (const hosted of [...deps.live.values()]) await decideSession(deps, hosted, read);
}
