/** Carries forwarded ports between a client and a cluster: each connection is a pair of streams, its data and its error. */
import type { Duplex } from 'node:stream';
import { collectAfter } from '@gatehouse/tunnel/shells/collect-garbage';
import { SpdyConnection } from '../spdy/spdy-connection.ts';
import type { SpdyStream } from '../spdy/spdy-stream.ts';
import type { Upgraded } from './spdy-channels.ts';

const MAX_ERROR_BYTES = 1024;
const MAX_TRIED = 1024;
const REQUEST_ID = /^[\x21-\x7e]{1,64}$/;
const PORT = /^[1-9]\d{0,4}$/;

export interface ForwardWatch {
  /** One connection has come to its port, or has not: then in the cluster's words. Once for each. */
  onConnection(port: number, failure: string | undefined): void;
  onBytes(): void;
}

export interface Forwarding {
  /** Resolves when either side is gone. */
  closed: Promise<string | undefined>;
  close(): void;
}

export function forwardPorts(client: Upgraded, cluster: Upgraded, watch: ForwardWatch): Forwarding {
  const tried = new Map<string, Attempt>();
  const there = new SpdyConnection({ wire: cluster.stream, rest: cluster.rest, side: 'client' });
  const here = new SpdyConnection({
    wire: client.stream,
    rest: client.rest,
    side: 'server',
    onStream: (stream) => carry(stream),
  });

  function carry(stream: SpdyStream): void {
    const [type, port, id] = ['streamtype', 'port', 'requestid'].map((name) => stream.headers[name]?.[0]);
    const isGood = (type === 'data' || type === 'error') && PORT.test(port ?? '') && Number(port) <= 65_535;
    if (!isGood || (id !== undefined && !REQUEST_ID.test(id))) {
      stream.destroy();
      return;
    }
    const headers = { streamtype: type, port: String(port), ...(id === undefined ? {} : { requestid: id }) };
    let other: SpdyStream;
    try {
      other = there.open(headers);
    } catch {
      stream.destroy();
      return;
    }
    const attempt = attemptOf(`${port} ${id ?? ''}`, Number(port));
    if (type === 'data') attempt.data(other);
    else attempt.error(other);
    other.opened.catch(() => attempt.settle('the cluster refused the connection'));
    join(stream, other);
  }

  function attemptOf(key: string, port: number): Attempt {
    const known = tried.get(key);
    if (known) return known;
    // Of a client that opens halves of connections.
    if (tried.size >= MAX_TRIED) tried.delete(tried.keys().next().value ?? '');
    const attempt = new Attempt((failure) => {
      tried.delete(key);
      watch.onConnection(port, failure);
    });
    tried.set(key, attempt);
    return attempt;
  }

  function join(stream: SpdyStream, other: SpdyStream): void {
    const each = (from: SpdyStream, to: SpdyStream) => {
      from.on('data', (bytes: Buffer) => {
        watch.onBytes();
        collectAfter(bytes.length);
      });
      from.pipe(to);
      // Cut, and not ended: the other side must not take what it has for all of it.
      from.once('reset', () => to.destroy());
      from.once('close', () => void (from.readableEnded || to.destroy()));
    };
    each(stream, other);
    each(other, stream);
  }

  void here.closed.then(() => there.close());
  void there.closed.then(() => here.close());
  return {
    closed: Promise.race([here.closed, there.closed]).then((error) => error?.message),
    close() {
      here.close();
      there.close();
    },
  };
}

/**
 * Whether one connection has come through; told once. Kubelets take both streams before they dial: it has when the port answers, and
 * when it is over without a word about an error.
 */
class Attempt {
  readonly #tell: (failure: string | undefined) => void;
  readonly #open = new Set<'data' | 'error'>();
  #hasData = false;
  #isTold = false;

  constructor(tell: (failure: string | undefined) => void) {
    this.#tell = tell;
  }

  data(stream: Duplex): void {
    this.#open.add('data');
    this.#hasData = true;
    stream.once('data', () => this.settle(undefined));
    stream.once('close', () => this.#over('data'));
  }

  error(stream: Duplex): void {
    this.#open.add('error');
    let said = Buffer.alloc(0);
    stream.on('data', (bytes: Buffer) => {
      said = Buffer.concat([said, bytes.subarray(0, MAX_ERROR_BYTES - said.length)]);
    });
    stream.once('close', () => {
      if (said.length > 0) this.settle(said.toString().replaceAll(/\s+/g, ' ').trim());
      this.#over('error');
    });
  }

  #over(which: 'data' | 'error'): void {
    this.#open.delete(which);
    // The one without the other is no connection yet.
    if (this.#hasData && this.#open.size === 0) this.settle(undefined);
  }

  settle(failure: string | undefined): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#tell(failure);
  }
}
