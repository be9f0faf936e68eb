/** The one place where sessions begin, are accounted for and end, whatever they are with: engines only move bytes. */
import { randomUUID } from 'node:crypto';
import { factsOf, KINDS } from '@gatehouse/contract/kinds/kinds';
import { sessionOptions } from '../../access/session-options.ts';
import { isLocalActor } from '../../identity/sign-in/local-actor.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { requireStore } from '../../platform/change-feed/lost-store.ts';
import type { Actor, Who } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { holdLock } from '../../platform/storage/named-lock.ts';
import type { Tx } from '../../platform/storage/tables.ts';
import { type AdmitDeps, type AdmitRequest, admit, type Terms } from './admit.ts';
import { couldJoin } from './could-join.ts';
import { decideAfterOpening, decidePerson, decideSessions } from './decide-session.ts';
import { createGateways, DEAD_MS } from './gateways.ts';
import { HostedSession } from './hosted-session.ts';
import { joinRules } from './moderation.ts';
import { type Owned, type Owners, ownerOf } from './owners.ts';
import type { LastWords } from './session-audit.ts';
import {
  claimSessions,
  countOpenSessions,
  findSession,
  findSessions,
  insertSession,
  listOrphans,
  listOwn,
  markEnded,
  publishSession,
  type Session,
  type SessionEnd,
  updateAction,
  updateSession,
} from './session-store.ts';
import { createResizes } from './tell-resizes.ts';
import { createSessionWatch } from './watch-sessions.ts';

const LOOK_EVERY_MS = 5_000;

export interface HostDeps extends AdmitDeps {
  feed: Pick<ChangeFeed, 'subscribe' | 'silentMs' | 'settled'>;
  owners: Owners;
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
  /** What is to run there, where that is not a shell. */
  command?: string;
}

export interface SessionHost {
  /** Decides, counts, registers and audits; throws why not. What is opened afterwards must end with its signal. */
  open(request: OpenRequest): Promise<HostedSession>;
  get(id: string): HostedSession | undefined;
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
  const unwritten = new Map<string, { session: Session; end: SessionEnd; last: LastWords }>();
  const listeners: (() => void)[] = [];
  const watchers = new Set<(hosted: HostedSession) => void>();
  let lastLook = now();

  const follow = (work: Promise<void>) => {
    const followed = work.catch((error: unknown) => log.error({ error }, 'a session could not be written'));
    writing.add(followed);
    void followed.then(() => writing.delete(followed));
  };
  const write = (work: (tx: Tx) => Promise<void>) => follow(db.transaction().execute(work));

  const writeEnd = async (session: Session, end: SessionEnd, last: LastWords = {}) => {
    unwritten.set(session.id, { session, end, last });
    await db.transaction().execute(async (tx) => {
      if (await markEnded(tx, session, end, now())) await audit.ended(tx, session, end, { ...last, now: now() });
    });
    unwritten.delete(session.id);
  };

  const host = (session: Session, { options, rules }: Pick<Terms, 'options' | 'rules'>): HostedSession => {
    const resizes = createResizes(session.size, (resize) => write((tx) => audit.resized(tx, session, resize)));
    const hosted = new HostedSession({
      session,
      options,
      rules,
      now,
      onEnd(ended, end) {
        live.delete(session.id);
        const last = { resize: resizes.stop(), traffic: ended.traffic() };
        if (ended.released) return;
        log.info({ sessionId: session.id, username: session.user, cause: end.cause }, 'session ended');
        follow(writeEnd(session, end, last));
      },
      onConnected: () =>
        write(async (tx) => {
          await updateSession(tx, session);
          await audit.connected(tx, session);
        }),
      onResize: (_, resize) => resizes.resized(resize),
      onRemove: (_, who, why) => write((tx) => audit.removed(tx, session, who, why)),
      onEnter(entered, who) {
        const isOwner = who.username === session.user;
        // Found again from another sign-in: from now on it ends with that one.
        if (isOwner) session.signInId = who.signInId;
        if (!session.participants.includes(who.username)) session.participants.push(who.username);
        follow(decidePerson(deps, entered, who));
        write(async (tx) => {
          await updateSession(tx, session);
          if (!isOwner) await audit.joined(tx, session, who);
        });
      },
      onLeave(_, who) {
        const isOwner = who.username === session.user;
        write(async (tx) => {
          await publishSession(tx, session);
          if (!isOwner) await audit.left(tx, session, who);
        });
      },
      onFlow({ flow }) {
        log.info({ sessionId: session.id, username: session.user, flow }, 'session held up or let go on');
        write((tx) => updateSession(tx, session));
      },
    });
    live.set(session.id, hosted);
    if (hosted.flow === 'frozen' && !session.frozen) {
      // Taken over from a gateway that did not come to write it.
      session.frozen = true;
      write((tx) => updateSession(tx, session));
    }
    hosted.onPeople((what) => {
      // Who types is told to those who are there; lists would change with every word.
      if (what !== 'typing') for (const watcher of watchers) watcher(hosted);
    });
    return hosted;
  };

  async function tick(): Promise<void> {
    for (const listener of listeners) listener();
    if (now() - lastLook < LOOK_EVERY_MS) return;
    lastLook = now();
    for (const { session, end, last } of [...unwritten.values()]) await writeEnd(session, end, last);
    if (live.size === 0) return;
    const before = [...live.values()];
    const ours = await listOwn(db, gateway);
    await letGo(before.filter(({ id }) => !ours.has(id)));
  }

  /** Lets go of those that another gateway has taken over, or has ended. */
  async function letGo(sessions: readonly HostedSession[]): Promise<void> {
    if (sessions.length === 0) return;
    const ids = sessions.map(({ id }) => id);
    const known = new Map((await findSessions(db, clusterName, ids)).map((session) => [session.id, session]));
    for (const hosted of sessions) {
      const now = known.get(hosted.id);
      if (now && !now.ended && now.gateway === gateway) continue;
      hosted.released = now?.ended === undefined;
      hosted.finish(now?.ended ?? { cause: 'failed', message: 'another gateway of this cluster serves it now' });
    }
  }

  async function end(id: string, how: SessionEnd): Promise<void> {
    const hosted = live.get(id);
    if (hosted) return hosted.finish(how);
    const session = await findSession(db, clusterName, id);
    // Whichever gateway serves it finds it ended when it next says that it does.
    if (session && !session.ended) await writeEnd(session, how);
  }

  const watch = createSessionWatch({
    ...deps,
    live,
    tick,
    changed: letGo,
    relabelled: ({ session }) => write((tx) => updateAction(tx, session)),
  });

  return {
    async open(request) {
      const { caller, action, address, size, agent, recorded, interactive = true, command } = request;
      requireStore(deps.feed);
      await gateways.present();
      const terms = await admit(deps, request);
      const session = await db.transaction().execute(async (tx) => {
        await holdLock(tx, `sessions of ${caller.username}`, 'alone');
        const limit = await limitReached(tx, request, terms);
        if (limit) {
          await audit.rejected(tx, request, limit);
          return limit;
        }
        const inserted = await insertSession(tx, {
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
          recorded: recorded && interactive && terms.options.recording[action.kind] !== 'off',
          interactive,
          command,
          begun: terms.rules.length === 0 ? now() : undefined,
        });
        await audit.started(tx, inserted);
        return inserted;
      });
      if ('max' in session) throw new AppError('too_many', `${session.reason}: at most ${session.max}`);
      log.info({ sessionId: session.id, username: session.user, resource: action.resource.name }, 'session started');
      const hosted = host(session, terms);
      try {
        await decideAfterOpening(deps, hosted);
      } catch (error) {
        hosted.finish({ cause: 'failed', message: 'the gateway cannot tell whether it may be' });
        throw error;
      }
      if (hosted.end) throw new AppError('denied', hosted.end.message);
      // And its server may be another by now.
      watch.decide([hosted]);
      return hosted;
    },

    get: (id) => live.get(id),
    all: () => [...live.values()],

    async adopt(sessions) {
      const wanted = sessions.filter(({ id, ended }) => !ended && !live.has(id));
      if (wanted.length === 0) return [];
      requireStore(deps.feed);
      await gateways.present();
      const claimed = await db.transaction().execute((tx) => claimSessions(tx, wanted, gateway));
      const ownerOf = await deps.owners.all(wanted.map(({ user }) => user));
      const adopted = wanted
        .filter(({ id }) => claimed.has(id) && !live.has(id))
        .map((session) => {
          const owner = ownerOf(session);
          const held = owner ? deps.access.of(owner) : { roles: [] };
          const rules = joinRules(held, KINDS[session.action.kind].sessionKind);
          return host({ ...session, gateway }, { options: sessionOptions(held), rules });
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
      watch.close();
      while (writing.size > 0) await Promise.all(writing);
      await gateways.close().catch((error: unknown) => log.warn({ error }, 'this gateway cannot say that it closes'));
    },
  };
}

/** `max_connections` counts what somebody has open of a kind, `max_sessions` what of it is with the very same server. */
async function limitReached(
  tx: Tx,
  { caller, action }: OpenRequest,
  { options: { maxConnections, maxSessions } }: Terms,
): Promise<{ reason: string; max: number } | undefined> {
  const { cluster, id } = action.resource;
  const mine = { cluster, user: caller.username, kind: action.kind };
  if (maxConnections !== undefined && (await countOpenSessions(tx, mine)) >= maxConnections)
    return { reason: 'you have too many sessions open', max: maxConnections };
  if (maxSessions === undefined || !factsOf(action.kind).countsSessions) return undefined;
  if ((await countOpenSessions(tx, { ...mine, resource: id })) < maxSessions) return undefined;
  return { reason: `you have too many sessions open with '${action.resource.name}'`, max: maxSessions };
}

/** Whoever works on the gateway's own machine has no name that says anything to people. */
function nameOf(by: Who): string {
  return isLocalActor(by) ? "an administrator on the gateway's machine" : by.username;
}
