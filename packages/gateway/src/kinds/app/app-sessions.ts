/** Sessions with applications: found by their cookies, decided again when something changes, and ended within two seconds. */

import { hash } from 'node:crypto';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { AccessControl } from '../../access/create-access.ts';
import { sessionOptions } from '../../access/session-options.ts';
import type { Identity } from '../../identity/identity.ts';
import { isUsedElsewhere, OTHER_ADDRESS } from '../../identity/sign-in/tied-address.ts';
import { findSignIn, isAlive } from '../../identity/stores/sign-in-store.ts';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { isFrozen, isLost, requireStore } from '../../platform/change-feed/lost-store.ts';
import { sameText } from '../../platform/crypto/tokens.ts';
import type { Actor } from '../../platform/http/actor.ts';
import type { Log } from '../../platform/std/log.ts';
import { createRounds } from '../../platform/std/rounds.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { whyOver } from '../../sessions/host/admit.ts';
import { LOCKS_UNKNOWN, STORE_LOST } from '../../sessions/host/freeze-lost.ts';
import type { Owners } from '../../sessions/host/owners.ts';
import type { SessionHost } from '../../sessions/host/session-host.ts';
import { findSession, findSessions, SESSION_TOPIC, type SessionEnd } from '../../sessions/host/session-store.ts';
import { type AppDirectory, versionOf } from './app-directory.ts';
import { findAppSession, removeAppSessions, sweepAppSessions } from './app-session-store.ts';
import type { AppDialer } from './dial-app.ts';
import { LiveAppSession } from './live-app-session.ts';
import { type SessionRulesDeps, sessionRules } from './session-rules.ts';

export interface AppSessionsDeps extends SessionRulesDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe' | 'silentMs'>;
  access: AccessControl;
  owners: Owners;
  host: SessionHost;
  identity: Pick<Identity, 'onSignInEnd' | 'active' | 'requireHere'>;
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
const LOST_LOOK_MS = 1_000;
const SETTLE_MS = 50;
const RETRY_MS = 250;
/** Cookies that are nothing are asked for once in a while, not at every request. */
const MISS_MS = 2_000;
const MAX_MISSES = 1_000;

const CHANGED: SessionEnd = { cause: 'failed', message: 'the application was changed' };
const REMOVED: SessionEnd = { cause: 'failed', message: 'the application was removed' };
const UNUSED: SessionEnd = { cause: 'closed', message: 'it was never opened' };
const SIGNED_OUT: SessionEnd = { cause: 'signed_out', message: 'the sign-in it was opened under is over' };
const ELSEWHERE: SessionEnd = { cause: 'denied', message: OTHER_ADDRESS };
const GONE: SessionEnd = { cause: 'denied', message: 'the user was deleted' };

export function userAgentKey(userAgent: string): string {
  // Never empty: that stands for a session no browser has taken yet.
  return hash('sha256', `agent ${userAgent}`, 'base64url');
}

export function proofOf({ session, subject }: { session: string; subject: string }, userAgent: string): Proof {
  return { session: hashOf(session), subject: hashOf(subject), userAgent: userAgentKey(userAgent) };
}

export function createAppSessions(deps: AppSessionsDeps): AppSessions {
  const { db, feed, access, owners, host, identity, directory, dialer, events, log, now } = deps;
  const live = new Map<string, LiveAppSession>();
  const loading = new Map<string, Promise<LiveAppSession | undefined>>();
  const misses = new Map<string, number>();

  const finish = (session: LiveAppSession, end: SessionEnd) => {
    live.delete(session.stored.hash);
    session.finish(end);
  };

  /** Here it is over already; what is left in the store is swept when it expires. */
  const notEnded = (error: unknown) => log.error({ error }, 'a session with an application cannot be ended');

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
    if (whyOver(access, person, session)) return undefined;
    if (await isElsewhere({ stored, session }, person)) return undefined;
    const made = new LiveAppSession({
      stored,
      session,
      app,
      ...termsOf({ app, stored, session }, person),
      dial: (signal, use) =>
        dialer.dial(directory.byName(app.resource.name) ?? app, {
          who: { user: session.user, session: session.id },
          signal,
          largeReads: use === 'requests',
        }),
      events,
      log,
      now,
    });
    // An unbound one is about to change: it is kept once a browser has taken it.
    const isKept = stored.userAgent !== '';
    if (isKept) watch(made);
    // Asked for after it is watched: a sign-out in between would be heard by nobody, and the page open once more.
    if (!(await isSignedIn(session.signInId))) {
      made.finish(SIGNED_OUT);
      return undefined;
    }
    const other = live.get(cookieHash);
    if (other || !isKept || made.end) return other ?? made;
    live.set(cookieHash, made);
    // Where changes find it from now on: what changed since it was decided was heard by nobody who knew of it.
    const personNow = await host.owner(session);
    const appNow = directory.byName(app.resource.name);
    const changed = appNow ? CHANGED : REMOVED;
    const why = personNow ? whyOver(access, personNow, session) : GONE;
    if (why || appNow?.version !== app.version) await end(made, why ?? changed);
    return made.end ? undefined : made;
  }

  /** Whoever works on the machine of the gateway itself has no sign-in that could end. */
  async function isSignedIn(id: string): Promise<boolean> {
    if (id === '') return true;
    const signIn = await findSignIn(db, id);
    return signIn !== undefined && isAlive(signIn, now());
  }

  /** Its cookies are good at one address only; whether that is the one the sign-in is tied to is another question. */
  const isElsewhere = ({ stored, session }: Pick<LiveAppSession, 'stored' | 'session'>, person: Actor) =>
    stored.address === ''
      ? Promise.resolve(false)
      : isUsedElsewhere(deps, person, { signInId: session.signInId, address: stored.address });

  const termsOf = ({ app, stored, session }: Pick<LiveAppSession, 'app' | 'stored' | 'session'>, person: Actor) => ({
    rules: sessionRules(deps, { app, person, address: stored.address || session.address, session: session.id }),
    tellsRequests: sessionOptions(access.of(person)).appRequests,
    isStrict: sessionOptions(access.of(person)).lockMode === 'strict',
  });

  function watch(session: LiveAppSession): void {
    const forget = identity.onSignInEnd(session.session.signInId, (reason) => {
      finish(session, SIGNED_OUT);
      end(session, { cause: 'signed_out', message: `signed out: ${reason}` }).catch(notEnded);
    });
    session.add(forget);
    const hosted = host.get(session.session.id);
    if (hosted) whenAborted(hosted.signal, () => finish(session, hosted.end ?? REMOVED));
  }

  async function end(session: LiveAppSession, why: SessionEnd): Promise<void> {
    finish(session, why);
    await host.end(session.session.id, why);
    await removeAppSessions(db, session.session.id);
  }

  /** Cut first, written afterwards: nobody's page stays open because the end of another's takes its time. */
  async function decideThose(sessions: readonly LiveAppSession[]): Promise<void> {
    if (sessions.length === 0) return;
    const ownerOf = await owners.all(sessions.map(({ session }) => session.user));
    const over: [LiveAppSession, SessionEnd][] = [];
    for (const session of sessions) {
      if (session.end) continue;
      const person = ownerOf(session.session);
      const why = person ? whyOver(access, person, session.session) : GONE;
      const isOut = person && !why && (await isElsewhere(session, person));
      if (person && !why && !isOut) {
        Object.assign(session, termsOf(session, person));
        continue;
      }
      const end = why ?? (isOut ? ELSEWHERE : GONE);
      finish(session, end);
      over.push([session, end]);
    }
    for (const [session, why] of over)
      await end(session, why).catch((error: unknown) =>
        log.error({ error }, 'a session with an application cannot be ended'),
      );
  }

  let doubted = new Set<LiveAppSession>();
  const deciding = createRounds({
    settleMs: SETTLE_MS,
    retryMs: RETRY_MS,
    async work() {
      const now = doubted;
      doubted = new Set();
      try {
        await decideThose([...now]);
      } catch (error) {
        doubted = new Set([...doubted, ...now]);
        throw error;
      }
    },
    failed: (error) => log.error({ error }, 'sessions with applications cannot be decided again; trying once more'),
  });
  const doubt = (isDoubted: (live: LiveAppSession) => boolean) => {
    const found = [...live.values()].filter(isDoubted);
    for (const session of found) doubted.add(session);
    if (found.length > 0) deciding.soon();
  };
  const doubtAll = () => doubt(() => true);
  const endedElsewhere = async (mine: readonly LiveAppSession[]) => {
    if (mine.length === 0) return;
    const ids = mine.map(({ session }) => session.id);
    const known = new Map((await findSessions(db, deps.clusterName, ids)).map((session) => [session.id, session]));
    for (const session of mine) {
      const now = known.get(session.session.id);
      if (!now || now.ended) finish(session, now?.ended ?? REMOVED);
    }
  };
  const subscriptions = [
    feed.subscribe(['user'], {
      change({ id }) {
        owners.changed(id);
        doubt(({ session }) => session.user === id);
      },
      gap() {
        owners.forget();
        doubtAll();
      },
    }),
    feed.subscribe([SESSION_TOPIC], {
      change: ({ id }) => endedElsewhere([...live.values()].filter(({ session }) => session.id === id)),
      gap: () => endedElsewhere([...live.values()]),
    }),
  ];
  const forgetAccess = access.onChange(doubtAll);
  directory.onChange(() => {
    for (const session of [...live.values()]) {
      const app = directory.byName(session.app.resource.name);
      if (app?.version === session.app.version) continue;
      end(session, app ? CHANGED : REMOVED).catch(notEnded);
    }
  });
  const lostLook = setInterval(() => {
    if (!isLost(feed)) return;
    for (const session of [...live.values()])
      if (session.isStrict) finish(session, LOCKS_UNKNOWN);
      // On this gateway only: the session itself goes on where the store is heard, and here once it is.
      else if (isFrozen(feed)) finish(session, STORE_LOST);
  }, LOST_LOOK_MS).unref();
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
      deciding.close();
      clearInterval(sweeper);
      clearInterval(lostLook);
      forgetAccess();
      for (const subscription of subscriptions) subscription.close();
      for (const session of [...live.values()])
        finish(session, { cause: 'gateway_stopping', message: 'the gateway is closing' });
    },
  };
}

function hashOf(text: string): string {
  return hash('sha256', text, 'hex');
}
