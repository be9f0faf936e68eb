/** Carries one request to a target that speaks HTTP/1.1 and its answer back, as fast as the slower side takes it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { onBehalfOf, type Peer } from '@gatehouse/tunnel/contain';
import { isAborted } from './abort-response.ts';
import type { ClientAnswer } from './client-answer.ts';
import type { Release } from './pooled-reads.ts';
import type { ResponseHead } from './response-head.ts';
import type { Answer, UpstreamConnection } from './upstream-connection.ts';
import type { UpstreamFault } from './upstream-fault.ts';
import type { UpstreamPool } from './upstream-pool.ts';

/** Of HTTP/1.1, or of HTTP/2 in the same clothes. */
export type ClientRequest = IncomingMessage;
export type ClientResponse = ServerResponse;

export type RequestBody = 'none' | 'length' | 'chunked';

export interface Proxied {
  method: string;
  /** As the target is to hear it, with the empty line that ends it. */
  head: string;
  body: RequestBody;
  /** Where the body comes from, if there is one. */
  source: Readable | undefined;
  answer: ClientAnswer;
  pool: UpstreamPool;
  /** What of the answer's headers goes back: names in lower case and values, in turn. */
  passHeaders(headers: readonly string[], status: number): readonly string[];
  /** Throws an `UpstreamFault` where an answer is nothing for whoever asked: they hear of that instead. */
  checkStatus?(status: number): void;
  /** For the log of what failed: `app host`. */
  door: string;
  /** It is over, well or badly; told once. `status` 0: no answer was begun. */
  onDone(status: number, bytes: number): void;
  /** Nothing was answered yet: whoever asked is told here. */
  onUnreachable(error: unknown): void;
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Gives back how to cut it short. */
export function proxyRequest(proxied: Proxied): () => void {
  const exchange = new Exchange(proxied);
  exchange.start();
  return exchange.cut;
}

/** What a request says of its body. */
export interface AnnouncedBody {
  chunked: boolean;
  /** Undefined without a body of known length. */
  contentLength: string | undefined;
}

/** How the body of a request travels on. */
export function bodyOf(request: ClientRequest, { chunked, contentLength }: AnnouncedBody): RequestBody {
  if (chunked) return 'chunked';
  if (contentLength !== undefined) return contentLength === '0' ? 'none' : 'length';
  return request.httpVersionMajor > 1 && !request.readableEnded && hasHttp2Body(request) ? 'chunked' : 'none';
}

/** HTTP/2 need not announce a body: it has one unless its headers ended it. */
function hasHttp2Body(request: ClientRequest): boolean {
  return 'stream' in request && !(request.stream as { endAfterHeaders?: boolean }).endAfterHeaders;
}

class Exchange implements Answer {
  readonly #proxied: Proxied;
  #connection: UpstreamConnection | undefined;
  #status = 0;
  #bytes = 0;
  #over = false;
  #head: ResponseHead | undefined;
  #first: Buffer | undefined;

  constructor(proxied: Proxied) {
    this.#proxied = proxied;
  }

  start(): void {
    this.#proxied.answer.onLeave = this.#left;
    this.#begin();
  }

  #begin(): void {
    const idle = this.#proxied.pool.idle();
    if (idle) this.#sendOrClose(idle);
    else void onBehalfOf(this.#peer, () => this.#open());
  }

  /** Whoever asked. */
  get #peer(): Peer {
    return { where: this.#proxied.door, cut: this.cut };
  }

  readonly cut = (): void => {
    if (this.#over) return;
    this.#finish();
    this.#connection?.destroy();
    this.#proxied.answer.destroy();
  };

  async #open(): Promise<void> {
    try {
      const connection = await this.#proxied.pool.open();
      if (this.#over) connection.destroy();
      else this.#sendOrClose(connection);
    } catch (error) {
      this.#unreachable(error);
    }
  }

  #sendOrClose(connection: UpstreamConnection): void {
    try {
      this.#send(connection);
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  #send(connection: UpstreamConnection): void {
    const { method, head, body, source } = this.#proxied;
    this.#connection = connection;
    connection.send(head, method, body, this);
    if (body === 'none' || !source) return;
    source.on('data', (data: Buffer) => {
      if (!connection.write(data)) source.pause();
    });
    source.on('end', () => {
      if (!isAborted(source)) connection.endRequest();
    });
  }

  onDrain(): void {
    this.#proxied.source?.resume();
  }

  onHead(head: ResponseHead): void {
    this.#proxied.checkStatus?.(head.status);
    this.#status = head.status;
    this.#head = head;
    // Events of a stream may be long in coming, and whoever waits for them wants to know that they will.
    if (head.body === 'chunked' || head.body === 'close') setImmediate(this.#headAlone);
  }

  readonly #headAlone = (): void => {
    if (this.#over || !this.#head) return;
    this.#writeHead(this.#head);
    this.#proxied.answer.onDrain = this.#drained;
    this.#proxied.answer.flush();
  };

  onData(data: Buffer, release?: Release): boolean {
    this.#bytes += data.length;
    const { answer } = this.#proxied;
    if (this.#head) {
      // Kept for a moment: most answers are over with their first piece, and go out in one write.
      if (this.#head.body === 'length' && data.length === this.#head.length) {
        this.#first = data;
        return true;
      }
      this.#writeHead(this.#head);
      answer.onDrain = this.#drained;
    }
    return release ? answer.write(data, release) : answer.write(data);
  }

  readonly #drained = (): void => {
    if (!this.#over) this.#connection?.resume();
  };

  onEnd(): void {
    if (this.#over) return;
    const { answer } = this.#proxied;
    if (this.#head) this.#writeHead(this.#head);
    if (this.#first) answer.end(this.#first);
    else answer.end();
    this.#finish();
  }

  onFault(fault: UpstreamFault): void {
    if (this.#over) return;
    const connection = this.#connection;
    const isStale = connection !== undefined && connection.carried > 0 && !connection.answered;
    const { method, body, answer } = this.#proxied;
    // It was closed while it waited: nothing was heard of it, and asking again does no harm.
    if (isStale && body === 'none' && SAFE.has(method)) {
      this.#begin();
      return;
    }
    if (this.#head || this.#status === 0) {
      this.#unreachable(fault);
      return;
    }
    // The client has seen a part: only a broken connection tells it that the rest is missing.
    this.#finish();
    answer.destroy();
  }

  #writeHead(head: ResponseHead): void {
    this.#head = undefined;
    const { answer } = this.#proxied;
    const body = head.body === 'close' ? 'chunked' : head.body;
    answer.writeHead(head.status, head.reason, this.#proxied.passHeaders(head.headers, head.status), body);
  }

  readonly #left = (): void => {
    if (this.#over) return;
    this.#finish();
    this.#connection?.destroy();
  };

  #unreachable(error: unknown): void {
    if (this.#over) return;
    this.#status = 0;
    this.#finish();
    this.#proxied.onUnreachable(error);
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#proxied.onDone(this.#status, this.#bytes);
  }
}
