/** The gateway's hold on one agent: opens streams to what the agent reaches, until either side ends it. */

import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, sensitiveHeaders } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { TunnelHello } from '@gatehouse/contract/reach/tunnel/handshake';
import {
  CONTROL_TARGET,
  METADATA_HEADER,
  STREAM_REFUSAL_HEADER,
  type StreamMetadata,
  streamRefusal,
} from '@gatehouse/contract/reach/tunnel/streams';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { containEvents } from './contain.ts';
import { withDeadline } from './deadline.ts';
import type { AgentKey } from './handshake/agent-key.ts';
import type { ProvenAgent } from './handshake/challenge-agent.ts';
import { SessionLife } from './http2/session-life.ts';
import { sessionOptions, widenSessionWindow } from './http2/session-options.ts';
import { steadyLink } from './http2/steady-duplex.ts';
import { checkRequest, fromHeader } from './http2/stream-headers.ts';
import { cutStream, TunnelStream } from './http2/tunnel-stream.ts';
import type { Link } from './link.ts';
import { StreamRefused, type TunnelEnd, TunnelError } from './tunnel-error.ts';
import type { TunnelLimits } from './tunnel-limits.ts';

export interface OpenOptions {
  /** Ends the waiting, and later the stream itself: a revoked session closes what it opened. */
  signal?: AbortSignal;
  /** Who asks and for what; opaque here, read by the agent. */
  metadata?: StreamMetadata;
}

/** A stream that may be written before the agent has answered: what is asked travels with the request for it. */
export interface EarlyStream {
  /** Ends or breaks without a word where the agent does not take it. */
  stream: Duplex;
  /** Rejects like `open`. */
  accepted: Promise<void>;
}

export interface CloseOptions {
  /** How long open streams may go on. None are cut before, none live longer. */
  drainMs?: number;
  /** False tells the agent to stay away. */
  retry?: boolean;
}

export interface Tunnel {
  readonly agentKey: AgentKey;
  readonly hello: TunnelHello;
  readonly transport: Link['transport'];
  readonly openStreams: number;
  /** Rejects with `StreamRefused` when the agent said no, `TunnelError` when the tunnel could not carry it. */
  open(target: string, options?: OpenOptions): Promise<Duplex>;
  /** Throws what `open` rejects with before anything is sent. One round trip less, for whoever asks and waits for one answer. */
  openEarly(target: string, options?: OpenOptions): EarlyStream;
  ping(): Promise<number>;
  /** Resolves when either side has said farewell, or the tunnel is over: nothing new opens, what is open may still go on. */
  readonly leaving: Promise<TunnelEnd>;
  readonly closed: Promise<TunnelEnd>;
  close(reason: string, options?: CloseOptions): Promise<void>;
}

interface TunnelContext {
  limits: TunnelLimits;
  now: () => number;
  signal: AbortSignal | undefined;
}

/** Takes the link; returns when the agent serves streams on it. */
export async function openGatewayTunnel(link: Link, agent: ProvenAgent, context: TunnelContext): Promise<Tunnel> {
  const { limits, now, signal } = context;
  const steady = steadyLink(link);
  const session = connect('http://agent', {
    ...sessionOptions(limits.maxStreams),
    createConnection: () => steady.stream,
  });
  session.once('remoteSettings', () => widenSessionWindow(session));
  const life = new SessionLife(session, steady, { limits, now });
  const tunnel = new GatewayTunnel(session, life, { link, agent, limits });
  try {
    await withDeadline({ ms: limits.handshakeMs, what: 'the first stream', signal }, () => tunnel.openControl());
  } catch (error) {
    life.end({ code: 'lost', reason: 'the agent did not serve streams', retry: true });
    throw error;
  }
  return tunnel;
}

/** The control stream is open for life: a tunnel with nothing else open is idle. */
const CONTROL_STREAMS = 1;

class GatewayTunnel implements Tunnel {
  readonly agentKey: AgentKey;
  readonly hello: TunnelHello;
  readonly transport: Link['transport'];
  readonly leaving: Promise<TunnelEnd>;
  readonly closed: Promise<TunnelEnd>;
  readonly #resolveLeaving: (end: TunnelEnd) => void;
  readonly #session: ClientHttp2Session;
  readonly #life: SessionLife;
  readonly #limits: TunnelLimits;
  #draining: TunnelEnd | undefined;
  #open = 0;

  constructor(
    session: ClientHttp2Session,
    life: SessionLife,
    { link, agent, limits }: { link: Link; agent: ProvenAgent; limits: TunnelLimits },
  ) {
    this.agentKey = agent.key;
    this.hello = agent.hello;
    this.transport = link.transport;
    this.closed = life.closed;
    const { promise, resolve } = Promise.withResolvers<TunnelEnd>();
    this.leaving = promise;
    this.#resolveLeaving = resolve;
    void life.closed.then(resolve);
    this.#session = session;
    this.#life = life;
    this.#limits = limits;
  }

  get openStreams(): number {
    return this.#open - CONTROL_STREAMS;
  }

  async openControl(): Promise<void> {
    const control = await this.#request(CONTROL_TARGET, checkRequest(CONTROL_TARGET, {}), undefined);
    this.#life.takeControl(control, ({ reason, drainMs }) => {
      this.#drain({ code: 'closed_by_peer', reason, retry: true }, Math.min(drainMs, this.#limits.farewellMs));
    });
  }

  async open(target: string, { signal, metadata = {} }: OpenOptions = {}): Promise<Duplex> {
    return this.#request(target, this.#checked(target, metadata, signal), signal);
  }

  openEarly(target: string, { signal, metadata = {} }: OpenOptions = {}): EarlyStream {
    const inner = this.#counted(target, this.#checked(target, metadata, signal));
    const stream = streamOf(inner, signal);
    const accepted = this.#explained(inner, answerOf(inner, signal, this.#limits.openMs));
    // Whoever reads the stream first sees it break.
    accepted.catch(() => {});
    return { stream, accepted };
  }

  #checked(target: string, metadata: StreamMetadata, signal: AbortSignal | undefined): string {
    const header = checkRequest(target, metadata);
    if (target === CONTROL_TARGET) throw new TunnelError('bad_request', `'${CONTROL_TARGET}' is no target`);
    signal?.throwIfAborted();
    const { ended } = this.#life;
    if (ended) throw new TunnelError('closed', `the tunnel is closed: ${ended.reason}`);
    if (this.#draining) throw new TunnelError('draining', `the tunnel is closing: ${this.#draining.reason}`);
    if (this.openStreams >= this.#limits.maxStreams)
      throw new TunnelError('busy', 'the tunnel carries too many streams');
    return header;
  }

  async #request(target: string, metadata: string, signal: AbortSignal | undefined): Promise<TunnelStream> {
    const inner = this.#counted(target, metadata);
    const stream = Promise.withResolvers<TunnelStream>();
    // In the very turn the answer comes in: what follows it would be lost.
    const taken = answerOf(inner, signal, this.#limits.openMs, () => stream.resolve(streamOf(inner, signal)));
    await this.#explained(inner, taken);
    return stream.promise;
  }

  #counted(target: string, metadata: string): ClientHttp2Stream {
    const inner = this.#requestStream(target, metadata);
    this.#open += 1;
    inner.once('close', () => {
      this.#open -= 1;
      this.#endWhenDrained();
    });
    return inner;
  }

  #explained(inner: ClientHttp2Stream, answer: Promise<void>): Promise<void> {
    return answer.catch((error: unknown) => {
      cutStream(inner);
      throw this.#explain(error, inner);
    });
  }

  #requestStream(target: string, metadata: string): ClientHttp2Stream {
    try {
      return this.#session.request({
        ':method': 'CONNECT',
        ':authority': target,
        [METADATA_HEADER]: metadata,
        // Kept out of the compression tables: it differs for each stream and may name people.
        [sensitiveHeaders]: [METADATA_HEADER],
      });
    } catch (cause) {
      // Broken an instant ago; its own events have not run yet.
      throw new TunnelError('closed', 'the tunnel is closed', { cause });
    }
  }

  /** A stream that dies unanswered says little by itself; the tunnel's own state says why. */
  #explain(error: unknown, inner: ClientHttp2Stream): unknown {
    if (!(error instanceof TunnelError) || error.code !== 'reset') return error;
    const { ended } = this.#life;
    if (ended) return new TunnelError('closed', `the tunnel is closed: ${ended.reason}`);
    if (this.#draining || inner.rstCode === constants.NGHTTP2_REFUSED_STREAM) {
      return new TunnelError('draining', 'the tunnel is closing');
    }
    return error;
  }

  ping(): Promise<number> {
    return new Promise((resolve, reject) => {
      const gone = () => reject(new TunnelError('closed', 'the tunnel is closed'));
      if (this.#session.destroyed) return gone();
      const sent = this.#session.ping((error, durationMs) => (error ? gone() : resolve(durationMs)));
      if (!sent) reject(new TunnelError('busy', 'too many pings are under way'));
    });
  }

  async close(reason: string, { drainMs = 0, retry = true }: CloseOptions = {}): Promise<void> {
    await this.#life.sayFarewell({ type: 'farewell', reason: reason.slice(0, 1000), retry, drainMs });
    this.#drain({ code: 'closed_here', reason, retry }, drainMs);
    await this.closed;
  }

  #drain(end: TunnelEnd, drainMs: number): void {
    this.#draining ??= end;
    this.#resolveLeaving(end);
    this.#life.expect(end);
    if (drainMs === 0) {
      this.#life.end(end);
    } else {
      this.#life.endAfter(drainMs, end);
      this.#endWhenDrained();
    }
  }

  /** The gateway closes, never the agent: only here is known that every reader has taken all that was sent. */
  #endWhenDrained(): void {
    if (this.#draining && this.openStreams <= 0) this.#life.end(this.#draining);
  }
}

function answerOf(
  inner: ClientHttp2Stream,
  signal: AbortSignal | undefined,
  ms: number,
  onAccepted?: () => void,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let forget = () => {};
  const over = () => {
    clearTimeout(late);
    forget();
  };
  const fail = (reason: unknown) => {
    over();
    reject(reason);
  };
  const cut = () => fail(new TunnelError('reset', 'the agent dropped the stream'));
  const late = setTimeout(
    () => fail(new TunnelError('timed_out', `the agent's answer took longer than ${ms / 1000} s`)),
    ms,
  );
  forget = whenAborted(signal, () => fail(signal?.reason));
  inner.on('error', cut);
  inner.once('close', cut);
  inner.once('response', (headers) => {
    if (headers[':status'] !== 200) return fail(refusalFrom(headers[STREAM_REFUSAL_HEADER]));
    inner.off('close', cut);
    over();
    onAccepted?.();
    resolve();
  });
  return promise;
}

function streamOf(inner: ClientHttp2Stream, signal: AbortSignal | undefined): TunnelStream {
  const stream = new TunnelStream(inner);
  const peer = { where: 'tunnel stream', cut: () => stream.destroy() };
  for (const emitter of [inner, stream]) containEvents(emitter, peer);
  tieTo(stream, signal);
  return stream;
}

function refusalFrom(header: string | string[] | undefined): Error {
  try {
    const { code, message } = fromHeader(streamRefusal, header);
    return new StreamRefused(code, message);
  } catch {
    return new StreamRefused('failed', 'the agent gave no reason');
  }
}

function tieTo(stream: Duplex, signal: AbortSignal | undefined): void {
  if (!signal) return;
  const forget = whenAborted(
    signal,
    () => void stream.destroy(signal.reason instanceof Error ? signal.reason : undefined),
  );
  stream.once('close', forget);
}
