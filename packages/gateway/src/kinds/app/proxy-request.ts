/** Carries one request to an application and its answer back, as fast as the slower side takes it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { breakOff, isBrokenOff } from './break-off.ts';
import type { Release } from './large-reads.ts';
import type { RequestFacts } from './read-request.ts';
import { type RequestRules, writeRequestHead } from './request-head.ts';
import type { ResponseHead } from './response-head.ts';
import { passHeaders, type ResponseRules } from './response-rules.ts';
import type { Answer, UpstreamConnection } from './upstream-connection.ts';
import type { UpstreamFault } from './upstream-fault.ts';
import type { UpstreamPool } from './upstream-pool.ts';

/** Of HTTP/1.1, or of HTTP/2 in the same clothes. */
export type ClientRequest = IncomingMessage;
export type ClientResponse = ServerResponse;

export interface Proxied {
  request: ClientRequest;
  response: ClientResponse;
  facts: RequestFacts;
  /** What is left of the client's cookies. */
  cookie: string;
  pool: UpstreamPool;
  rules: RequestRules & ResponseRules;
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

class Exchange implements Answer {
  readonly #proxied: Proxied;
  readonly #body: 'none' | 'length' | 'chunked';
  #connection: UpstreamConnection | undefined;
  #status = 0;
  #bytes = 0;
  #over = false;
  #ended = false;
  #head: ResponseHead | undefined;
  #first: Buffer | undefined;

  constructor(proxied: Proxied) {
    this.#proxied = proxied;
    const { facts, request } = proxied;
    this.#body = facts.chunked
      ? 'chunked'
      : facts.contentLength !== undefined
        ? facts.contentLength === '0'
          ? 'none'
          : 'length'
        : request.httpVersionMajor > 1 && !request.readableEnded && hasHttp2Body(request)
          ? 'chunked'
          : 'none';
  }

  start(): void {
    this.#proxied.response.on('close', this.#left);
    const idle = this.#proxied.pool.idle();
    if (idle) this.#send(idle);
    else void this.#open();
  }

  readonly cut = (): void => {
    if (this.#over) return;
    this.#finish();
    this.#connection?.destroy();
    breakOff(this.#proxied.response);
  };

  async #open(): Promise<void> {
    try {
      const connection = await this.#proxied.pool.open();
      if (this.#over) connection.destroy();
      else this.#send(connection);
    } catch (error) {
      this.#unreachable(error);
    }
  }

  #send(connection: UpstreamConnection): void {
    const { request, facts, cookie, rules } = this.#proxied;
    this.#connection = connection;
    const method = request.method ?? 'GET';
    const line = { method, url: request.url ?? '/', raw: request.rawHeaders, facts, cookie, body: this.#body };
    connection.send(writeRequestHead(line, rules), method, this.#body, this);
    if (this.#body === 'none') return;
    request.on('data', (data: Buffer) => {
      if (!connection.write(data)) request.pause();
    });
    request.on('end', () => {
      if (!isBrokenOff(request)) connection.endRequest();
    });
  }

  onDrain(): void {
    this.#proxied.request.resume();
  }

  onHead(head: ResponseHead): void {
    this.#status = head.status;
    this.#head = head;
  }

  onData(data: Buffer, release?: Release): boolean {
    this.#bytes += data.length;
    if (this.#head) {
      // Kept for a moment: most answers are over with their first piece, and go out in one write.
      if (this.#head.body === 'length' && data.length === this.#head.length) {
        this.#first = data;
        return true;
      }
      this.#writeHead();
    }
    const { response } = this.#proxied;
    if (release ? response.write(data, release) : response.write(data)) return true;
    response.once('drain', this.#drained);
    return false;
  }

  readonly #drained = () => this.#connection?.resume();

  onEnd(): void {
    if (this.#over) return;
    const { response } = this.#proxied;
    if (this.#head) this.#writeHead();
    this.#ended = true;
    if (this.#first) response.end(this.#first);
    else response.end();
    this.#finish();
  }

  onFault(fault: UpstreamFault): void {
    if (this.#over) return;
    const connection = this.#connection;
    const isStale = connection !== undefined && connection.carried > 0 && !connection.answered;
    const { request, pool } = this.#proxied;
    // It was closed while it waited: nothing was heard of it, and asking again does no harm.
    if (isStale && this.#body === 'none' && SAFE.has(request.method ?? '')) {
      const idle = pool.idle();
      if (idle) this.#send(idle);
      else void this.#open();
      return;
    }
    if (this.#head || this.#status === 0) {
      this.#unreachable(fault);
      return;
    }
    // The client has seen a part: only a broken connection tells it that the rest is missing.
    this.#finish();
    breakOff(this.#proxied.response);
  }

  #writeHead(): void {
    const head = this.#head!;
    this.#head = undefined;
    const { response, rules } = this.#proxied;
    const headers = passHeaders(head.headers, rules);
    if ('createPushResponse' in response) response.writeHead(head.status, grouped(headers));
    else if (head.reason === '') response.writeHead(head.status, headers);
    else response.writeHead(head.status, head.reason, headers);
  }

  readonly #left = (): void => {
    if (this.#over || this.#ended) return;
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
    this.#proxied.response.off('close', this.#left);
    this.#proxied.onDone(this.#status, this.#bytes);
  }
}

/** HTTP/2 need not announce a body: it has one unless its headers ended it. */
function hasHttp2Body(request: ClientRequest): boolean {
  return 'stream' in request && !(request.stream as { endAfterHeaders?: boolean }).endAfterHeaders;
}

/** HTTP/2 sets headers by name: several of one name travel as a list. */
function grouped(headers: readonly string[]): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    const value = headers[at + 1]!;
    const before = Object.hasOwn(found, name) ? found[name] : undefined;
    if (before === undefined) found[name] = value;
    else if (Array.isArray(before)) before.push(value);
    else found[name] = name === 'set-cookie' ? [before, value] : `${before}, ${value}`;
  }
  return found;
}
