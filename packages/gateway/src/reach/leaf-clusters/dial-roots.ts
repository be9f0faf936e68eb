/** Keeps a tunnel to every root that is trusted here, and serves what its people ask through it. */
import { hostname } from 'node:os';
import { TUNNEL_PATH } from '@gatehouse/contract/reach/tunnel/handshake';
import { VERSION } from '@gatehouse/contract/std/version';
import type { OnStream } from '@gatehouse/tunnel/agent-session';
import type { BackOff } from '@gatehouse/tunnel/back-off';
import { type AgentTunnel, type ConnectionState, connectTunnel } from '@gatehouse/tunnel/connect-tunnel';
import { StreamRefused, type TunnelEnd } from '@gatehouse/tunnel/tunnel-error';
import type { RelayedDoor } from '../../platform/http/relayed-door.ts';
import type { Log } from '../../platform/std/log.ts';
import type { ClusterNews } from '../../platform/std/news-line.ts';
import { HTTP_TARGET, NEWS_TARGET } from '../relay/relayed-streams.ts';
import { serveCall } from '../relay/serve-call.ts';
import { type KnownRoot, type LeafTrust, type LinkState, TRUST_ENDED } from './known-clusters.ts';
import { carryNews } from './news-stream.ts';

export interface DialRootsDeps {
  trust: LeafTrust;
  door: Pick<RelayedDoor, 'serve'>;
  news: Pick<ClusterNews, 'withRoot'> | undefined;
  log: Log;
  now: () => number;
  /** How long open calls may go on when this gateway closes. */
  drainMs: number;
  backOff?: BackOff | undefined;
}

export interface DialledRoots {
  state(trust: string): LinkState;
  beginClose(): void;
  close(): Promise<void>;
}

interface Dialled {
  address: string;
  tunnel: AgentTunnel;
  state(): LinkState;
  /** The root said that it need not come back; dialled again once the trust is made anew. */
  isOver: boolean;
}

export function dialRoots(deps: DialRootsDeps): DialledRoots {
  const { trust, door, news, log, now, drainMs } = deps;
  const dialled = new Map<string, Dialled>();
  const ending = new Set<Promise<void>>();
  const { gatewayId: instanceId } = trust;
  let closing = false;

  const signer = async () => {
    const { current } = await trust.keys.now();
    return { publicKey: current.publicKey, sign: trust.keys.sign };
  };

  function streamsOf(name: string): OnStream {
    const calls = { door, admit: (passport: string) => trust.admit(passport, name) };
    return async (offered, request) => {
      if (request.target === HTTP_TARGET) return await serveCall(calls, offered, request);
      if (request.target !== NEWS_TARGET || !news) throw new StreamRefused('not_found', 'that is not served here');
      carryNews(
        offered.accept(),
        (line) => news.withRoot(name, line),
        (reason) => log.info({ trust: name, reason }, 'the line of news with a root is over'),
      );
    };
  }

  function dial({ name, address, pin }: KnownRoot): void {
    let state: LinkState = { isConnected: false, trouble: 'it is being dialled' };
    const tunnel = connectTunnel({
      url: new URL(TUNNEL_PATH, address).href,
      ...(pin === undefined ? {} : { pin }),
      key: signer,
      hello: () => ({ kind: 'cluster', version: VERSION, hostname: hostname(), instanceId, offers: {} }),
      onStream: streamsOf(name),
      log,
      now: () => performance.now(),
      onState: (heard) => {
        state = stateOf(heard, state, now());
      },
      ...(deps.backOff ? { backOff: deps.backOff } : {}),
    });
    const held: Dialled = { address, tunnel, state: () => state, isOver: false };
    dialled.set(name, held);
    void tunnel.closed.then((end) => lost(name, held, end)).catch((error: unknown) => log.warn({ error }, 'root lost'));
  }

  /** It does not come back by itself: the root does not want this cluster. */
  async function lost(name: string, held: Dialled, { reason, code }: TunnelEnd): Promise<void> {
    if (dialled.get(name) !== held || code === 'closed_here') return;
    held.state = () => ({ isConnected: false, trouble: reason });
    log.warn({ trust: name, reason }, 'a root has ended the trust');
    await trust.noteRoot(name, reason);
    held.isOver = true;
  }

  function hangUp(name: string, reason: string): void {
    const held = dialled.get(name);
    if (!held) return;
    dialled.delete(name);
    const ended = held.tunnel.close({ reason, drainMs: 0 }).finally(() => ending.delete(ended));
    ending.add(ended);
  }

  /** What is to be dialled, and what no longer. */
  function lookAgain(): void {
    if (closing) return;
    const wanted = new Map(trust.trusts.all().flatMap((root) => (root.enabled ? [[root.name, root] as const] : [])));
    for (const [name, { address }] of dialled) if (wanted.get(name)?.address !== address) hangUp(name, TRUST_ENDED);
    for (const [name, root] of wanted) {
      const held = dialled.get(name);
      if (root.ended === undefined && (!held || held.isOver)) tryToDial(root);
    }
  }

  function tryToDial(root: KnownRoot): void {
    try {
      dial(root);
    } catch (error) {
      // An address that can never be dialled: whoever reads the list of trusts sees why.
      log.warn({ trust: root.name, error }, 'a root cannot be dialled');
    }
  }

  const forget = trust.trusts.onChange(lookAgain);
  lookAgain();

  return {
    state: (name) => dialled.get(name)?.state() ?? { isConnected: false },
    beginClose() {
      if (closing) return;
      closing = true;
      forget();
      for (const { tunnel } of dialled.values()) {
        const closed = tunnel
          .close({ reason: 'that gateway is closing', drainMs })
          .finally(() => ending.delete(closed));
        ending.add(closed);
      }
    },
    async close() {
      this.beginClose();
      for (const { tunnel } of dialled.values()) await tunnel.close({ reason: 'that gateway is closing', drainMs: 0 });
      await Promise.all(ending);
    },
  };
}

function stateOf(heard: ConnectionState, before: LinkState, now: number): LinkState {
  if (heard.state === 'connected') return { isConnected: true, since: now };
  if (heard.state === 'connecting')
    return before.isConnected ? { isConnected: false, since: now, trouble: 'it is being dialled' } : before;
  const since = before.isConnected ? now : before.since;
  return { isConnected: false, since, trouble: heard.reason };
}
