/** Decides open sessions again whenever roles, locks, users, sign-ins or servers change, and looks at the clock for all of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { END_REASONS, type EndReason } from '@gatehouse/contract/identity/sign-ins';
import { z } from 'zod';
import type { AccessControl } from '../../access/create-access.ts';
import { RESOURCE_TOPIC } from '../../inventory/resource-changes.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import type { Log } from '../../platform/std/log.ts';
import { createRounds } from '../../platform/std/rounds.ts';
import type { Db } from '../../platform/storage/tables.ts';
import { whyNot } from './admit.ts';
import { decideSessions, endIfSignedOut, endLockedSessions } from './decide-session.ts';
import { freezeWhileLost } from './freeze-lost.ts';
import type { HostedSession } from './hosted-session.ts';
import type { Owners } from './owners.ts';
import { concerns, type Lives, resourcesNow } from './resources-now.ts';
import { SESSION_TOPIC } from './session-store.ts';
import { endsBy, signedOut } from './signed-out.ts';

const LOOK_EVERY_MS = 1_000;
/** A burst of changes is decided once; well within the two seconds in which a session must be over. */
const SETTLE_MS = 50;
const RETRY_MS = 250;
/** Nobody's session stays open for longer because a lock cannot be read. */
const LOCKS_WITHIN_MS = 500;

const signInChange = z.object({ ended: z.enum(END_REASONS).optional() });

interface WatchDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe' | 'silentMs' | 'settled'>;
  access: AccessControl;
  owners: Owners;
  kinds: Lives;
  now: () => number;
  live: ReadonlyMap<string, HostedSession>;
  tick(): Promise<void>;
  /** Something of them was written, here or on another gateway. */
  changed(hosted: readonly HostedSession[]): Promise<void>;
  /** What it is with has other labels, or another name. */
  relabelled(hosted: HostedSession): void;
  log: Log;
}

export interface SessionWatch {
  /** Decides these soon, by their servers and sign-ins as they are now: for what has just come here. */
  decide(sessions: readonly HostedSession[]): void;
  close(): void;
}

/** What is to be decided in the next round. */
interface Doubts {
  all: boolean;
  users: Set<string>;
  /** Sessions whose server, or sign-in, may be another by now. */
  sessions: Set<string>;
}

export function createSessionWatch(deps: WatchDeps): SessionWatch {
  const { feed, access, live, owners, log } = deps;
  let doubts = noDoubts();
  const deciding = createRounds({
    settleMs: SETTLE_MS,
    retryMs: RETRY_MS,
    async work() {
      const now = doubts;
      doubts = noDoubts();
      try {
        await clear(deps, now);
      } catch (error) {
        doubts = {
          all: doubts.all || now.all,
          users: new Set([...doubts.users, ...now.users]),
          sessions: new Set([...doubts.sessions, ...now.sessions]),
        };
        throw error;
      }
    },
    failed: (error) => log.error({ error }, 'open sessions cannot be decided again; trying once more'),
  });
  const doubt = (work: (doubts: Doubts) => void) => {
    work(doubts);
    deciding.soon();
  };
  const doubtAll = () =>
    doubt((all) => {
      all.all = true;
    });
  const doubtThose = (sessions: readonly HostedSession[]) => {
    if (sessions.length === 0) return;
    doubt((those) => {
      for (const { id } of sessions) those.sessions.add(id);
    });
  };
  const doubtEach = () => doubtThose([...live.values()]);
  let news = new Set<string>();
  const hearing = createRounds({
    settleMs: SETTLE_MS,
    retryMs: RETRY_MS,
    async work() {
      const heard = news;
      news = new Set();
      try {
        await deps.changed([...heard].flatMap((id) => live.get(id) ?? []));
      } catch (error) {
        news = new Set([...news, ...heard]);
        throw error;
      }
    },
    failed: (error) => log.warn({ error }, 'what became of sessions cannot be read; trying once more'),
  });
  // Each with a queue of its own: a sign-out waits neither for news of sessions nor for anybody's roles.
  const subscriptions = [
    feed.subscribe(['sign-in'], {
      change({ id, data }) {
        const { ended } = signInChange.safeParse(data).data ?? {};
        return ended ? endSignedOut(deps, id, ended) : undefined;
      },
      gap: doubtEach,
    }),
    feed.subscribe(['user'], {
      change({ id }) {
        owners.changed(id);
        doubt(({ users }) => users.add(id));
      },
      gap() {
        owners.forget();
        doubtAll();
      },
    }),
    feed.subscribe([RESOURCE_TOPIC], {
      change({ id, data }) {
        const isConcerned = concerns(id, data);
        doubtThose([...live.values()].filter(({ session }) => isConcerned(session.action)));
      },
      gap: doubtEach,
    }),
    feed.subscribe([SESSION_TOPIC], {
      change({ id }) {
        if (!live.has(id)) return;
        news.add(id);
        hearing.soon();
      },
      gap() {
        for (const id of live.keys()) news.add(id);
        hearing.soon();
      },
    }),
  ];
  const forget = access.onChange(() => {
    // Decided all the same in a round, which comes again when it fails.
    void endLockedSessions(deps, [...live.values()], owners.all).catch(() => undefined);
    doubtAll();
  });
  const clock = setInterval(() => {
    for (const hosted of live.values()) {
      const end = hosted.overdue();
      if (end) hosted.finish(end);
    }
    void deps.tick().catch((error: unknown) => log.warn({ error }, 'sessions cannot be looked after'));
  }, LOOK_EVERY_MS).unref();

  const freeze = freezeWhileLost({
    feed,
    live,
    log,
    async decideAll() {
      owners.forget();
      await clear(deps, { all: true, users: new Set(), sessions: new Set(live.keys()) });
    },
  });

  return {
    decide: doubtThose,
    close() {
      freeze.close();
      for (const subscription of subscriptions) subscription.close();
      forget();
      deciding.close();
      hearing.close();
      clearInterval(clock);
    },
  };
}

function noDoubts(): Doubts {
  return { all: false, users: new Set(), sessions: new Set() };
}

async function clear(deps: WatchDeps, { all, users, sessions }: Doubts): Promise<void> {
  const { live } = deps;
  const doubted = [...sessions].flatMap((id) => live.get(id) ?? []);
  await Promise.all([refreshResources(deps, doubted), endIfSignedOut(deps, doubted)]);
  const isDoubted = ({ id, session, participants }: HostedSession) =>
    all ||
    sessions.has(id) ||
    users.has(session.user) ||
    (users.size > 0 && [...participants.values()].some(({ username }) => users.has(username)));
  await decideSessions(deps, [...live.values()].filter(isDoubted), deps.owners.all);
}

/** From now on they are decided by the labels of now. */
async function refreshResources(
  { db, kinds, relabelled }: WatchDeps,
  sessions: readonly HostedSession[],
): Promise<void> {
  if (sessions.length === 0) return;
  const resourceNow = await resourcesNow(
    db,
    kinds,
    sessions.map(({ session }) => session.action),
  );
  for (const hosted of sessions) {
    const { session } = hosted;
    const now = resourceNow(session.action);
    if (!now) continue;
    if ('end' in now) {
      hosted.finish(now.end);
      continue;
    }
    const { labels, name } = session.action.resource;
    if (name === now.resource.name && isDeepStrictEqual(labels, now.resource.labels)) continue;
    session.action = { ...session.action, resource: now.resource };
    relabelled(hosted);
  }
}

async function endSignedOut(deps: WatchDeps, signInId: string, reason: EndReason): Promise<void> {
  const end = signedOut(reason);
  const locked: HostedSession[] = [];
  for (const hosted of [...deps.live.values()]) {
    if (!endsBy(hosted.nature, reason)) continue;
    for (const who of [...hosted.participants.values()])
      if (who.signInId === signInId && who.username !== hosted.session.user) hosted.remove(who, end);
    if (hosted.session.signInId !== signInId) continue;
    if (reason === 'ended_by_administrator') locked.push(hosted);
    else hosted.finish(end);
  }
  // A lock ends sign-ins too: then the lock is what has to be told.
  if (locked.length === 0) return;
  const [ownerOf] = await Promise.all([
    deps.owners.all(locked.map(({ session }) => session.user)).catch(() => undefined),
    // They come in one change, and this half may be heard first.
    Promise.race([
      deps.access.refreshLocks().catch(() => undefined),
      sleep(LOCKS_WITHIN_MS, undefined, { ref: false }),
    ]),
  ]);
  for (const hosted of locked) {
    const owner = ownerOf?.(hosted.session);
    hosted.finish((owner && whyNot(deps.access, owner, hosted.session.action)) ?? end);
  }
}
