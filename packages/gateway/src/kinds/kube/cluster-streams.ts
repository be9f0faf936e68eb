/** Opens what runs in pods and ports that lead there, as the person, in whichever way the cluster speaks. */
import { parseJson } from '@gatehouse/contract/std/parse-json';
import { z } from 'zod';
import { bytesOf } from './bytes-of.ts';
import type { KubeAnswer } from './engine/stream-answer.ts';
import type { ExecChannels } from './engine/streams/channels.ts';
import type { Purpose, StreamKind } from './engine/streams/client-upgrade.ts';
import { openExec, openForward, upgradeRequest } from './engine/streams/cluster-upgrade.ts';
import { channelsOf, type ExecRequest, execTarget, withOutput } from './engine/streams/exec-request.ts';
import type { Upgraded } from './engine/streams/spdy-channels.ts';
import type { KubeCalls, KubeEntered, KubeUpgraded } from './kube-calls.ts';
import { KubeRefusal } from './kube-refusal.ts';
import { reviewStream } from './review-stream.ts';

type Carrier = StreamKind['carrier'];

export interface ClusterStreams {
  /** `first`: what the client speaks. Throws a `KubeRefusal` with what the cluster answered instead. */
  exec(entered: KubeEntered, exec: ExecRequest, first: Carrier): Promise<ExecChannels>;
  forward(entered: KubeEntered, first: Carrier): Promise<Upgraded>;
}

interface Attempt {
  carrier: Carrier;
  isLast?: boolean;
}

/** Not that it may not be, but that it is not known: by servers, and by balancers before them. */
const UNKNOWN: ReadonlySet<number> = new Set([400, 404, 405, 501, 502]);
const REMEMBERED_MS = 10 * 60_000;
const MAX_REMEMBERED = 1_000;

const status = z.object({ message: z.string(), reason: z.string().optional() });

export interface ClusterStreamsDeps {
  calls: Pick<KubeCalls, 'upgrade' | 'carry'>;
  now: () => number;
}

export function createClusterStreams({ calls, now }: ClusterStreamsDeps): ClusterStreams {
  /** What a cluster was last opened by, where that was not what it was first asked for. */
  const learned = new Map<string, { carrier: Carrier; until: number }>();

  async function open(
    entered: KubeEntered,
    { purpose, target, first }: { purpose: Purpose; target: string; first: Carrier },
  ): Promise<{ upgraded: Upgraded; kind: StreamKind }> {
    await reviewStream(calls, entered);
    const key = `${purpose} ${entered.use.cluster.resource.id} ${entered.use.cluster.version}`;
    const known = learned.get(key);
    const start = known && known.until > now() ? known.carrier : first;
    let refusal: KubeRefusal | undefined;
    const ways: readonly Attempt[] = [
      { carrier: start },
      { carrier: start === 'spdy' ? 'websocket' : 'spdy' },
      // Better than nothing: as long as nobody types to the end.
      ...(purpose === 'exec' ? [{ carrier: 'websocket', isLast: true } as const] : []),
    ];
    for (const { carrier, isLast = false } of ways) {
      const answer = await attempt(entered, { purpose, target, carrier, isLast });
      if ('kind' in answer) {
        remember(key, carrier, first);
        entered.tell(101);
        return answer;
      }
      // The first is about what the client asked for, unless only the second understood the question.
      if (!refusal || !UNKNOWN.has(answer.status.code)) refusal = answer;
      // A websocket is `get` to a cluster: whoever may only `create` gets through by the other way.
      const isUnknown = UNKNOWN.has(answer.status.code) || (carrier === 'websocket' && answer.status.code === 403);
      if (!isUnknown) break;
    }
    entered.tell(refusal?.status.code ?? 502);
    throw refusal ?? new KubeRefusal({ code: 502, message: 'the cluster opened no stream' });
  }

  async function attempt(
    entered: KubeEntered,
    { purpose, target, carrier, isLast }: { purpose: Purpose; target: string } & Required<Attempt>,
  ): Promise<{ upgraded: Upgraded; kind: StreamKind } | KubeRefusal> {
    const asked = upgradeRequest(carrier, purpose, { isLast });
    const request = { ...entered.request, method: asked.method, target };
    const further = asked.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
    const answer = await calls.upgrade({ ...entered, request, tell: () => false }, { headers: [], further });
    if (!('stream' in answer)) return await refusalOf(answer);
    try {
      const protocol = asked.check((name) => headerOf(answer, name));
      return { upgraded: answer, kind: { carrier, protocol } };
    } catch (error) {
      answer.stream.destroy();
      throw error;
    }
  }

  function remember(key: string, carrier: Carrier, first: Carrier): void {
    if (carrier === first) {
      learned.delete(key);
      return;
    }
    if (learned.size >= MAX_REMEMBERED) learned.delete(learned.keys().next().value ?? '');
    // Not for longer by being used: the cluster may have been upgraded meanwhile.
    const until = learned.get(key)?.until ?? 0;
    learned.set(key, { carrier, until: until > now() ? until : now() + REMEMBERED_MS });
  }

  return {
    async exec(entered, exec, first) {
      const whole = withOutput(exec);
      const { upgraded, kind } = await open(entered, { purpose: 'exec', target: execTarget(whole), first });
      return await openExec(upgraded, kind, channelsOf(whole));
    },
    async forward(entered, first) {
      const { namespace, name } = entered.request;
      // The ports are said by each connection; those in old queries mean nothing to clusters of today.
      const target = `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(name)}/portforward`;
      const { upgraded, kind } = await open(entered, { purpose: 'forward', target, first });
      return await openForward(upgraded, kind);
    },
  };
}

function headerOf({ head: { headers } }: KubeUpgraded, name: string): string | undefined {
  for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return headers[at + 1];
  return undefined;
}

/** In the cluster's own words. */
async function refusalOf({ status: code, body }: KubeAnswer): Promise<KubeRefusal> {
  const bytes = await bytesOf(body);
  const told = status.safeParse(parseJson(bytes)).data;
  const { message = bytes.toString().trim() || `the cluster answered ${code}`, reason } = told ?? {};
  // A stream that was not opened is no success to anybody.
  return new KubeRefusal({ code: code >= 400 ? code : 502, message, ...(reason ? { reason } : {}) });
}
