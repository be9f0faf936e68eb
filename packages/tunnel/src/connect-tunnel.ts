/** The agent's side: one outbound connection to its gateway, kept up for as long as the agent lives. */

import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TunnelHello, tunnelHello } from '@gatehouse/contract/reach/tunnel/handshake';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { type AgentSession, type OnStream, serveStreams } from './agent-session.ts';
import { BACK_OFF, type BackOff, nextWaitMs, STABLE_MS } from './back-off.ts';
import { dialGateway } from './dial/dial-gateway.ts';
import { checkAddress } from './dial/open-socket.ts';
import { agentKeyOf, type ProofSigner, signerOf } from './handshake/agent-key.ts';
import type { Link } from './link.ts';
import type { TunnelLog } from './log.ts';
import { messageOf, type TunnelEnd, TunnelError } from './tunnel-error.ts';
import { TUNNEL_LIMITS, type TunnelLimits } from './tunnel-limits.ts';

const DRAIN_MS = 10_000;

export type ConnectionState =
  | { state: 'connecting' }
  | { state: 'connected'; transport: Link['transport'] }
  | { state: 'waiting'; reason: string; retryInMs: number }
  | { state: 'closed'; reason: string };

export interface ConnectOptions {
  /** The tunnel's address at the gateway: https, or http on this very machine. */
  url: string;
  /** The agent's own Ed25519 private key; or what signs with it, asked for at each connection. */
  key: KeyObject | (() => Promise<ProofSigner>);
  ca?: string;
  pin?: string;
  /** Asked at each connection, so that it says what is true then. */
  hello: () => TunnelHello;
  onStream: OnStream;
  /** Ends everything at once; `close()` is the gentle way. */
  signal?: AbortSignal;
  log: TunnelLog;
  now: () => number;
  onState?: (state: ConnectionState) => void;
  /** Default `auto`: the plain upgrade, a websocket where that does not pass. */
  transport?: 'auto' | Link['transport'];
  limits?: Partial<TunnelLimits>;
  backOff?: BackOff;
  random?: () => number;
}

export interface AgentTunnel {
  /** Resolves when the agent will not come back: closed here, or the gateway said so. */
  readonly closed: Promise<TunnelEnd>;
  /** Round trip in milliseconds; rejects while there is no connection. */
  ping(): Promise<number>;
  /** Takes no new streams and lets the open ones finish for `drainMs`. */
  close(options?: { reason?: string; drainMs?: number }): Promise<void>;
}

/** Throws at once when the options can never work; everything later is retried or ends in `closed`. */
export function connectTunnel(options: ConnectOptions): AgentTunnel {
  checkAddress(new URL(options.url), options);
  if (typeof options.key !== 'function') agentKeyOf(options.key);
  tunnelHello.parse(options.hello());
  const connection = new AgentConnection(options);
  return connection;
}

class AgentConnection implements AgentTunnel {
  readonly closed: Promise<TunnelEnd>;
  readonly #options: ConnectOptions;
  readonly #limits: TunnelLimits;
  /** Ends dialling and waiting. */
  readonly #stop = new AbortController();
  /** The one in use, and those that still drain after the gateway sent us elsewhere. */
  readonly #sessions = new Set<AgentSession>();
  #current: AgentSession | undefined;
  #connectedAt: number | undefined;
  #end: TunnelEnd | undefined;

  constructor(options: ConnectOptions) {
    this.#options = options;
    this.#limits = { ...TUNNEL_LIMITS, ...options.limits };
    const { signal } = options;
    const forget = whenAborted(signal, () => void this.close({ reason: messageOf(signal?.reason), drainMs: 0 }));
    this.closed = this.#keepConnected().finally(forget);
  }

  ping(): Promise<number> {
    return this.#current?.ping() ?? Promise.reject(new TunnelError('closed', 'the tunnel is not connected'));
  }

  async close({ reason = 'the agent is stopping', drainMs = DRAIN_MS } = {}): Promise<void> {
    this.#end ??= { code: 'closed_here', reason: reason.slice(0, 1000), retry: false };
    this.#stop.abort(new TunnelError('closed', reason));
    await Promise.all([...this.#sessions].map((session) => session.close(reason.slice(0, 1000), drainMs)));
    await this.closed;
  }

  async #keepConnected(): Promise<TunnelEnd> {
    const { log, now, onState, backOff = BACK_OFF, random = Math.random } = this.#options;
    let failures = 0;
    while (!this.#end) {
      this.#connectedAt = undefined;
      const lost = await this.#connectOnce();
      if (this.#end) break;
      if (!lost.retry) {
        this.#end = lost;
        break;
      }
      if (this.#connectedAt !== undefined && now() - this.#connectedAt >= STABLE_MS) failures = 0;
      const retryInMs = Math.max(lost.retryAfterMs ?? 0, nextWaitMs(backOff, failures, random));
      failures += 1;
      log.warn({ reason: lost.reason, retryInMs: Math.round(retryInMs) }, 'tunnel is down');
      onState?.({ state: 'waiting', reason: lost.reason, retryInMs });
      await sleep(retryInMs, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
    await Promise.all([...this.#sessions].map((session) => session.closed));
    onState?.({ state: 'closed', reason: this.#end.reason });
    return this.#end;
  }

  /** From dialling to the loss of the connection; gives the reason, never throws. */
  async #connectOnce(): Promise<TunnelEnd> {
    const { url, ca, pin, key, hello, onStream, log, now, onState, transport = 'auto' } = this.#options;
    const { signal } = this.#stop;
    onState?.({ state: 'connecting' });
    try {
      const dialled = new URL(url);
      const signer = typeof key === 'function' ? await key() : signerOf(key);
      const link = await dialGateway({ url: dialled, trust: { ca, pin }, signer, hello: hello(), transport, signal });
      const session = await serveStreams(link, { onStream, limits: this.#limits, log, now, signal });
      this.#sessions.add(session);
      this.#current = session;
      this.#connectedAt = now();
      void session.closed.then(() => this.#sessions.delete(session));
      log.info({ gateway: dialled.host, transport: link.transport }, 'tunnel is up');
      onState?.({ state: 'connected', transport: link.transport });
      const end = await session.leaving;
      this.#current = undefined;
      return end;
    } catch (error) {
      const { retry, retryAfterMs } = error instanceof TunnelError ? error : { retry: true, retryAfterMs: undefined };
      const refused = error instanceof TunnelError && error.code === 'refused';
      return { code: refused ? 'refused' : 'lost', reason: messageOf(error), retry, retryAfterMs };
    }
  }
}
