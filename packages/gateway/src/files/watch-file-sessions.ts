/** Ends the use of files within two seconds of whatever takes it away: a lock, a role, a sign-out, a limit. */
import { END_REASONS } from '@gatehouse/contract/auth/sign-ins';
import { z } from 'zod';
import type { Actor } from '../access/actor.ts';
import type { AccessControl } from '../access/create-access.ts';
import { findSignIn } from '../auth/sign-in/sign-in-store.ts';
import type { ChangeFeed } from '../changes/change-feed.ts';
import { isFrozen } from '../changes/lost-store.ts';
import { whyNot } from '../sessions/host/admit.ts';
import { ownerOf } from '../sessions/host/decide-session.ts';
import type { SessionEnd } from '../sessions/host/session-store.ts';
import type { Log } from '../std/log.ts';
import type { Db } from '../storage/tables.ts';
import { isUnproven, limitsOf, UNPROVEN, whyNoFiles } from './file-rights.ts';
import type { FileSession } from './file-session.ts';

const LOOK_EVERY_MS = 1_000;
/** A burst of changes is decided once. */
const SETTLE_MS = 50;

const signInChange = z.object({ ended: z.enum(END_REASONS).optional() });

export interface WatchDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe' | 'silentMs'>;
  access: AccessControl;
  log: Log;
}

export function watchFileSessions(deps: WatchDeps, live: Map<string, FileSession>): { close(): void } {
  const { feed, access, log } = deps;
  let timer: NodeJS.Timeout | undefined;
  let deciding = Promise.resolve();
  /** Sign-outs may have been missed. */
  let asksSignIn = false;

  const decide = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      deciding = deciding
        .then(async () => {
          await decideAll(deps, live, asksSignIn);
          asksSignIn = false;
        })
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
    gap() {
      asksSignIn = true;
      decide();
    },
  });
  const forget = access.onChange(decide);
  const clock = setInterval(() => {
    for (const [id, session] of live) {
      const end = isFrozen(feed) ? LOST : session.overdue();
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
    session.finish(why ?? SIGNED_OUT);
  }
}

async function decideAll(deps: WatchDeps, live: ReadonlyMap<string, FileSession>, asksSignIn: boolean): Promise<void> {
  for (const session of [...live.values()]) await decideFiles(deps, session, { asksSignIn });
}

const LOST: SessionEnd = { cause: 'failed', message: 'the gateway has lost its database' };
const GONE: SessionEnd = { cause: 'denied', message: 'the user was deleted' };
const SIGNED_OUT: SessionEnd = { cause: 'signed_out', message: 'the sign-in it was opened under has ended' };

/** Ends it, and what is being copied, or lets it go on under the terms of now. */
export async function decideFiles(
  deps: Pick<WatchDeps, 'db' | 'access'>,
  session: FileSession,
  { asksSignIn }: { asksSignIn: boolean },
): Promise<void> {
  const { facts } = session;
  const owner = await ownerOf(deps, facts);
  if (!owner) return session.finish(GONE);
  const options = limitsOf(deps.access, owner);
  const signIn = asksSignIn || options.disconnectExpired ? await findSignIn(deps.db, facts.signInId) : undefined;
  // Without a wait after it: what is applied is what was decided.
  const end = whyOver(deps.access, owner, facts);
  if (end) return session.finish(end);
  if (asksSignIn && (!signIn || signIn.ended)) return session.finish(SIGNED_OUT);
  session.options = limitsOf(deps.access, owner);
  session.expires = options.disconnectExpired ? signIn?.expires : undefined;
  const over = session.overdue();
  if (over) session.finish(over);
}

function whyOver(access: AccessControl, owner: Actor, facts: FileSession['facts']): SessionEnd | undefined {
  const refusal = whyNot(access, owner, facts.action);
  if (refusal) return refusal;
  const message = whyNoFiles(access, owner) ?? (isUnproven(access, owner, facts) ? UNPROVEN : undefined);
  return message === undefined ? undefined : { cause: 'denied', message };
}
