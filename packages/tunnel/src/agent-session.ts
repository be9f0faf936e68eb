/** The agent's end of one accepted link: serves the gateway's requests for streams until either side leaves. */
import {
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { Duplex } from 'node:stream';
import {
  CONTROL_TARGET,
  METADATA_HEADER,
  STREAM_REFUSAL_HEADER,
  STREAM_REFUSALS,
  type StreamMetadata,
  type StreamRefusalCode,
  streamMetadata,
  streamTarget,
} from '@gatehouse/contract/reach/tunnel/streams';
import { containEvents, onBehalfOf } from './contain.ts';
import { withDeadline } from './deadline.ts';
import { SessionLife } from './http2/session-life.ts';
import { sessionOptions, widenSessionWindow } from './http2/session-options.ts';
import { steadyLink } from './http2/steady-duplex.ts';
import { fromHeader, toHeader } from './http2/stream-headers.ts';
import { cutStream, TunnelStream } from './http2/tunnel-stream.ts';
import type { Link } from './link.ts';
import type { TunnelLog } from './log.ts';
import { messageOf, StreamRefused, type TunnelEnd, TunnelError } from './tunnel-error.ts';
import type { TunnelLimits } from './tunnel-limits.ts';

export interface StreamRequest {
  target: string;
  metadata: StreamMetadata;
  /** Aborted when the gateway gives the stream up, or the tunnel ends. Made when it is first asked for: most calls are over in a moment. */
  readonly signal: AbortSignal;
  /** The same for who only wants to know whether it has happened. */
  readonly isGone: boolean;
}

/** A stream the gateway waits for. Answer it once: accept when the target is reached, or refuse with a reason. */
export interface OfferedStream {
  accept(): Duplex;
  /** For what is answered in a moment: the word that it is taken travels with the first bytes, and is not a packet of its own. */
  acceptWithAnswer(): Duplex;
  refuse(code: StreamRefusalCode, message: string): void;
}

/** Throwing before the answer refuses: `StreamRefused` with its own words, anything else without. */
export type OnStream = (stream: OfferedStream, request: StreamRequest) => void | Promise<void>;

export interface AgentSession {
  /** Resolves when the gateway wants the agent elsewhere, or the session is over; open streams may still go on. */
  readonly leaving: Promise<TunnelEnd>;
  readonly closed: Promise<TunnelEnd>;
  ping(): Promise<number>;
  close(reason: string, drainMs: number): Promise<void>;
}

interface ServeContext {
  onStream: OnStream;
  limits: TunnelLimits;
  log: TunnelLog;
  now: () => number;
  signal: AbortSignal;
}

/** Takes the link; returns when the gateway has opened the control stream. */
export async function serveStreams(link: Link, context: ServeContext): Promise<AgentSession> {
  const { limits, now, log, onStream, signal } = context;
  const steady = steadyLink(link);
  const session = performServerHandshake(steady.stream, sessionOptions(limits.maxStreams));
  const life = new SessionLife(session, steady, { limits, now });
  const leaving = Promise.withResolvers<TunnelEnd>();
  const controlled = Promise.withResolvers<void>();
  let draining = false;
  void life.closed.then((end) => {
    leaving.resolve(end);
    controlled.reject(new TunnelError('closed', end.reason));
  });

  const takeControl = (control: Duplex) => {
    life.takeControl(control, ({ reason, retry, drainMs }) => {
      const end: TunnelEnd = { code: 'closed_by_peer', reason, retry };
      life.expect(end);
      life.endAfter(drainMs + limits.silentMs, end);
      leaving.resolve(end);
    });
    controlled.resolve();
  };
  session.once('remoteSettings', () => widenSessionWindow(session));
  const serveStream = (inner: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    inner.on('error', () => {});
    if (headers[':method'] !== 'CONNECT') refuse(inner, 'bad_request', 'only CONNECT is served');
    else if (headers[':authority'] === CONTROL_TARGET) takeControl(accept(inner));
    else if (draining) refuse(inner, 'draining', 'the agent is closing');
    else serve(inner, headers, { onStream, log, limits });
  };
  session.on('stream', (inner, headers) => {
    const peer = { where: 'tunnel stream', cut: () => cutStream(inner) };
    containEvents(inner, peer);
    onBehalfOf(peer, () => serveStream(inner, headers));
  });

  try {
    await withDeadline({ ms: limits.handshakeMs, what: 'the first stream', signal }, () => controlled.promise);
  } catch (error) {
    life.end({ code: 'lost', reason: 'the gateway opened no stream', retry: true });
    throw error;
  }
  return {
    leaving: leaving.promise,
    closed: life.closed,
    ping: () => pingOf(session),
    async close(reason, drainMs) {
      draining = true;
      const end: TunnelEnd = { code: 'closed_here', reason, retry: false };
      life.expect(end);
      await life.sayFarewell({ type: 'farewell', reason, retry: false, drainMs });
      if (drainMs === 0) life.end(end);
      else life.endAfter(drainMs, end);
      await life.closed;
    },
  };
}

function serve(
  inner: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  { onStream, log, limits }: Pick<ServeContext, 'onStream' | 'log' | 'limits'>,
): void {
  const offered: OfferedStream = {
    accept: () => accept(inner),
    acceptWithAnswer: () => acceptWithAnswer(inner, limits.withAnswerMs),
    refuse: (code, message) => refuse(inner, code, message),
  };
  const handle = async () => {
    await onStream(offered, requestFrom(inner, headers));
  };
  handle().catch((error: unknown) => {
    if (error instanceof StreamRefused) return refuse(inner, error.code, error.message);
    if (error instanceof TunnelError && error.code === 'bad_peer') return refuse(inner, 'bad_request', error.message);
    log.warn({ error: messageOf(error) }, 'a stream failed to open');
    refuse(inner, 'failed', 'the agent failed to open the stream');
  });
}

function requestFrom(inner: ServerHttp2Stream, headers: IncomingHttpHeaders): StreamRequest {
  const target = streamTarget.safeParse(headers[':authority']);
  if (!target.success) throw new TunnelError('bad_peer', 'the target is malformed');
  let signal: AbortSignal | undefined;
  return {
    target: target.data,
    metadata: fromHeader(streamMetadata, headers[METADATA_HEADER]),
    get signal() {
      signal ??= goneSignal(inner);
      return signal;
    },
    get isGone() {
      return inner.destroyed;
    },
  };
}

function goneSignal(inner: ServerHttp2Stream): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(new TunnelError('reset', 'the gateway gave the stream up'));
  if (inner.destroyed) abort();
  else inner.once('close', abort);
  return gone.signal;
}

function accept(inner: ServerHttp2Stream): Duplex {
  sayTaken(inner);
  return new TunnelStream(inner);
}

/** Whoever asked is told after a while in any case: it gives up what nobody took. */
function acceptWithAnswer(inner: ServerHttp2Stream, withinMs: number): Duplex {
  const say = () => {
    clearTimeout(late);
    sayTaken(inner);
  };
  const late = setTimeout(say, withinMs).unref();
  inner.once('close', () => clearTimeout(late));
  return new TunnelStream(inner, say);
}

function sayTaken(inner: ServerHttp2Stream): void {
  if (!inner.destroyed && !inner.headersSent) inner.respond({ ':status': 200 });
}

/** After the answer, or when the gateway has gone, there is nobody left to tell: then it cuts. */
function refuse(inner: ServerHttp2Stream, code: StreamRefusalCode, message: string): void {
  if (inner.destroyed || inner.closed) return;
  if (inner.headersSent) {
    cutStream(inner);
    return;
  }
  const reason = toHeader({ code, message: message.slice(0, 1000) });
  inner.respond({ ':status': STREAM_REFUSALS[code], [STREAM_REFUSAL_HEADER]: reason }, { endStream: true });
  inner.resume();
}

function pingOf(session: ServerHttp2Session): Promise<number> {
  return new Promise((resolve, reject) => {
    const gone = () => reject(new TunnelError('closed', 'the tunnel is closed'));
    if (session.destroyed) return gone();
    session.ping((error, durationMs) => (error ? gone() : resolve(durationMs)));
  });
}
