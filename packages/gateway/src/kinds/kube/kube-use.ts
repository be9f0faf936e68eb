/**
 * Uses of Kubernetes clusters: somebody, as one user and in some groups of one cluster. The session host decides about each as
 * about every session and ends it; what programs ask for is asked within one, and is over with it.
 */
import { randomUUID } from 'node:crypto';
import type { KubeCredential } from '@gatehouse/contract/kinds/kube/kube-spec';
import type { Caller } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { createUpstreamPool, type UpstreamPool } from '../../reach/http/upstream-pool.ts';
import type { Reach } from '../../reach/reach.ts';
import type { HostedSession } from '../../sessions/host/hosted-session.ts';
import type { Keeping } from '../../sessions/host/hosting.ts';
import type { SessionHost } from '../../sessions/host/session-host.ts';
import type { SessionNature } from '../../sessions/host/session-parts.ts';
import type { Session, SessionEnd } from '../../sessions/host/session-store.ts';
import type { KubeCredentials } from './kube-credentials.ts';
import { kubeTarget, type ListedKube } from './listed-kube.ts';
import type { KubeWho } from './who-for.ts';

export interface KubeUse {
  readonly caller: Caller;
  readonly cluster: ListedKube;
  readonly who: KubeWho;
  readonly hosted: HostedSession;
  /** Over with the use. */
  readonly signal: AbortSignal;
  readonly pool: UpstreamPool;
  readonly address: string;
  /** Nothing was asked within it yet: it was just opened, for which somebody may have looked for their second factor. */
  readonly isFresh: boolean;
  /** What the gateway shows the cluster. */
  credential(): Promise<KubeCredential>;
  /** Something is under way until what it gives back is called; it counts as use. */
  begin(): () => void;
}

/** Whoever asks for something, and through what. */
export interface KubeVisitor {
  caller: Caller;
  address: string;
  /** Where it was asked. */
  call: string;
  /** Uses of one holder are shared: a pass, a page. */
  holder: string;
  proveFactor(): Promise<void>;
}

export interface KubeUsesDeps {
  host: SessionHost;
  reach: Pick<Reach, 'dial'>;
  credentials: KubeCredentials;
  now: () => number;
}

export interface KubeUses {
  /** One that is open, or a new one, which is decided now; throws why not. */
  open(visitor: KubeVisitor, cluster: ListedKube, who: KubeWho, requestId: string): Promise<KubeUse>;
  close(): void;
}

/** Moderators are asked for where commands are run. */
const NATURE: SessionNature = { endsWithSignIn: true, isUnmoderated: true };
const REST_MS = 60_000;
const SWEEP_MS = 5_000;
/** Of one holder: one for each name and set of groups that is asked for. */
const MAX_OF_HOLDER = 100;
/** A program that runs away does not get beyond it; a screen with forty watches is far below. */
const MAX_CONNECTIONS = 256;
const UNUSED: SessionEnd = { cause: 'closed', message: 'it was not used for a while' };
const CLOSING: SessionEnd = { cause: 'gateway_stopping', message: 'the gateway is closing' };

/** Nobody watches it, and nothing of it is played: it has no row. */
const KEEPING: Keeping = {
  insert: async (_tx, wanted): Promise<Session> => ({
    ...wanted,
    participants: [wanted.user],
    seen: wanted.created,
    connected: wanted.created,
    interactive: false,
    command: undefined,
    ended: undefined,
  }),
  ended: async () => {},
};

interface CountedUse extends KubeUse {
  isFresh: boolean;
  underWay: number;
  restingSince: number;
}

export function createKubeUses(deps: KubeUsesDeps): KubeUses {
  const { host, now } = deps;
  /** By their holders, then by who they are in the cluster. */
  const held = new Map<string, Map<string, Promise<CountedUse>>>();

  const forget = (holder: string, key: string) => {
    const uses = held.get(holder);
    uses?.delete(key);
    if (uses?.size === 0) held.delete(holder);
  };

  async function make(
    { caller, address, call, proveFactor }: KubeVisitor,
    { cluster, who, requestId }: { cluster: ListedKube; who: KubeWho; requestId: string },
    forgotten: () => void,
  ): Promise<CountedUse> {
    const { username, signInId } = caller;
    const hosted = await host.open({
      caller,
      action: {
        type: 'connect',
        kind: 'kube',
        // Locks of one agent close one way to it, not the cluster.
        resource: { ...cluster.resource, owner: '' },
        ...who.decided,
      },
      nature: NATURE,
      keeping: KEEPING,
      address,
      requestId,
      call,
      proveFactor,
      request: randomUUID(),
      size: { cols: 0, rows: 0 },
      agent: undefined,
      recorded: false,
      interactive: false,
    });
    hosted.enter({ id: hosted.id, username, signInId, address, mode: 'peer', onRemoved: (end) => hosted.finish(end) });
    const credential = () => deps.credentials.of(cluster, hosted.signal);
    const pool = createUpstreamPool(async () => {
      const shown = await credential();
      const target = kubeTarget(cluster, 'cert' in shown ? { certificate: shown } : {});
      return await deps.reach.dial(target, { who: { user: username, session: hosted.id }, signal: hosted.signal });
    }, MAX_CONNECTIONS);
    const use: CountedUse = {
      ...{ caller, cluster, who, hosted, pool, address, credential, signal: hosted.signal },
      ...{ underWay: 0, restingSince: now(), isFresh: true },
      begin() {
        use.underWay += 1;
        use.isFresh = false;
        hosted.active(hosted.id);
        let isOver = false;
        return () => {
          if (isOver) return;
          isOver = true;
          use.underWay -= 1;
          use.restingSince = now();
        };
      },
    };
    hosted.parts.attach({
      onEnd() {
        forgotten();
        pool.close();
      },
    });
    return use;
  }

  const sweeper = setInterval(() => {
    for (const uses of held.values())
      for (const opened of uses.values())
        void opened.then(
          ({ underWay, restingSince, hosted }) => {
            if (underWay === 0 && now() - restingSince > REST_MS) hosted.letGo(UNUSED);
          },
          () => {},
        );
  }, SWEEP_MS).unref();

  return {
    async open(visitor, cluster, who, requestId) {
      const { holder, address } = visitor;
      // The very cluster that was decided about: one with another address, or for others, is another.
      const key = JSON.stringify([address, cluster.resource.id, cluster.version, who]);
      for (let under = held.get(holder)?.get(key); under; under = held.get(holder)?.get(key)) {
        const known = await under.catch(() => undefined);
        if (known && !known.hosted.end) return known;
        if (held.get(holder)?.get(key) === under) forget(holder, key);
      }
      // Nothing is waited for from here on: of several that come at once one makes it, or nobody would know of the others.
      const uses = held.get(holder) ?? new Map<string, Promise<CountedUse>>();
      if (uses.size >= MAX_OF_HOLDER)
        throw new AppError('too_many', `at most ${MAX_OF_HOLDER} users of a cluster are served at once for one pass`);
      const made = make(visitor, { cluster, who, requestId }, () => {
        if (held.get(holder)?.get(key) === made) forget(holder, key);
      });
      uses.set(key, made);
      held.set(holder, uses);
      made.catch(() => {
        if (held.get(holder)?.get(key) === made) forget(holder, key);
      });
      return await made;
    },
    close() {
      clearInterval(sweeper);
      for (const uses of held.values())
        for (const opened of uses.values())
          void opened.then(
            ({ hosted }) => hosted.letGo(CLOSING),
            () => {},
          );
    },
  };
}
