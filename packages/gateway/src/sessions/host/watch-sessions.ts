/** Decides open sessions again whenever roles, locks, users or sign-ins change, and looks at the clock for all of them. */
import { END_REASONS, type EndReason } from '@gatehouse/contract/auth/sign-ins';
import { KINDS } from '@gatehouse/contract/kinds/kinds';
import { z } from 'zod';
import type { Actor } from '../../access/actor.ts';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import { findSignIn } from '../../auth/sign-in/sign-in-store.ts';
import type { ChangeFeed } from '../../changes/change-feed.ts';
import type { Log } from '../../std/log.ts';
import type { Db } from '../../storage/tables.ts';
import { findUser } from '../../users/user-store.ts';
import { whyNot } from './admit.ts';
import type { HostedSession, Participant } from './hosted-session.ts';
import { joinRules } from './moderation.ts';
import { joining } from './session-rights.ts';
import { SESSION_TOPIC, type Session, type SessionEnd } from './session-store.ts';

const LOOK_EVERY_MS = 1_000;
/** A burst of changes is decided once; well within the two seconds in which a session must be over. */
const SETTLE_MS = 50;

const signInChange = z.object({ ended: z.enum(END_REASONS).optional() });
/** The sockets close; whoever signs in again finds the session. */
const KEEPS_SESSIONS: ReadonlySet<EndReason> = new Set(['inactive', 'expired']);

interface WatchDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe'>;
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
      if (!ended || KEEPS_SESSIONS.has(ended)) return undefined;
      return endSignedOut(deps, id, ended);
    },
    gap: decide,
  });
  const forget = access.onChange(decide);
  const clock = setInterval(() => {
    for (const hosted of live.values()) {
      const end = hosted.overdue();
      if (end) hosted.finish(end);
    }
    void deps.tick().catch((error: unknown) => log.warn({ error }, 'sessions cannot be looked after'));
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

async function endSignedOut(deps: WatchDeps, signInId: string, reason: EndReason): Promise<void> {
  for (const hosted of [...deps.live.values()]) {
    for (const who of [...hosted.participants.values()])
      if (who.actor.signInId === signInId && who.actor.username !== hosted.session.user)
        remove(hosted, who, signedOut(reason));
    if (hosted.session.signInId !== signInId) continue;
    // A lock ends sign-ins too: then the lock is what has to be told.
    const owner = reason === 'ended_by_administrator' ? await ownerOf(deps, hosted.session) : undefined;
    const why = owner && whyNot(deps.access, owner, hosted.session.action);
    hosted.finish(why ?? signedOut(reason));
  }
}

/** They count no longer from now on, however long their line takes to close. */
function remove(hosted: HostedSession, who: Participant, why: SessionEnd): void {
  who.onRemoved(why);
  hosted.leave(who.id, 'left');
}

async function decideAll(deps: WatchDeps): Promise<void> {
  const owners = new Map<string, Actor | undefined>();
  const ofUser = async (session: Pick<Session, 'user' | 'signInId'>) => {
    if (!owners.has(session.user)) owners.set(session.user, await ownerOf(deps, session));
    return owners.get(session.user);
  };
  for (const hosted of [...deps.live.values()]) {
    const owner = await ofUser(hosted.session);
    const end = owner ? whyNot(deps.access, owner, hosted.session.action) : gone;
    if (end) hosted.finish(end);
    else await refreshTerms(deps, hosted, owner);
    for (const who of [...hosted.participants.values()]) {
      if (who.actor.username === hosted.session.user || !owner) continue;
      const actor = await ofUser({ user: who.actor.username, signInId: who.actor.signInId });
      const out = actor ? whyNot(deps.access, actor, joining(hosted.session, owner, who.mode)) : gone;
      if (out) remove(hosted, who, out);
      else if (actor) who.actor = { ...who.actor, roles: actor.roles, traits: actor.traits };
    }
    hosted.reconsider();
  }
}

/** The limits of the owner's roles as they are now. */
export async function refreshTerms(
  { db, access }: Pick<WatchDeps, 'db' | 'access'>,
  hosted: HostedSession,
  owner: Actor | undefined,
): Promise<void> {
  const held = owner ? access.of(owner) : { roles: [] };
  hosted.options = sessionOptions(held);
  hosted.rules = joinRules(held, KINDS[hosted.session.action.kind].sessionKind);
  const signIn = hosted.options.disconnectExpired ? await findSignIn(db, hosted.session.signInId) : undefined;
  hosted.expires = signIn?.expires;
}

const gone: SessionEnd = { cause: 'denied', message: 'the user was deleted' };

/** The user as they are now, under the sign-in the session stands on. */
export async function ownerOf(
  { db, access }: Pick<WatchDeps, 'db' | 'access'>,
  { user, signInId }: Pick<Session, 'user' | 'signInId'>,
): Promise<Actor | undefined> {
  const found = await findUser(db, user);
  if (!found) return undefined;
  const subject = { username: found.name, roles: found.roles, traits: found.traits };
  return {
    ...subject,
    signInId,
    signInKind: 'browser',
    authType: found.authType === 'local' ? 'local' : 'sso',
    acl: access.aclOf(subject),
  };
}

function signedOut(reason: EndReason): SessionEnd {
  const words: Record<EndReason, string> = {
    signed_out: 'you signed out',
    ended_by_user: 'you ended the sign-in it was opened under',
    ended_by_administrator: 'an administrator ended the sign-in it was opened under',
    inactive: 'you were signed out for inactivity',
    expired: 'the sign-in it was opened under has expired',
    credentials_reset: 'your credentials were reset',
    user_deleted: 'the user was deleted',
  };
  return { cause: 'signed_out', message: words[reason] };
}
