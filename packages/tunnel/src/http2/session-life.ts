/** The life of one HTTP/2 session over one link: watches it, ends it once for one reason, and leaves nothing open. */
import type { ClientHttp2Session, ServerHttp2Session } from 'node:http2';
import type { Duplex } from 'node:stream';
import { FAREWELL_BYTES, type Farewell, farewell } from '@gatehouse/contract/reach/tunnel/streams';
import type { Link } from '../link.ts';
import { readMessage, writeMessage } from '../messages.ts';
import { messageOf, type TunnelEnd, TunnelError } from '../tunnel-error.ts';
import type { TunnelLimits } from '../tunnel-limits.ts';
import { keepAlive } from './keep-alive.ts';

/** How long a peer may take to read our last bytes. */
const FLUSH_MS = 1_000;

export class SessionLife {
  readonly closed: Promise<TunnelEnd>;
  readonly #session: ClientHttp2Session | ServerHttp2Session;
  readonly #link: Link;
  #stopWatching: (() => void) | undefined;
  #resolveClosed: (end: TunnelEnd) => void;
  #end: TunnelEnd | undefined;
  #control: Duplex | undefined;
  #error: unknown;
  #expected: TunnelEnd | undefined;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(
    session: ClientHttp2Session | ServerHttp2Session,
    link: Link,
    { limits, now }: { limits: TunnelLimits; now: () => number },
  ) {
    this.#session = session;
    this.#link = link;
    const { promise, resolve } = Promise.withResolvers<TunnelEnd>();
    this.closed = promise;
    this.#resolveClosed = resolve;
    session.on('error', (error) => {
      this.#error ??= error;
    });
    // Node would let a session that got GOAWAY linger with our control stream on it, unable to open another.
    // A farewell that came in the same packet is still on its way through the control stream, hence not at once.
    session.on('goaway', () => setImmediate(() => this.#lost()));
    session.on('close', () => this.#lost());
    link.stream.on('close', () => this.#lost());
    this.#stopWatching = keepAlive(session, {
      everyMs: limits.pingEveryMs,
      silentMs: limits.silentMs,
      bytesRead: link.bytesRead,
      now,
      onSilent: () => this.end({ code: 'silent', reason: 'the peer fell silent', retry: true }),
    });
    if (link.stream.destroyed) this.#lost();
  }

  get ended(): TunnelEnd | undefined {
    return this.#end;
  }

  /** Takes the control stream; `onFarewell` is told when the peer wants to leave. */
  takeControl(stream: Duplex, onFarewell: (said: Farewell) => void): void {
    this.#control = stream;
    stream.on('error', () => {});
    const listen = async () => {
      const { value } = await readMessage(stream, farewell, { maxBytes: FAREWELL_BYTES });
      onFarewell(value);
      // There is one farewell; whatever else comes is the end of the stream or noise.
      stream.resume();
    };
    listen().catch((error: unknown) => {
      const badPeer = error instanceof TunnelError && error.code === 'bad_peer';
      this.end({ code: 'lost', reason: badPeer ? error.message : 'the peer closed the tunnel', retry: true });
    });
  }

  /** What a later loss of the connection means, once either side has said farewell. */
  expect(end: TunnelEnd): void {
    this.#expected ??= end;
  }

  /** Tells the peer; a peer that does not listen is not waited for. */
  async sayFarewell(said: Farewell): Promise<void> {
    const control = this.#control;
    if (!control || control.writableEnded || this.#end) return;
    const flushed = new Promise<void>((resolve) => {
      control.once('finish', resolve).once('close', resolve);
    });
    // Written means taken by the stream; only its end tells that the words have left.
    writeMessage(control, said).catch(() => {});
    control.end();
    await Promise.race([flushed, wait(FLUSH_MS)]);
  }

  /** Ends the session when the time to drain is over, whatever is still open. */
  endAfter(ms: number, end: TunnelEnd): void {
    if (this.#end) return;
    clearTimeout(this.#drainTimer);
    this.#drainTimer = setTimeout(() => this.end(end), ms);
  }

  /** The first reason stands. Open streams are cut. */
  end(end: TunnelEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#stopWatching?.();
    clearTimeout(this.#drainTimer);
    this.#resolveClosed(end);
    this.#session.destroy();
    // Node waits for the socket to take its last bytes before it closes it; a dead peer never takes them.
    const { stream } = this.#link;
    if (stream.destroyed) return;
    const force = setTimeout(() => stream.destroy(), FLUSH_MS).unref();
    stream.once('close', () => clearTimeout(force));
  }

  #lost(): void {
    const reason = this.#error === undefined ? 'the connection was lost' : messageOf(this.#error);
    this.end(this.#expected ?? { code: 'lost', reason, retry: true });
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
