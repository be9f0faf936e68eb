/** The end of a relay where somebody is signed in: hands a call over whole, and the answer back. */
import type { Duplex } from 'node:stream';
import type { ForwardedCall } from '../../platform/http/cluster.ts';
import { NodeAnswer } from '../http/client-answer.ts';
import { bodyOf, proxyRequest } from '../http/proxy-request.ts';
import { ANSWER_MS, streamPerCall } from './relay-connection.ts';
import { answeredHeaders, relayedHeaders } from './relayed-headers.ts';

export interface SentCall extends Pick<ForwardedCall, 'request' | 'reply' | 'url'> {
  open(): Promise<Duplex>;
  /** Another time until an answer must have begun, for tests. */
  answerMs?: number | undefined;
}

/** Rejects with what went wrong while nothing is answered; resolves once the answer is under way, or nobody waits for it. */
export function sendCall({ request, reply, url, open, answerMs = ANSWER_MS }: SentCall): Promise<void> {
  const { raw } = request;
  const { 'content-length': contentLength, 'transfer-encoding': coding } = raw.headers;
  const body = bodyOf(raw, { chunked: coding !== undefined, contentLength });
  const method = raw.method ?? 'GET';
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let taken = false;
  /** From here on nothing else answers. */
  const take = () => {
    if (taken) return;
    taken = true;
    reply.hijack();
    resolve();
  };
  const answer = new TakenAnswer(reply.raw, take);
  proxyRequest({
    method,
    head: headOf(method, url, { ...relayedHeaders(raw.headers, request.id), ...framing(body, contentLength) }),
    body,
    source: body === 'none' ? undefined : raw,
    answer,
    pool: streamPerCall(open, answerMs),
    passHeaders: (headers) => answeredHeaders(headers, reply.getHeaders()),
    door: 'relayed call',
    onDone(status) {
      // The caller has left; whatever was wrong with the other cluster is told by `onUnreachable`.
      if (status === 0 && reply.raw.destroyed) take();
    },
    onUnreachable: reject,
  });
  return promise;
}

class TakenAnswer extends NodeAnswer {
  readonly #take: () => void;

  constructor(response: ConstructorParameters<typeof NodeAnswer>[0], take: () => void) {
    super(response);
    this.#take = take;
  }

  override writeHead(status: number, reason: string, headers: readonly string[]): void {
    this.#take();
    super.writeHead(status, reason, headers);
  }
}

function framing(body: ReturnType<typeof bodyOf>, contentLength: string | undefined): Record<string, string> {
  if (body === 'chunked') return { 'transfer-encoding': 'chunked' };
  return contentLength === undefined ? {} : { 'content-length': contentLength };
}

/** The other end answers as itself, whatever it was called: it needs no name. */
function headOf(method: string, url: string, headers: Readonly<Record<string, string>>): string {
  let head = `${method} ${url} HTTP/1.1\r\nconnection: close\r\n`;
  for (const [name, value] of Object.entries(headers)) head += `${name}: ${value}\r\n`;
  return `${head}\r\n`;
}
