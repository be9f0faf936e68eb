/** Passes with which programs come to Kubernetes clusters: given to who is signed in, and found again at each request. They say who asks, and nothing of what they may. */
import { hash } from 'node:crypto';
import { RESOURCE_TOPIC } from '../../inventory/resource-changes.ts';
import type { ChangeFeed } from '../../platform/change-feed/change-feed.ts';
import { requireStore } from '../../platform/change-feed/lost-store.ts';
import type { Who } from '../../platform/http/actor.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { BoundedMap } from '../../platform/std/bounded-map.ts';
import type { Log } from '../../platform/std/log.ts';
import type { Db, Tx } from '../../platform/storage/tables.ts';
import { findKubePass, insertKubePass, type KubePass, sweepKubePasses } from './kube-pass-store.ts';

export interface KubePassesDeps {
  db: Db;
  feed: Pick<ChangeFeed, 'subscribe' | 'silentMs'>;
  clusterName: string;
  log: Log;
  now: () => number;
}

export interface GivenKubePass {
  token: string;
  expires: number;
}

export interface KubePasses {
  /** `factorProven`: a second factor was proven for it. Throws where the sign-in is over. */
  give(tx: Tx, who: Who, cluster: { id: string; name: string }, factorProven: boolean): Promise<GivenKubePass>;
  /** Undefined for what is no pass, or none any more. Throws while the store cannot say who was sent out. */
  find(token: string): Promise<KubePass | undefined>;
  close(): void;
}

/** As programs ask for the next one by themselves, none need live longer. */
const PASS_MS = 60 * 60_000;
/** What is shorter or longer was never given: no row is looked for. */
const PASS = /^[0-9a-f]{64}$/;
const SWEEP_MS = 60_000;
const MAX_KNOWN = 20_000;
/** Changes drop what is known at once; this bounds the harm of one that never arrives. */
const MAX_AGE_MS = 5 * 60_000;
/** What is nothing is asked for once in a while, not at every request. */
const MISS_MS = 2_000;
const MAX_MISSES = 1_000;

export function createKubePasses({ db, feed, clusterName, log, now }: KubePassesDeps): KubePasses {
  const known = new BoundedMap<string, { pass: KubePass; at: number }>(MAX_KNOWN);
  const loading = new Map<string, Promise<KubePass | undefined>>();
  const misses = new Map<string, number>();
  // What was read before a change must not be kept after it.
  let drops = 0;

  const drop = (isMeant: (pass: KubePass) => boolean) => {
    drops++;
    for (const [key, { pass }] of known) if (isMeant(pass)) known.delete(key);
  };
  const subscription = feed.subscribe(['sign-in', 'user', RESOURCE_TOPIC], {
    change({ topic, id }) {
      if (topic === 'sign-in') drop(({ signInId }) => signInId === id);
      else if (topic === 'user') drop(({ username }) => username === id);
      else if (id === 'kube') drop(() => true);
    },
    gap: () => drop(() => true),
  });

  async function load(key: string): Promise<KubePass | undefined> {
    const before = drops;
    const pass = await findKubePass(db, clusterName, key, now());
    if (!pass) {
      if (misses.size >= MAX_MISSES) misses.clear();
      misses.set(key, performance.now());
    } else if (before === drops) known.set(key, { pass, at: performance.now() });
    return pass;
  }

  const sweeper = setInterval(() => {
    sweepKubePasses(db, now()).catch((error: unknown) => log.warn({ error }, 'passes cannot be swept'));
  }, SWEEP_MS).unref();

  return {
    async give(tx, { username, signInId }, { id: resource, name: cluster }, factorProven) {
      const time = now();
      const signIn = await tx
        .selectFrom('sign_in')
        .select('expires')
        .where('id', '=', signInId)
        .where('ended', 'is', null)
        .where('expires', '>', time)
        .executeTakeFirst();
      if (!signIn) throw new AppError('not_signed_in', 'you are not signed in, or your sign-in has ended');
      const expires = Math.min(time + PASS_MS, signIn.expires);
      const fresh = { username, signInId, cluster, resource, expires, factorProven };
      return { token: await insertKubePass(tx, clusterName, fresh, time), expires };
    },
    async find(token) {
      requireStore(feed);
      if (!PASS.test(token)) return undefined;
      const key = hash('sha256', token, 'hex');
      const held = known.get(key);
      if (held && performance.now() - held.at < MAX_AGE_MS) {
        if (held.pass.expires > now()) return held.pass;
        known.delete(key);
        return undefined;
      }
      const missed = misses.get(key);
      if (missed !== undefined && performance.now() - missed < MISS_MS) return undefined;
      const under = loading.get(key);
      if (under) return await under;
      const started = load(key).finally(() => loading.delete(key));
      loading.set(key, started);
      return await started;
    },
    close() {
      clearInterval(sweeper);
      subscription.close();
    },
  };
}
