/** Ends the use of files within two seconds of whatever takes it away: a lock, a role, a sign-out, a limit. */
import { END_REASONS } from '@gatehouse/contract/auth/sign-ins';
import { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { AccessControl } from '../access/create-access.ts';
import { type SessionOptions, sessionOptions } from '../access/session-options.ts';
import { findSignIn } from '../auth/sign-in/sign-in-store.ts';
import type { ChangeFeed } from '../changes/change-feed.ts';
import { whyNot } from '../sessions/host/admit.ts';
import type { SessionEnd } from '../sessions/host/session-store.ts';
import { ownerOf } from '../sessions/host/watch-sessions.ts';
import type { Log } from '../std/log.ts';
import type { Db } from '../storage/tables.ts';
import type { FileSession } from './file-session.ts';

const LOOK_EVERY_MS = 1_000;
/** A burst of changes is decided once. */
const SETTLE_MS = 50;

const signInChange = z.object({ ended: z.enum(END_REASONS).optional() });

export interface WatchDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
  access: AccessControl;
  log: Log;
}

export function watchFileSessions(deps: WatchDeps, live: Map<string, FileSession>): { close(): void } {
  const { feed, access, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let deciding = Promise.resolve();

  const decide = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      deciding = deciding
        .then(() => decideAll(deps, live))
        .catch((error: unknown) => {
          log.error({ error }, 'files in use cannot be decided again; trying once more');
          decide();
        });
    }, SETTLE_MS).unref();
  };
  const subscription = feed.subscribe(['user', 'sign-in'], {
    change({ topic, id, data }) {
      if (topic === 'user') return decide();
      if (signInChange.safeParse(data).data?.ended === undefined) return undefined;
      return endSignedOut(deps, live, id);
    },
    gap: decide,
  });
  const forget = access.onChange(decide);
  const clock = setInterval(() => {
    for (const [id, session] of live) {
      const end = session.overdue();
      if (end) session.finish(end);
      else if (session.rest()) live.delete(id);
    }
  }, LOOK_EVERY_MS).unref();

  return {
    close() {
      subscription.close();
      forget();
      clearTimeout(timer);
      clearInterval(clock);
    },
  };
}

async function endSignedOut(deps: WatchDeps, live: ReadonlyMap<string, FileSession>, signInId: string): Promise<void> {
  for (const session of [...live.values()]) {
    if (session.facts.signInId !== signInId) continue;
    // A lock ends sign-ins too: then the lock is what has to be told.
    const owner = await ownerOf(deps, session.facts);
    const why = owner && whyNot(deps.access, owner, session.facts.action);
    session.finish(why ?? { cause: 'signed_out', message: 'the sign-in it was opened under has ended' });
  }
}

async function decideAll(deps: WatchDeps, live: ReadonlyMap<string, FileSession>): Promise<void> {
  for (const session of [...live.values()]) {
    const { facts } = session;
    const owner = await ownerOf(deps, facts);
    const end = owner ? whyNot(deps.access, owner, facts.action) : GONE;
    if (end) session.finish(end);
    else await refreshLimits(deps, session, owner);
    const over = session.overdue();
    if (over) session.finish(over);
  }
}

const GONE: SessionEnd = { cause: 'denied', message: 'the user was deleted' };

/** The limits of the owner's roles as they are now. */
export async function refreshLimits(
  { db, access }: Pick<WatchDeps, 'db' | 'access'>,
  session: FileSession,
  owner: Actor | undefined,
): Promise<void> {
  session.options = limitsOf(access, owner);
  const signIn = session.options.disconnectExpired ? await findSignIn(db, session.facts.signInId) : undefined;
  session.expires = signIn?.expires;
}

export function limitsOf(access: AccessControl, owner: Actor | undefined): SessionOptions {
  return sessionOptions(owner ? access.of(owner) : { roles: [] });
}
