/** The one place where sessions begin, are accounted for and end, whatever they are with: engines only move bytes. */
import { randomUUID } from 'node:crypto';
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { sessionOptions } from '../../access/session-options.ts';
import { isLocalActor } from '../../identity/sign-in/local-actor.ts';
import type { EventStream } from '../../platform/audit/event-stream.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { requireStore } from '../../platform/change-feed/lost-store.ts';
import type { Actor, Who } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { holdLock } from '../../platform/storage/named-lock.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { type AdmitDeps, type AdmitRequest, admit } from './admit.ts';
import { couldJoin } from './could-join.ts';
import { decideAfterOpening, decideSessions } from './decide-session.ts';
import { createGateways, DEAD_MS } from './gateways.ts';
import type { HostedSession } from './hosted-session.ts';
import { createHosting, type FollowRequest, type HostingDeps, type Keeping } from './hosting.ts';
import { limitReached } from './limit-reached.ts';
import { joinRules } from './moderation.ts';
import { type Owned, type Owners, ownerOf } from './owners.ts';
import type { Lives } from './resources-now.ts';
import type { LastWords } from './session-audit.ts';
import type { SessionPart } from './session-parts.ts';
import {
  claimSessions,
  findServed,
  findSession,
  insertSession,
  listOrphans,
  listOwn,
  markEnded,
  type NewSession,
  type Session,
  type SessionEnd,
  updateAction,
} from './session-store.ts';
import { createSessionWatch } from './watch-sessions.ts';
import { createEndWriter, type EndedSession } from './write-ends.ts';
import { createWriteTogether } from './write-together.ts';

const LOOK_EVERY_MS = 5_000;
const SERVED_ELSEWHERE: SessionEnd = { cause: 'failed', message: 'another gateway of this cluster serves it now' };
const UNDECIDED: SessionEnd = { cause: 'failed', message: 'the gateway cannot tell whether it may be' };
const SERVED_ANEW: SessionEnd = { cause: 'failed', message: 'this gateway serves it now' };

export interface HostDeps extends AdmitDeps, Pick<HostingDeps, 'signIns'> {
  feed: Pick<ChangeFeed, 'subscribe' | 'silentMs' | 'settled'>;
  owners: Owners;
  kinds: Lives;
  /** Where what sessions do is told. */
  events: Pick<EventStream, 'settled'>;
  clusterName: string;
  now: () => number;
}

export interface OpenRequest extends AdmitRequest {
  /** Drawn by who asks. */
  request: string;
  size: { cols: number; rows: number };
  agent: string | undefined;
  recorded: boolean;
  /** False: nobody has a terminal. */
  interactive?: boolean;
  /** What it prints is recorded all the same, without a terminal. */
  isPrinted?: boolean;
  /** What is to run there, where that is not a shell. */
  command?: string;
  /** Its first part: asked and told from the first decision on. */
  part?: SessionPart;
  /** Without it, it has a row of its own, is counted and told to the log. */
  keeping?: Keeping;
  /** What else is written with that row. */
  noted?: ((tx: Tx, session: Session) => Promise<void>) | undefined;
}

export interface SessionHost {
  /** Decides, counts, registers and audits; throws why not. What is opened afterwards must end with its signal. */
  open(request: OpenRequest): Promise<HostedSession>;
  /** The one that is served here, or a guest that is decided, limited and ended here like any other; it may be over when it comes. */
  follow(request: FollowRequest): Promise<HostedSession>;
  /** Without those that are kept apart: they are no sessions to anybody but their kind. */
  get(id: string): HostedSession | undefined;
  /** Without guests. */
  all(): HostedSession[];
  /** Serves sessions that another process of this cluster left, if they can be had. */
  adopt(sessions: readonly Session[]): Promise<HostedSession[]>;
  /** Those that are open and that nobody serves. */
  orphans(): Promise<Session[]>;
  /** Calls back every few seconds, and for what each session should be told. */
  onTick(listener: () => void): void;
  /** Ends a session on whichever gateway it is. */
  end(id: string, end: SessionEnd): Promise<void>;
  /** The same in somebody's name: audited, and told to its people with the reason. The caller has decided that they may. */
  endBy(by: Who, session: Session, reason: string | undefined): Promise<void>;
  /** Who could join so that a session that is held up goes on. */
  couldJoin(hosted: HostedSession): Promise<string[]>;
  /** Calls back when people have come to a session of this gateway or left it. */
  onChange(listener: (hosted: HostedSession) => void): () => void;
  /** The owner's rights as they are now; undefined when the user is no more. */
  owner(session: Owned): Promise<Actor | undefined>;
  /** Resolves when everything that has ended is written. */
  close(): Promise<void>;
}

export function createSessionHost(deps: HostDeps): SessionHost {
  const { db, audit, clusterName, now, log } = deps;
  const gateways = createGateways(deps);
  const gateway = gateways.id;
  const live = new Map<string, HostedSession>();
  const writing = new Set<Promise<void>>();
  const unwritten = new Map<string, EndedSession>();
  const listeners: (() => void)[] = [];
  const watchers = new Set<(hosted: HostedSession) => void>();
  let lastLook = now();

  const follow = (work: Promise<void>) => {
    const followed = work.catch((error: unknown) => log.error({ error }, 'a session could not be written'));
    writing.add(followed);
    void followed.then(() => writing.delete(followed));
  };
  const together = createWriteTogether(db);
  const write = (work: (tx: Tx) => Promise<void>) => follow(together(work));

  const writer = createEndWriter(
    db,
    async (tx, { session, end, last }) => {
      if (await markEnded(tx, session, end, now())) await audit.ended(tx, session, end, { ...last, now: now() });
    },
    () => deps.events.settled(),
  );
  const writeEnd = async (session: Session, end: SessionEnd, last: LastWords = {}) => {
    unwritten.set(session.id, { session, end, last });
    await writer({ session, end, last });
    unwritten.delete(session.id);
  };

  const { host, receive } = createHosting({
    ...deps,
    live,
    follow,
    write,
    writeEnd,
    peopleChanged(hosted) {
      for (const watcher of watchers) watcher(hosted);
    },
  });

  async function tick(): Promise<void> {
    for (const listener of listeners) listener();
    if (now() - lastLook < LOOK_EVERY_MS) return;
    lastLook = now();
    for (const { session, end, last } of [...unwritten.values()]) await writeEnd(session, end, last);
    const before = owned();
    if (before.length === 0) return;
    const ours = await listOwn(db, gateway);
    await letGo(before.filter(({ id }) => !ours.has(id)));
  }

  const isOwned = (id: string) => live.has(id) && !live.get(id)?.nature.isGuest;
  const owned = () => [...live.values()].filter(({ nature }) => !nature.isGuest);

  /** Lets go of those that another gateway has taken over, or has ended. */
  async function letGo(given: readonly HostedSession[]): Promise<void> {
    const sessions = given.filter(({ nature }) => !nature.isKeptApart);
    if (sessions.length === 0) return;
    const ids = sessions.map(({ id }) => id);
    const known = await findServed(db, clusterName, ids);
    for (const hosted of sessions) {
      const now = known.get(hosted.id);
      const isKept = now && !now.ended && (now.gateway === gateway || hosted.nature.isGuest);
      if (isKept) continue;
      // What another gateway has ended is written; of what it has taken over nothing is.
      hosted.released = now?.ended === undefined || hosted.nature.isGuest === true;
      hosted.finish(now?.ended ?? SERVED_ELSEWHERE);
    }
  }

  async function end(id: string, how: SessionEnd): Promise<void> {
    const hosted = live.get(id);
    if (hosted) {
      hosted.finish(how);
      return;
    }
    const session = await findSession(db, clusterName, id);
    // Whichever gateway serves it finds it ended when it next says that it does.
    if (session && !session.ended) await writeEnd(session, how);
  }

  const watch = createSessionWatch({
    ...deps,
    live,
    tick,
    changed: letGo,
    relabelled({ session, nature }) {
      if (!nature.isGuest) write((tx) => updateAction(tx, session));
    },
  });

  return {
    async open(request) {
      const { caller, action, address, size, agent, recorded, interactive = true, command, keeping } = request;
      const isSeen = interactive || request.isPrinted === true;
      requireStore(deps.feed);
      await gateways.present();
      const terms = await admit(deps, request);
      const before = keeping?.before?.(terms);
      if (before) return before;
      // Who keeps it may do more in it than write: that is not run twice.
      const begin = keeping ? <Begun>(work: (tx: Tx) => Promise<Begun>) => db.transaction().execute(work) : together;
      const session = await begin(async (tx) => {
        await holdLock(tx, `sessions of ${caller.username}`, 'alone');
        const limit = keeping ? undefined : await limitReached(tx, request, terms);
        if (limit) {
          await audit.rejected(tx, request, limit);
          return limit;
        }
        const wanted: NewSession = {
          id: randomUUID(),
          cluster: clusterName,
          action,
          user: caller.username,
          signInId: caller.signInId,
          address,
          request: request.request,
          created: now(),
          size,
          agent,
          gateway,
          mfa: terms.mfa,
          // Of what nobody saw there is nothing to play: the log has what was run, and how it ended.
          recorded: recorded && isSeen && terms.options.recording[action.kind] !== 'off',
          interactive,
          command,
          begun: terms.rules.length === 0 ? now() : undefined,
        };
        if (keeping) return await keeping.insert(tx, wanted);
        const inserted = await insertSession(tx, wanted);
        await audit.started(tx, inserted);
        await request.noted?.(tx, inserted);
        return inserted;
      });
      if ('max' in session) throw new AppError('too_many', `${session.reason}: at most ${session.max}`);
      const begun = { sessionId: session.id, username: session.user, resource: action.resource.name };
      log.info(begun, keeping ? 'use of a session began' : 'session started');
      const hosted = keeping ? receive(session, terms, request) : host(session, terms, request);
      try {
        await decideAfterOpening(deps, hosted);
      } catch (error) {
        hosted.finish(UNDECIDED);
        throw error;
      }
      if (hosted.end) throw new AppError('denied', hosted.end.message);
      // And its server may be another by now.
      watch.decide([hosted]);
      return hosted;
    },

    async follow({ owner, ...request }) {
      const { session } = request;
      requireStore(deps.feed);
      const known = live.get(session.id);
      const held = deps.access.of(owner);
      const rules = joinRules(held, factsOf(session.action.kind).sessionKind);
      const hosted = known ?? receive(session, { options: sessionOptions(held), rules }, request);
      const part = known && request.part;
      const detach = known ? part && hosted.parts.attach(part) : () => hosted.letGo(UNDECIDED);
      try {
        await decideAfterOpening(deps, hosted);
        // Its end may have been told after it was read, and before anybody here could hear of it.
        if (!hosted.end) await letGo([hosted]);
      } catch (error) {
        detach?.();
        throw error;
      }
      watch.decide([hosted]);
      return hosted;
    },

    get: (id) => (live.get(id)?.nature.isKeptApart ? undefined : live.get(id)),
    all: owned,

    async adopt(sessions) {
      const wanted = sessions.filter(({ id, ended }) => !ended && !isOwned(id));
      if (wanted.length === 0) return [];
      requireStore(deps.feed);
      await gateways.present();
      const claimed = await db.transaction().execute((tx) => claimSessions(tx, wanted, gateway));
      const ownerOf = await deps.owners.all(wanted.map(({ user }) => user));
      const adopted = wanted
        .filter(({ id }) => claimed.has(id) && !isOwned(id))
        .map((session) => {
          // Until now it was a guest here.
          live.get(session.id)?.letGo(SERVED_ANEW);
          const owner = ownerOf(session);
          const held = owner ? deps.access.of(owner) : { roles: [] };
          const rules = joinRules(held, factsOf(session.action.kind).sessionKind);
          return host({ ...session, gateway }, { options: sessionOptions(held), rules }, {});
        });
      // Nobody decided while no gateway had them.
      await decideSessions(deps, adopted, deps.owners.all);
      watch.decide(adopted);
      return adopted;
    },

    orphans: () =>
      listOrphans(db, { cluster: clusterName, gateway, deadMs: gateways.isSteady() ? DEAD_MS : undefined }),

    onTick: (listener) => void listeners.push(listener),

    async endBy(by, session, reason) {
      const because = reason ? `: ${reason}` : '';
      if (session.user === by.username) return end(session.id, { cause: 'closed', message: `you ended it${because}` });
      await db.transaction().execute((tx) => audit.endedBy(tx, session, by, reason));
      return end(session.id, { cause: 'ended_by', message: `it was ended by ${nameOf(by)}${because}` });
    },

    couldJoin: (hosted) => couldJoin(deps, hosted),

    onChange(listener) {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },

    end,

    owner: (session) => ownerOf(deps, session),

    async close() {
      for (const hosted of [...live.values()])
        if (hosted.nature.isGuest) hosted.letGo({ cause: 'gateway_stopping', message: 'the gateway is closing' });
      watch.close();
      while (writing.size > 0) await Promise.all(writing);
      await gateways.close().catch((error: unknown) => log.warn({ error }, 'this gateway cannot say that it closes'));
    },
  };
}

/** Whoever works on the gateway's own machine has no name that says anything to people. */
function nameOf(by: Who): string {
  return isLocalActor(by) ? "an administrator on the gateway's machine" : by.username;
}
