/** What the gateway shows a cluster, wherever it comes from: what is stored here, or what an agent gives, which is kept in memory for most of its life. */

import type { KubeCredential } from '@gatehouse/contract/kinds/kube/kube-spec';
import {
  CREDENTIAL_ANSWER_BYTES,
  credentialAnswer,
  KUBE_CREDENTIAL_TARGET,
} from '@gatehouse/contract/reach/agents/kube-credential';
import { readMessage } from '@gatehouse/tunnel/messages';
import { TunnelError } from '@gatehouse/tunnel/tunnel-error';
import { AppError } from '../../platform/std/app-error.ts';
import { BoundedMap } from '../../platform/std/bounded-map.ts';
import type { AgentConnections } from '../../reach/agents/tunnels/agent-connections.ts';
import { orAborted, unreachable } from '../../reach/direct/dial-tcp.ts';
import { UpstreamFault } from '../../reach/http/upstream-fault.ts';
import type { Reach } from '../../reach/reach.ts';
import type { KubeSecrets } from './kube-secrets.ts';
import type { ListedKube } from './listed-kube.ts';

export interface KubeCredentials {
  /** Throws `conflict` or `target_unreachable` with `next` where there is none. */
  of(cluster: ListedKube, signal: AbortSignal): Promise<KubeCredential>;
  /** The cluster did not take it: the next who asks is given another, where an agent gives it. */
  forget(cluster: ListedKube): void;
}

/** What whoever has a cluster does about it, where it does not know what the gateway shows it. */
export function giveAnother({ resource: { name, owner } }: ListedKube): string {
  return owner === ''
    ? `store another: gatehouse kube add ${name} --kubeconfig FILE --replace`
    : 'look at what its agent is given there: its service account, or its kubeconfig';
}

/** Said by the cluster's 401, whoever asked: they are not whom it does not know. */
export class CredentialRefused extends UpstreamFault {
  constructor(cluster: ListedKube) {
    const { name } = cluster.resource;
    super(
      `the Kubernetes cluster '${name}' does not know what the gateway shows it (401). This is not about you: an administrator has to ${giveAnother(cluster)}`,
    );
  }
}

export interface KubeCredentialDeps {
  secrets: Pick<KubeSecrets, 'credentialOf'>;
  reach: Pick<Reach, 'toAgent'>;
  agents: Pick<AgentConnections, 'isConnected'>;
  now: () => number;
}

/** One that does not say when it ends may have been changed in its file since. */
const UNTOLD_MS = 60_000;
/** Of its life: clocks differ, and who is shown one must have the time to use it. */
const KEPT_FOR = 0.8;
const ASK_MS = 15_000;
const MAX_KEPT = 10_000;

interface KnownCredential {
  version: string;
  given: Promise<KubeCredential>;
  /** Until when it is shown; while it is asked for, nobody asks again. */
  until: number;
}

export function createKubeCredentials({ secrets, reach, agents, now }: KubeCredentialDeps): KubeCredentials {
  const kept = new BoundedMap<string, KnownCredential>(MAX_KEPT);

  async function ask(cluster: ListedKube): Promise<{ credential: KubeCredential; until: number }> {
    const { name } = cluster.resource;
    const connected = cluster.ways.filter((way) => agents.isConnected(way));
    let failure: unknown = unreachable(`no agent that offers '${name}' is connected`, 'start one of its agents');
    for (const agent of connected)
      try {
        return await askAgent(agent, name);
      } catch (error) {
        failure = error;
      }
    throw failure;
  }

  async function askAgent(agent: string, name: string) {
    const signal = AbortSignal.timeout(ASK_MS);
    const options = { who: { user: '-gateway-', session: '-' }, signal, metadata: { name } };
    const stream = await reach.toAgent({ owner: agent }, KUBE_CREDENTIAL_TARGET, options);
    stream.on('error', () => {});
    try {
      const { value } = await readMessage(stream, credentialAnswer, { maxBytes: CREDENTIAL_ANSWER_BYTES, signal });
      if ('reason' in value)
        throw unreachable(
          `the agent has nothing to show to '${name}': ${value.reason}`,
          'look at its log and its file',
        );
      const ends = value.expires === undefined ? undefined : Date.parse(value.expires);
      if (ends !== undefined && ends <= now())
        throw unreachable(`what the agent gives for '${name}' has ended at ${value.expires}`, 'look at its clock');
      const until = ends === undefined ? now() + UNTOLD_MS : now() + (ends - now()) * KEPT_FOR;
      return { credential: value.credential, until };
    } catch (error) {
      if (isLate(error)) throw unreachable(`the agent gave no credential for '${name}' in time`, 'look at its log');
      if (!(error instanceof TunnelError)) throw error;
      throw unreachable(`the agent gave no credential for '${name}': ${error.message}`, 'look at its log');
    } finally {
      stream.destroy();
    }
  }

  function fromAgent(cluster: ListedKube): Promise<KubeCredential> {
    const { resource, version } = cluster;
    const key = JSON.stringify([resource.cluster, resource.id]);
    const before = kept.get(key);
    if (before && before.version === version && before.until > now()) return before.given;
    const asked = ask(cluster);
    const entry: KnownCredential = {
      version,
      given: asked.then(({ credential }) => credential),
      until: Number.POSITIVE_INFINITY,
    };
    kept.set(key, entry);
    asked.then(
      ({ until }) => {
        entry.until = until;
      },
      () => {
        if (kept.get(key) === entry) kept.delete(key);
      },
    );
    return entry.given;
  }

  return {
    async of(cluster, signal) {
      const { name, owner } = cluster.resource;
      if (owner !== '')
        return await orAborted(fromAgent(cluster), signal).catch((error: unknown) => {
          if (!isLate(error)) throw error;
          throw unreachable(`the agent gave no credential for '${name}' in time`, 'look at its log');
        });
      const stored = secrets.credentialOf(name, cluster);
      if (stored) return stored;
      throw new AppError('conflict', `the gateway has nothing to show to the Kubernetes cluster '${name}'`, {
        fields: { next: `store a token for it: gatehouse kube add ${name} --kubeconfig FILE --replace` },
      });
    },
    forget: ({ resource }) => void kept.delete(JSON.stringify([resource.cluster, resource.id])),
  };
}

function isLate(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}
