/** At the root: tells each leaf what ends and changes of whom it has people, and answers what it asks. */
import { clusterRefused, leafSession } from '@gatehouse/contract/audit/trusted-cluster-events';
import type { FactorAnswer } from '@gatehouse/contract/identity/webauthn';
import {
  type HeldLock,
  type LeafNews,
  type RootNews,
  readLeafNews,
} from '@gatehouse/contract/reach/trusted-clusters/news';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { AccessControl } from '../../../access/create-access.ts';
import { listLocks } from '../../../access/lock-store.ts';
import { seesCluster } from '../../../access/sees-cluster.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { ChangeFeed } from '../../../platform/change-feed/change-feed.ts';
import type { Who } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import { BoundedMap } from '../../../platform/std/bounded-map.ts';
import type { Log } from '../../../platform/std/log.ts';
import { createMutex } from '../../../platform/std/mutex.ts';
import type { ClusterNews, NewsLine } from '../../../platform/std/news-line.ts';
import { createOncePer } from '../../../platform/std/throttle.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { FAILURE_WINDOW_MS } from '../../sign-in/failures.ts';
import type { SignInWatch } from '../../sign-in/sign-in-watch.ts';
import type { SignInCache } from '../../stores/sign-in-cache.ts';
import { isAlive } from '../../stores/sign-in-store.ts';
import { findUser } from '../../stores/user-store.ts';
import type { FederationKeys } from '../key/federation-keys.ts';
import type { LeafDirectory } from '../leaves/leaf-directory.ts';
import { isPassable, pick } from '../passport/passport-for.ts';
import { deleteLeaf, findKeyHolder, updateLeaf } from '../stores/remote-cluster-store.ts';
import type { OwnFactors } from './factors.ts';
import { announceKeys, hearKeys } from './key-announcement.ts';
import { createLeafPace, type LeafPace, type LeafRates } from './leaf-pace.ts';
import { inMessages } from './lock-messages.ts';
import type { VouchedFactors } from './vouched-factors.ts';

export interface TellLeafDeps {
  db: Db;
  audit: Audit;
  access: Pick<AccessControl, 'of' | 'onChange' | 'lockOn'>;
  cache: Pick<SignInCache, 'signIn'>;
  watch: Pick<SignInWatch, 'onEnd'>;
  feed: Pick<ChangeFeed, 'subscribe'>;
  keys: FederationKeys;
  leaves: LeafDirectory & { refresh(): Promise<void>; onChange(listener: () => void): () => void };
  factors: OwnFactors;
  vouched: Pick<VouchedFactors, 'take'>;
  ownId: string;
  log: Log;
  now: () => number;
  rates?: Partial<LeafRates> | undefined;
}

/** A leaf with more people than this at once is not one of ours. */
const MAX_WATCHED = 50_000;
const MAX_ASKED_AT_ONCE = 100;
const MAX_PACED = 10_000;
/** That a leaf tells too much is told once in so long. */
const TELL_EVERY_MS = 3_600_000;
/** Fewer than lock a name out: a leaf must not be able to keep its visitors from signing in. */
const WRONG_ANSWERS = 3;

export function createTellLeaf(deps: TellLeafDeps): ClusterNews['withLeaf'] {
  const { db, access, cache, feed, keys, leaves, now, ownId } = deps;
  /** By leaf and person: second factors that were not taken. */
  const wrong = new BoundedMap<string, { since: number; count: number }>(MAX_WATCHED);
  const paces = new BoundedMap<string, LeafPace>(MAX_PACED);
  const isNews = createOncePer(TELL_EVERY_MS, now);

  function paceOf(leafId: string): LeafPace {
    const failed = (error: unknown) => deps.log.warn({ error, leaf: leafId }, 'what a leaf tells cannot be written');
    const tooMany = () => {
      if (isNews(leafId)) void tellTooMany(deps, leafId).catch(failed);
    };
    const pace = paces.get(leafId) ?? createLeafPace({ failed, tooMany, rates: deps.rates });
    paces.set(leafId, pace);
    return pace;
  }

  return (leafId, line) => {
    const pace = paceOf(leafId);
    const say = (message: RootNews) => line.say(message);
    /** By sign-in: whose it is, and how to stop watching. */
    const watched = new Map<string, { user: string; stop(): void }>();
    /** What was last told of somebody. */
    const told = new Map<string, string>();
    let toldLocks = '';
    let asking = 0;
    const inOrder = createMutex();
    const work = (what: () => Promise<void>) =>
      void inOrder(what).catch((error: unknown) => {
        if (line.over.aborted) return;
        deps.log.warn({ error, leaf: leafId }, 'a leaf cannot be told what changed');
        line.cut('what changed cannot be told');
      });

    async function sayKeys(): Promise<void> {
      say({ type: 'keys', announcement: await announceKeys(keys, { from: ownId, to: leafId }) });
    }

    async function sayLocks(): Promise<void> {
      const locks = (await listLocks(db, now())).flatMap(
        ({ id, target: { kind, name }, message, expires }): HeldLock[] =>
          kind === 'user' || kind === 'role'
            ? [{ id, [kind]: name, message: message.slice(0, 500), ...(expires === undefined ? {} : { expires }) }]
            : [],
      );
      const text = JSON.stringify(locks);
      if (text === toldLocks) return;
      toldLocks = text;
      const parts = inMessages(locks);
      for (const [at, part] of parts.entries()) say({ type: 'locks', locks: part, more: at + 1 < parts.length });
    }

    /** What they hold; whoever does not see the leaf any more is not there any more. */
    async function sayUser(name: string): Promise<void> {
      const [user, leaf] = [await findUser(db, name), leaves.byId(leafId)];
      const subject = user && { username: user.name, roles: user.roles, traits: user.traits };
      if (!subject || !leaf || !seesCluster(access.of(subject), leaf.labels)) return sendOut(name);
      const facts = { roles: [...subject.roles], traits: pick(subject.traits, leaf.wants) };
      const text = JSON.stringify(facts);
      if (told.get(name) === text) return;
      told.set(name, text);
      // Said all the same, it would cut the line for everybody; no passport holds that much either.
      if (!isPassable(facts)) return sendOut(name);
      say({ type: 'changed', sub: name, at: Math.floor(now() / 1000), version: user.version, ...facts });
    }

    function sendOut(name: string): void {
      for (const [sid, { user }] of watched) if (user === name) over(sid, 'ended_by_administrator');
    }

    function over(sid: string, reason: Extract<RootNews, { type: 'over' }>['reason']): void {
      const held = watched.get(sid);
      held?.stop();
      watched.delete(sid);
      if (held && ![...watched.values()].some(({ user }) => user === held.user)) told.delete(held.user);
      say({ type: 'over', sid, reason });
    }

    async function watchOne(sid: string): Promise<void> {
      if (watched.has(sid)) return;
      if (watched.size >= MAX_WATCHED) throw new Error('it has more sign-ins than can be followed');
      const live = await cache.signIn(sid);
      if (!live || !isAlive(live.signIn, now()))
        return say({ type: 'over', sid, reason: live?.signIn.ended?.reason ?? 'expired' });
      const { name: user, roles } = live.user;
      if (access.lockOn({ username: user, roles })) return say({ type: 'over', sid, reason: 'ended_by_administrator' });
      watched.set(sid, { user, stop: deps.watch.onEnd(sid, (reason) => over(sid, reason)) });
      await sayUser(user);
    }

    const lookAgain = () =>
      work(async () => {
        await sayLocks();
        for (const user of new Set([...watched.values()].map((each) => each.user))) await sayUser(user);
      });
    const subscription = feed.subscribe(['user'], {
      change: ({ id }) => {
        if ([...watched.values()].some(({ user }) => user === id)) work(() => sayUser(id));
      },
      gap: () => line.cut('changes were missed'),
    });
    const stops = [
      access.onChange(lookAgain),
      leaves.onChange(lookAgain),
      keys.onChange(() => work(sayKeys)),
      () => subscription.close(),
    ];
    whenAborted(line.over, () => {
      for (const stop of stops) stop();
      for (const { stop } of watched.values()) stop();
      watched.clear();
    });
    work(async () => {
      await sayKeys();
      await sayLocks();
    });

    return async (message) => {
      const news = readLeafNews(message);
      if (!news) return;
      if (news.type === 'session') {
        const who = whoIs(news.sid);
        return who && (await pace.session(news.session, () => tellSession(deps, leafId, who, news)));
      }
      if (news.type === 'wants') return await pace.wants(() => hearWants(deps, leafId, news.traits), line.over);
      // Outside of the order: what ends is told to it meanwhile.
      await pace.wait(news, line.over);
      await inOrder(() => hear(news));
    };

    async function hear(news: Exclude<LeafNews, { type: 'session' | 'wants' }>): Promise<void> {
      switch (news.type) {
        case 'keys':
          return await hearLeafKeys(deps, leafId, news.announcement, line);
        case 'watch':
          for (const sid of news.sids) await watchOne(sid);
          return;
        default:
          if (asking >= MAX_ASKED_AT_ONCE) throw new Error('it asks for more second factors than there are people');
          asking += 1;
          // Nobody else waits for that.
          void answer(news)
            .catch((error: unknown) => deps.log.warn({ error }, 'a leaf cannot be answered'))
            .finally(() => {
              asking -= 1;
            });
      }
    }

    function whoIs(sid: string): Who | undefined {
      const held = watched.get(sid);
      return held && { username: held.user, signInId: sid };
    }

    async function proveWithin(who: Who, given: FactorAnswer): Promise<void> {
      // Checked already, whatever was answered wrongly before it.
      if (given.code !== undefined && deps.vouched.take(leafId, who.signInId, given.code)) return;
      const key = `${leafId} ${who.username}`;
      const past = wrong.get(key);
      const isRecent = past !== undefined && now() - past.since < FAILURE_WINDOW_MS;
      if (isRecent && past.count >= WRONG_ANSWERS)
        throw new AppError('too_many', 'too many wrong answers were given through that cluster: try again later');
      // Before it is known: of many that are given at once each would find none before it.
      wrong.delete(key);
      wrong.set(key, isRecent ? { ...past, count: past.count + 1 } : { since: now(), count: 1 });
      await deps.factors.prove(who, given, leafId);
      wrong.delete(key);
    }

    async function answer(news: Extract<LeafNews, { type: 'challenge' | 'answer' }>): Promise<void> {
      const { ask } = news;
      const who = whoIs(news.sid);
      try {
        if (!who) throw new AppError('not_signed_in', 'the sign-in has ended');
        if (news.type === 'challenge') say({ type: 'challenged', ask, challenge: await deps.factors.ask(who, leafId) });
        else {
          await proveWithin(who, news.answer);
          say({ type: 'answered', ask });
        }
      } catch (error) {
        if (!(error instanceof AppError)) deps.log.warn({ error }, 'a factor for a leaf cannot be checked');
        const words = error instanceof AppError ? error.message : 'it cannot be checked at this time';
        say({ type: news.type === 'challenge' ? 'challenged' : 'answered', ask, error: words.slice(0, 500) });
      }
    }
  };
}

async function hearWants({ db, leaves }: TellLeafDeps, id: string, traits: readonly string[]): Promise<void> {
  const wants = [...new Set(traits)].sort();
  if (JSON.stringify(leaves.byId(id)?.wants) === JSON.stringify(wants)) return;
  await db.transaction().execute((tx) => updateLeaf(tx, id, { wants }));
  await leaves.refresh();
}

async function hearLeafKeys(
  { db, audit, leaves, ownId }: TellLeafDeps,
  id: string,
  announcement: string,
  line: NewsLine,
): Promise<void> {
  const leaf = leaves.byId(id);
  if (!leaf) return;
  const heard = hearKeys(announcement, leaf, { from: id, to: ownId });
  if (!heard) return line.cut('what it says of its keys is not signed by the one that is known');
  if (heard.key === leaf.key && heard.next === leaf.next) return;
  const { key, next } = heard;
  const isOthers = await db.transaction().execute(async (tx) => {
    // Keys are no secrets: another leaf's would have that one's tunnel taken for this one's.
    const holder = await findKeyHolder(tx, { id, keys: next === undefined ? [key] : [key, next] });
    if (holder?.lastSeen !== undefined) return true;
    if (holder) {
      // It only ever named the key, and this one holds it.
      await deleteLeaf(tx, holder.id);
      const reason = `it never showed that it holds its key, which is that of '${leaf.name}': it is removed`;
      await audit.emit(tx, clusterRefused, { name: holder.name, what: 'join', reason });
    }
    await updateLeaf(tx, id, { key, next });
    return false;
  });
  if (isOthers) return line.cut('it announces a key that another cluster has');
  await leaves.refresh();
}

async function tellSession(
  { db, audit, leaves }: TellLeafDeps,
  id: string,
  who: Who,
  { session, kind, resource }: Extract<LeafNews, { type: 'session' }>,
): Promise<void> {
  const leaf = leaves.byId(id);
  if (!leaf) return;
  const fields = { user: who.username, name: leaf.name, session_kind: kind, resource_name: resource, sid: session };
  await db.transaction().execute((tx) => audit.emit(tx, leafSession, fields, { signInId: who.signInId }));
}

async function tellTooMany({ db, audit, leaves }: TellLeafDeps, id: string): Promise<void> {
  const reason = 'it tells of more sessions than people open; they are written one after the other';
  const fields = { name: leaves.byId(id)?.name, what: 'news' as const, reason };
  await db.transaction().execute((tx) => audit.emit(tx, clusterRefused, fields));
}
