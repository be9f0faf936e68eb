/** At the leaf: hears from each root what ends and changes of its people here, and asks it for their second factors. */
import { randomUUID } from 'node:crypto';
import { federationKeyRotated } from '@gatehouse/contract/audit/trusted-cluster-events';
import type { EndReason } from '@gatehouse/contract/identity/sign-ins';
import {
  type HeldLock,
  type LeafNews,
  MAX_TOLD_SIGN_INS,
  type RootNews,
  readRootNews,
} from '@gatehouse/contract/reach/trusted-clusters/news';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import type { AccessControl } from '../../../access/create-access.ts';
import type { Audit } from '../../../platform/audit/emit.ts';
import type { Who } from '../../../platform/http/actor.ts';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { createMutex } from '../../../platform/std/mutex.ts';
import type { ClusterNews, NewsLine } from '../../../platform/std/news-line.ts';
import { holdLock } from '../../../platform/storage/named-lock.ts';
import type { Db } from '../../../platform/storage/tables.ts';
import { readRemoteName, remoteName } from '../../stores/remote-name.ts';
import { findRemoteUsers, listRemoteUsers, putRemoteUser } from '../../stores/remote-user-store.ts';
import type { SignInCache } from '../../stores/sign-in-cache.ts';
import { endSignIn, endSignInsOf, findSignIn, listSignIns } from '../../stores/sign-in-store.ts';
import type { KeptRows } from '../kept-rows.ts';
import type { FederationKeys } from '../key/federation-keys.ts';
import { keyFingerprintOf } from '../key/key-fingerprint.ts';
import { holdLocks } from '../locks/root-locks.ts';
import { pick } from '../passport/passport-for.ts';
import { findTrust, noteHeard, setRootKeys } from '../stores/trusted-cluster-store.ts';
import { type KnownTrust, knownTrust, mapLock } from '../trusts/known-trust.ts';
import { wantedTraits } from '../trusts/wanted-traits.ts';
import type { RemoteVisits } from '../visits/remote-visits.ts';
import { visitId } from '../visits/visit-id.ts';
import type { Factors } from './factors.ts';
import { announceKeys, hearKeys } from './key-announcement.ts';
import { createRootPace } from './root-pace.ts';

export interface HearRootDeps {
  db: Db;
  audit: Audit;
  access: Pick<AccessControl, 'role' | 'onChange' | 'refreshLocks' | 'askedTraits'>;
  cache: Pick<SignInCache, 'dropSignIn' | 'dropUser'>;
  keys: FederationKeys;
  trusts: KeptRows<KnownTrust>;
  visits: Pick<RemoteVisits, 'heard'>;
  ownId: string;
  log: Log;
  now: () => number;
  /** How long a root may be away before its people are sent out. */
  lostMs?: number;
}

export interface RootLines {
  withRoot: ClusterNews['withRoot'];
  /** Somebody came by that sign-in of the root. */
  came(trust: string, sid: string): void;
  /** Somebody of a root opened a session. */
  tellSession(who: Who, session: { id: string; kind: string; resource: string }): Promise<void>;
  factors: Factors;
  close(): void;
}

/** A little less than sessions wait for their people: what ends then ends because of this. */
const LOST_MS = 4.5 * 60_000;
/** So often within that time a gateway writes down that it hears the root. */
const HEARD_PER_LOST = 6;
const ANSWER_MS = 15_000;
const MAX_LOCKS = 20_000;

export function createHearRoot(deps: HearRootDeps): RootLines {
  const { db, audit, access, cache, keys, trusts, ownId, log, now, lostMs = LOST_MS } = deps;
  const lines = new Map<string, NewsLine>();
  const lost = new Map<string, NodeJS.Timeout>();
  /** Questions that a root has not answered yet. */
  const asked = new Map<string, PromiseWithResolvers<RootNews>>();
  const pace = createRootPace();
  let closed = false;
  const trustOf = (name: string) => trusts.all().find((trust) => trust.name === name);

  /** Another gateway of this cluster may have it: then its people stay, and this one looks again later. */
  async function sendOutAll(trust: string): Promise<void> {
    lost.delete(trust);
    const { heard = 0 } = (await findTrust(db, trust)) ?? {};
    if (now() - heard < lostMs) return awaitRoot(trust);
    await db.transaction().execute(async (tx) => {
      for (const user of await listRemoteUsers(tx, trust))
        await endSignInsOf(tx, remoteName(user), 'root_lost', { now: now() });
    });
  }

  const noteLines = setInterval(() => {
    for (const name of lines.keys()) note(name);
  }, lostMs / HEARD_PER_LOST).unref();

  function note(name: string): void {
    noteHeard(db, name, now()).catch((error: unknown) =>
      log.warn({ error, trust: name }, 'a root is heard of nowhere'),
    );
  }

  function awaitRoot(name: string): void {
    if (closed) return;
    const out = () =>
      void sendOutAll(name).catch((error: unknown) => log.warn({ error, trust: name }, 'people of a lost root stay'));
    lost.set(name, setTimeout(out, lostMs).unref());
  }

  function begin(name: string, line: NewsLine, say: (message: LeafNews) => void, work: Work): void {
    lines.set(name, line);
    clearTimeout(lost.get(name));
    lost.delete(name);
    note(name);
    let toldWants: string | undefined;
    const sayWants = async () => {
      const trust = trustOf(name);
      const traits = trust ? wantedTraits(access, trust) : [];
      if (JSON.stringify(traits) === toldWants) return;
      toldWants = JSON.stringify(traits);
      say({ type: 'wants', traits });
    };
    const sayKeys = async () => {
      const trust = trustOf(name);
      if (trust) say({ type: 'keys', announcement: await announceKeys(keys, { from: ownId, to: trust.rootId }) });
    };
    const stops = [
      access.onChange(() => work(sayWants)),
      trusts.onChange(() => work(sayWants)),
      keys.onChange(() => work(sayKeys)),
    ];
    whenAborted(line.over, () => {
      for (const stop of stops) stop();
      if (lines.get(name) !== line) return;
      lines.delete(name);
      awaitRoot(name);
    });
    work(async () => {
      await sayKeys();
      await sayWants();
      const sids = await liveSids(db, name, now());
      for (let at = 0; at < sids.length; at += MAX_TOLD_SIGN_INS)
        say({ type: 'watch', sids: sids.slice(at, at + MAX_TOLD_SIGN_INS) });
    });
  }

  async function endOne(trust: KnownTrust, sid: string, reason: EndReason): Promise<void> {
    const id = visitId(trust.rootId, sid);
    await db.transaction().execute((tx) => endSignIn(tx, id, reason, now()));
    cache.dropSignIn(id);
  }

  async function change(trust: KnownTrust, { sub, roles, traits, at, version }: Changed): Promise<void> {
    const who = { trust: trust.name, name: sub };
    deps.visits.heard(who, at);
    await db.transaction().execute(async (tx) => {
      await holdLock(tx, mapLock(trust.name), 'alone');
      // Its map may have been saved since this one was remembered.
      const stored = await findTrust(tx, trust.name);
      const current = stored ? knownTrust(stored) : trust;
      const [known] = await findRemoteUsers(tx, [who]);
      if (!known) return;
      const remoteRoles = [...roles].sort();
      const mapped = current.map(remoteRoles, (role) => access.role(role) !== undefined);
      const asked = pick(traits, wantedTraits(access, current));
      const told = version === undefined ? undefined : { version, at };
      const isNewest = await putRemoteUser(tx, { ...known, remoteRoles, roles: mapped, traits: asked, told });
      if (isNewest && mapped.length === 0)
        await endSignInsOf(tx, remoteName(who), 'ended_by_administrator', { now: now() });
    });
    cache.dropUser(remoteName(who));
  }

  async function takeKeys(trust: KnownTrust, announcement: string, line: NewsLine): Promise<void> {
    const known = { key: trust.rootKey, next: trust.rootNext };
    const heard = hearKeys(announcement, known, { from: trust.rootId, to: ownId });
    if (!heard) return line.cut('what it says of its keys is not signed by the one that is known');
    if (heard.key === known.key && heard.next === known.next) return;
    await db.transaction().execute(async (tx) => {
      await setRootKeys(tx, trust.name, { rootKey: heard.key, rootNext: heard.next });
      const fingerprint = keyFingerprintOf(heard.next ?? heard.key);
      await audit.emit(tx, federationKeyRotated, { name: trust.name, fingerprint });
    });
    await trusts.refresh();
  }

  async function question(who: Who, make: (ask: string, sid: string) => LeafNews): Promise<RootNews> {
    const trust = readRemoteName(who.username)?.trust ?? '';
    const [line, signIn] = [lines.get(trust), await findSignIn(db, who.signInId)];
    if (!line || !signIn)
      throw new AppError('target_unreachable', 'your own cluster, which checks second factors, is not connected');
    const ask = randomUUID();
    const answer = Promise.withResolvers<RootNews>();
    const give = () => answer.reject(new AppError('target_unreachable', 'your own cluster did not answer in time'));
    const timer = setTimeout(give, ANSWER_MS);
    asked.set(`${trust} ${ask}`, answer);
    try {
      line.say(make(ask, signIn.name));
      return await answer.promise;
    } finally {
      clearTimeout(timer);
      asked.delete(`${trust} ${ask}`);
    }
  }

  // Also of a root that does not come back after this gateway was started again.
  for (const { name } of trusts.all()) awaitRoot(name);

  return {
    withRoot(name, line) {
      const inOrder = createMutex();
      const work: Work = (what) =>
        void inOrder(what).catch((error: unknown) => {
          if (line.over.aborted) return;
          log.warn({ error, trust: name }, 'a root cannot be told what changed');
          line.cut('what changed cannot be told');
        });
      let locks: HeldLock[] = [];
      begin(name, line, (message) => line.say(message), work);

      return async (message) => {
        const news = readRootNews(message);
        if (!news) return;
        if (news.type === 'challenged' || news.type === 'answered')
          return asked.get(`${name} ${news.ask}`)?.resolve(news);
        await pace.wait(name, news.type, line.over);
        const trust = trustOf(name);
        if (!trust) return line.cut('the trust is gone');
        if (news.type === 'keys') return await takeKeys(trust, news.announcement, line);
        if (news.type === 'over') return await endOne(trust, news.sid, news.reason);
        if (news.type === 'changed') return await change(trust, news);
        locks.push(...news.locks);
        if (locks.length > MAX_LOCKS) throw new Error('it has more locks than can be held');
        if (news.more) return;
        const whole = locks;
        locks = [];
        await db.transaction().execute((tx) => holdLocks(tx, { trust: name, audit, now: now() }, whole));
        await access.refreshLocks();
      };
    },

    came: (trust, sid) => lines.get(trust)?.say({ type: 'watch', sids: [sid] } satisfies LeafNews),

    async tellSession(who, { id, kind, resource }) {
      const trust = readRemoteName(who.username)?.trust;
      const line = trust === undefined ? undefined : lines.get(trust);
      const signIn = line && (await findSignIn(db, who.signInId));
      if (!signIn) return;
      const told = { type: 'session', sid: signIn.name, session: id, kind, resource: resource.slice(0, 256) } as const;
      line.say(told satisfies LeafNews);
    },

    factors: {
      async ask(who) {
        const news = await question(who, (ask, sid) => ({ type: 'challenge', ask, sid }));
        if (news.type !== 'challenged' || !news.challenge) throw refused(news);
        return news.challenge;
      },
      async prove(who, answer) {
        const news = await question(who, (ask, sid) => ({ type: 'answer', ask, sid, answer }));
        if (news.type !== 'answered' || news.error !== undefined) throw refused(news);
      },
    },

    close() {
      closed = true;
      clearInterval(noteLines);
      for (const timer of lost.values()) clearTimeout(timer);
    },
  };
}

type Changed = Extract<RootNews, { type: 'changed' }>;
type Work = (what: () => Promise<void>) => void;

function refused(news: RootNews): AppError {
  const words = 'error' in news ? news.error : undefined;
  return new AppError('bad_request', words ?? 'your own cluster did not take it', { fields: { field: 'code' } });
}

/** Sign-ins of a root that somebody here stands on. */
async function liveSids(db: Db, trust: string, now: number): Promise<string[]> {
  const sids: string[] = [];
  for (const user of await listRemoteUsers(db, trust))
    sids.push(...(await listSignIns(db, remoteName(user), now)).map(({ name }) => name));
  return sids;
}
