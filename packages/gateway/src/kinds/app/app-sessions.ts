/** Sessions with applications: found by their cookies, and what browsers do in them. The session host decides about them. */

import { hash } from 'node:crypto';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import type { Identity } from '../../identity/identity.ts';
import { isUsedElsewhere } from '../../identity/sign-in/tied-address.ts';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { requireStore } from '../../platform/change-feed/lost-store.ts';
import { sameText } from '../../platform/crypto/tokens.ts';
import type { Actor } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db } from '../../platform/storage/tables.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import type { SessionHost } from '../../sessions/host/session-host.ts';
import type { SessionNature, SessionPart } from '../../sessions/host/session-parts.ts';
import { findSession, type SessionEnd } from '../../sessions/host/session-store.ts';
import { type AppDirectory, versionOf } from './app-directory.ts';
import { findAppSession, removeAppSessions, sweepAppSessions } from './app-session-store.ts';
import type { AppDialer } from './dial-app.ts';
import { LiveAppSession } from './live-app-session.ts';
import { type SessionRulesDeps, sessionRules } from './session-rules.ts';

export interface AppSessionsDeps extends SessionRulesDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'silentMs'>;
  access: AccessControl;
  host: SessionHost;
  identity: Pick<Identity, 'active' | 'requireHere'>;
  directory: AppDirectory;
  dialer: AppDialer;
  events: Pick<EventStream, 'write'>;
  log: Log;
}

/** What a browser shows of itself; made once for headers that repeat. Its secrets are in it only as hashes. */
export interface Proof {
  session: string;
  subject: string;
  userAgent: string;
}

export interface AppSessions {
  /** At once where it is known here. */
  known(proof: Proof): LiveAppSession | undefined;
  /** Also from the store. */
  find(cookie: string): Promise<LiveAppSession | undefined>;
  /** Whether both cookies and the browser are those of the session. */
  fits(live: LiveAppSession, proof: Proof, address: string): boolean;
  /** Somebody does something in it; `acts`: by hand, as far as one can tell. */
  touch(live: LiveAppSession, acts: boolean): void;
  end(live: LiveAppSession, end: SessionEnd): Promise<void>;
  close(): void;
}

const TOUCH_MS = 1_000;
const SWEEP_MS = 10_000;
/** Cookies that are nothing are asked for once in a while, not at every request. */
const MISS_MS = 2_000;
const MAX_MISSES = 1_000;

const CHANGED: SessionEnd = { cause: 'failed', message: 'the application was changed' };
const REMOVED: SessionEnd = { cause: 'failed', message: 'the application was removed' };
const UNUSED: SessionEnd = { cause: 'closed', message: 'it was never opened' };
/** Whoever opened it counts how long nobody uses it. */
const AS_GUEST: SessionNature = { neverIdle: true };

export function userAgentKey(userAgent: string): string {
  // Never empty: that stands for a session no browser has taken yet.
  return hash('sha256', `agent ${userAgent}`, 'base64url');
}

export function proofOf({ session, subject }: { session: string; subject: string }, userAgent: string): Proof {
  return { session: hashOf(session), subject: hashOf(subject), userAgent: userAgentKey(userAgent) };
}

export function createAppSessions(deps: AppSessionsDeps): AppSessions {
  const { db, feed, access, host, identity, directory, dialer, events, log, now } = deps;
  const live = new Map<string, LiveAppSession>();
  const loading = new Map<string, Promise<LiveAppSession | undefined>>();
  const misses = new Map<string, number>();

  const finish = (session: LiveAppSession, end: SessionEnd) => {
    if (live.get(session.stored.hash) === session) live.delete(session.stored.hash);
    session.finish(end);
  };

  async function load(cookieHash: string): Promise<LiveAppSession | undefined> {
    requireStore(feed);
    const stored = await findAppSession(db, cookieHash, now());
    const session = stored && (await findSession(db, deps.clusterName, stored.session));
    if (!stored || !session || session.ended || session.action.kind !== 'app') return undefined;
    const app = directory.byName(session.action.resource.name);
    const person = await host.owner(session);
    if (!app || !person) return undefined;
    // What was allowed is what is reached: another one by now, or for others, has to be asked for anew.
    if (app.version !== versionOf(session.action.resource)) return undefined;
    if (await isElsewhere({ stored, session }, person)) return undefined;
    const made = new LiveAppSession({
      stored,
      session,
      app,
      ...termsOf({ app, stored, session }, person),
      async dial(signal, use) {
        const listed = directory.byName(app.resource.name);
        // The host ends it in a moment; until then nothing else is dialled than what was allowed.
        if (listed && listed.version !== app.version)
          throw new AppError('target_unreachable', 'the application was changed: open it again');
        const who = { user: session.user, session: session.id };
        const { user: username, signInId, mfa } = session;
        const person = { username, signInId, address: stored.address || session.address, session: session.id, mfa };
        return dialer.dial(listed ?? app, { who, person, signal, largeReads: use === 'requests' });
      },
      events,
      log,
      now,
    });
    // One that no browser has taken yet is about to change: it is kept once one has.
    const isKept = stored.userAgent !== '';
    const hosted = await host.follow({
      session,
      owner: person,
      nature: AS_GUEST,
      ...(isKept && { part: partOf(made) }),
    });
    if (hosted.end || made.end) return undefined;
    // Perhaps it was changed before the host knew whom to tell.
    const listed = directory.byName(app.resource.name);
    if (listed?.version !== app.version) {
      await end(made, listed ? CHANGED : REMOVED);
      return undefined;
    }
    if (isKept) {
      live.set(cookieHash, made);
      takeAddress(hosted, stored.address);
    }
    return made;
  }

  /** What the session tells of itself is all that keeps it: nobody else decides about it. */
  const partOf = (made: LiveAppSession): SessionPart => ({
    onTerms: (owner) => void Object.assign(made, termsOf(made, owner)),
    onEnd(end) {
      finish(made, end);
      if (!host.get(made.session.id)?.released) removeAppSessions(db, made.session.id).catch(notRemoved);
    },
    onCut: (end) => finish(made, end),
  });

  /** What is left in the store is swept when it expires. */
  const notRemoved = (error: unknown) => log.error({ error }, 'the cookies of an application cannot be removed');

  /** Its cookies are good at one address only; whether that is the one the sign-in is tied to is another question. */
  const isElsewhere = ({ stored, session }: Pick<LiveAppSession, 'stored' | 'session'>, person: Actor) =>
    stored.address === ''
      ? Promise.resolve(false)
      : isUsedElsewhere(deps, person, { signInId: session.signInId, address: stored.address });

  const termsOf = ({ app, stored, session }: Pick<LiveAppSession, 'app' | 'stored' | 'session'>, person: Actor) => ({
    rules: sessionRules(deps, { app, person, address: stored.address || session.address, session: session.id }),
    tellsRequests: sessionOptions(access.of(person)).appRequests,
  });

  async function end(session: LiveAppSession, why: SessionEnd): Promise<void> {
    finish(session, why);
    await host.end(session.session.id, why);
    await removeAppSessions(db, session.session.id);
  }

  const sweeper = setInterval(() => {
    void sweepAppSessions(db, now())
      .then((unused) => Promise.all(unused.map((id) => host.end(id, UNUSED))))
      .catch((error: unknown) => log.warn({ error }, 'sessions with applications cannot be swept'));
  }, SWEEP_MS).unref();

  return {
    known: ({ session }) => live.get(session),
    find(cookie) {
      const cookieHash = hashOf(cookie);
      const known = live.get(cookieHash);
      if (known) return Promise.resolve(known);
      const missed = misses.get(cookieHash);
      if (missed !== undefined && performance.now() - missed < MISS_MS) return Promise.resolve(undefined);
      const under = loading.get(cookieHash);
      if (under) return under;
      const started = load(cookieHash)
        .then((found) => {
          if (misses.size >= MAX_MISSES) misses.clear();
          if (found) misses.delete(cookieHash);
          else misses.set(cookieHash, performance.now());
          return found;
        })
        .finally(() => loading.delete(cookieHash));
      loading.set(cookieHash, started);
      return started;
    },
    fits({ stored, session }, { subject, userAgent }, address) {
      if (!sameText(stored.subjectHash, subject) || !sameText(stored.userAgent, userAgent)) return false;
      if (stored.address === address) return true;
      // Whoever holds both cookies elsewhere is told to the log where a role ties the sign-in.
      identity.requireHere(session.signInId, { address, door: 'application' }).catch(() => undefined);
      return false;
    },
    touch(session, acts) {
      const time = now();
      if (time - session.touched < TOUCH_MS) return;
      session.touched = time;
      host.get(session.session.id)?.active(session.session.id);
      if (acts) identity.active(session.session.signInId);
    },
    end,
    close() {
      clearInterval(sweeper);
      for (const session of [...live.values()])
        finish(session, { cause: 'gateway_stopping', message: 'the gateway is closing' });
    },
  };
}

/** The address of the browser that has it is what its sign-in is held to. */
function takeAddress(hosted: HostedSession, address: string): void {
  const { id, session } = hosted;
  const known = hosted.participants.get(id);
  if (known) known.address = address;
  else {
    const { user: username, signInId } = session;
    hosted.enter({ id, username, signInId, address, mode: 'peer', onRemoved: (end) => hosted.finish(end) });
  }
}

function hashOf(text: string): string {
  return hash('sha256', text, 'hex');
}
