/** One watch after the other, for as long as somebody looks: begun again where it ends, given up where the cluster says no. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { good, type KubeAsk, readLines, toldFailure } from './answers.ts';
import { parseBounded } from './bounded-json.ts';
import { KubeFailure } from './kube-failure.ts';

/** As long as the longest object, with what is around it. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024;
const GONE = 410;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 15_000;
/** A cluster that was there a moment ago is tried this often before it is told to be away. */
const MAX_FAILURES = 6;
/** One that lasted longer ended as watches do, and is begun again at once. */
const LASTED_MS = 5_000;

const watchEvent = z.object({ type: z.string(), object: z.unknown() });
const versioned = z.object({ metadata: z.object({ resourceVersion: z.string().min(1) }) });
const told = z.object({ code: z.int().catch(0) });

export type WatchChange = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: unknown };

export interface Watched {
  /** The address, from this version on. */
  target: (resourceVersion: string) => string;
  accept: string;
  resourceVersion: string;
  /** It is being told what changes. */
  onLive: () => void;
  /** Gives the version of what it was told, where it knows it better than by looking at the object. */
  onChange: (change: WatchChange) => Promise<string | undefined>;
  now: () => number;
}

/** Ends when the version is too old to go on from. Fails where the cluster refuses, and with the signal. */
export async function watchUntilOld(ask: KubeAsk, watched: Watched, signal: AbortSignal): Promise<void> {
  let { resourceVersion } = watched;
  let failures = 0;
  let wasLive = false;
  for (;;) {
    const begun = watched.now();
    try {
      const headers: [string, string][] = [['accept', watched.accept]];
      const answer = await ask({ method: 'GET', target: watched.target(resourceVersion), headers }, signal);
      const { body } = await good(answer);
      watched.onLive();
      wasLive = true;
      for await (const line of readLines(body, MAX_EVENT_BYTES)) {
        const event = watchEvent.safeParse(parseBounded(line)).data;
        if (!event) continue;
        if (event.type === 'ERROR') throw toldFailure(told.safeParse(event.object).data?.code ?? 0, event.object);
        const version = await heard(watched, event.type, event.object);
        if (version !== undefined) resourceVersion = version;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof KubeFailure && error.status === GONE) return;
      if (!mayPass(error) || !wasLive || failures >= MAX_FAILURES) throw error;
    }
    signal.throwIfAborted();
    failures = watched.now() - begun > LASTED_MS ? 0 : failures + 1;
    // One that ends early is begun again at once the first time, as one that nobody had anything to say on.
    const wait = failures < 2 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (failures - 2), MAX_WAIT_MS);
    await sleep(wait, undefined, { signal });
  }
}

async function heard(watched: Watched, type: string, object: unknown): Promise<string | undefined> {
  const version = versioned.safeParse(object).data?.metadata.resourceVersion;
  if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return version;
  return (await watched.onChange({ type, object })) ?? version;
}

/** The cluster is busy or away, or the way to it was lost. */
function mayPass(error: unknown): boolean {
  return !(error instanceof KubeFailure) || error.status === 429 || error.status >= 500;
}
