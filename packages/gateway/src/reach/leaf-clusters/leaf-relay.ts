/** Leads calls and websockets to a leaf through its tunnel, each with a passport of its own; tells in words why that cannot be. */
import { PASS_HEADER } from '@gatehouse/contract/sessions/tcp-frames';
import type { EarlyStream, Tunnel } from '@gatehouse/tunnel/gateway-tunnel';
import { StreamRefused, TunnelError } from '@gatehouse/tunnel/tunnel-error';
import type { Actor } from '../../platform/http/actor.ts';
import { type Clusters, findOwn, type Leaf } from '../../platform/http/cluster.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { UpstreamFault } from '../http/upstream-fault.ts';
import { relayedHeaders } from '../relay/relayed-headers.ts';
import { HTTP_TARGET, withPassport } from '../relay/relayed-streams.ts';
import { sendCall } from '../relay/send-call.ts';
import { openBeyond, sendSocket } from '../relay/send-socket.ts';
import type { KnownLeaf, RootTrust } from './known-clusters.ts';
import type { LiveLeaves } from './live-leaves.ts';

export interface ClustersDeps {
  own: string;
  trust: Pick<RootTrust, 'leaves' | 'passportFor' | 'vouch'>;
  live: Pick<LiveLeaves, 'get' | 'state'>;
}

export function createClusters({ own, trust, live }: ClustersDeps): Clusters {
  function tunnelOf(leaf: KnownLeaf): Tunnel {
    const tunnel = live.get(leaf.id);
    if (tunnel) return tunnel;
    const { since = leaf.lastSeen } = live.state(leaf.id);
    throw new AppError(
      'target_unreachable',
      since === undefined
        ? `'${leaf.name}' has never been connected`
        : `'${leaf.name}' is not connected since ${new Date(since).toISOString()}`,
      { fields: { next: `let its administrator look whether that gateway runs and reaches this one` } },
    );
  }

  /** Opens a stream for one call, and says what went wrong with it. */
  async function relay<T>(
    leaf: KnownLeaf,
    actor: Actor,
    send: (open: () => Promise<EarlyStream['stream']>) => Promise<T>,
  ): Promise<T> {
    const tunnel = tunnelOf(leaf);
    const metadata = withPassport(await trust.passportFor(actor, leaf, tunnel.hello.instanceId));
    let early: EarlyStream | undefined;
    try {
      return await send(async () => {
        early = tunnel.openEarly(HTTP_TARGET, { metadata });
        return early.stream;
      });
    } catch (error) {
      // One that was not taken breaks like any other, and only its own answer says why.
      const refused = await early?.accepted.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      throw explain(refused ?? error, leaf.name);
    }
  }

  const relayTo = (leaf: KnownLeaf): Leaf => ({
    vouch: ({ signInId }) => trust.vouch(leaf.id, signInId),
    forward: (call, actor) => relay(leaf, actor, (open) => sendCall({ ...call, open })),
    forwardSocket: (opened, actor) => relay(leaf, actor, (open) => sendSocket({ ...opened, open })),
    openSocket: ({ url, requestId, userAgent, pass }, actor) =>
      relay(leaf, actor, (open) =>
        openBeyond({
          url,
          headers: relayedHeaders({ 'user-agent': userAgent, ...(pass ? { [PASS_HEADER]: pass } : {}) }, requestId),
          open,
        }),
      ),
  });

  return {
    own,
    hasLeaves: () => trust.leaves.any(),
    async find(clusterId, actor) {
      const name = findOwn(clusterId, own);
      if (name !== undefined) return { is: 'own', name };
      const leaf = actor && trust.leaves.find(clusterId, actor);
      return leaf && { is: 'leaf', name: leaf.name, leaf: relayTo(leaf) };
    },
  };
}

/** Anything that is neither of the tunnel nor of the leaf is our own mistake, and stays as it is. */
function explain(error: unknown, name: string): unknown {
  const unreachable = (words: string) => new AppError('target_unreachable', words, { cause: error });
  if (error instanceof StreamRefused) {
    if (error.code === 'not_allowed') return new AppError('denied', error.message, { cause: error });
    if (error.code === 'busy')
      return new AppError('unavailable', `'${name}' is busy: ${error.message}`, { cause: error });
    return unreachable(`'${name}' did not take the call: ${error.message}`);
  }
  if (error instanceof UpstreamFault)
    return unreachable(`what '${name}' answers cannot be passed on: ${error.message}`);
  if (!(error instanceof TunnelError)) return error;
  if (error.code === 'timed_out') return unreachable(`'${name}' did not answer in time`);
  if (error.code === 'busy')
    return new AppError('unavailable', `too many calls to '${name}' are under way: try again in a moment`);
  return unreachable(`the connection to '${name}' was lost`);
}
