/** Fetches from what is no resource, such as sign-in providers: through the guard every dial passes, briefly, boundedly, and never where it is redirected to. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { isLoopbackName } from '@gatehouse/contract/identity/connectors/connector-document';
import { whenAborted } from '@gatehouse/contract/std/when-aborted';
import { pinnedIn } from '@gatehouse/tunnel/dial/open-socket';
import { AppError } from '../../platform/std/app-error.ts';
import { type Connection, connectionOver, createKeptConnections } from './kept-connections.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 1024 * 1024;
/** Of a header or a status that must not stand in a reply. */
const NO_BODY = new Set([204, 205, 304]);

/** The part of `fetch` that OpenID libraries use. Throws `AppError`, whose words are for administrators. */
export type BoundedFetch = (url: string | URL, init?: BoundedRequest) => Promise<Response>;

export interface BoundedRequest {
  method?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  body?: string | URLSearchParams | Uint8Array | null | undefined;
  signal?: AbortSignal | undefined;
  /** Whoever asks the same place again with the same one soon goes on over the same connection; without it, each is closed after its answer. */
  keeper?: object | undefined;
  /** Of a certificate: the other side must show it, and it alone vouches for them. */
  pin?: string | undefined;
}

/** Opens a stream to HOST:PORT, with TLS for `tls`; refuses what is never dialled. */
export type FetchDial = (
  target: { addr: string; tls: { name: string; ca?: string; isUnchecked?: true } | undefined },
  signal: AbortSignal,
) => Promise<Duplex>;

export function createBoundedFetch(dial: FetchDial): BoundedFetch {
  const kept = createKeptConnections();

  return async (given, init = {}) => {
    const url = new URL(given);
    requireAllowed(url);
    const { keeper } = init;
    const held = keeper && kept.take(keeper, url.origin);
    return await withinTime(init.signal, async (signal) => {
      const connection = held ?? connectionOver(await dialFor(url, init.pin, signal));
      let isOpen = false;
      try {
        const { response, mayGoOn } = await exchange(connection, url, { ...init, signal });
        isOpen = mayGoOn;
        return response;
      } finally {
        if (keeper && isOpen) kept.keep(keeper, url.origin, connection);
        else connection.stream.destroy();
      }
    });
  };

  async function dialFor({ protocol, hostname, port }: URL, pin: string | undefined, signal: AbortSignal) {
    const isTls = protocol === 'https:';
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const addr = `${hostname}:${port || (isTls ? '443' : '80')}`;
    if (!isTls) return await dial({ addr, tls: undefined }, signal);
    const ca = pin === undefined ? undefined : await findPinned({ addr, host, pin }, signal);
    return await dial({ addr, tls: { name: host, ...(ca === undefined ? {} : { ca }) } }, signal);
  }

  /** Nothing is said to whoever it is: the connection after it trusts that certificate alone, and is checked as always. */
  async function findPinned({ addr, host, pin }: Record<'addr' | 'host' | 'pin', string>, signal: AbortSignal) {
    const stream = await dial({ addr, tls: { name: host, isUnchecked: true } }, signal);
    try {
      const found = stream instanceof TLSSocket ? pinnedIn(stream, pin) : undefined;
      if (found !== undefined) return found;
      throw new AppError(
        'target_unreachable',
        `${addr} does not show the pinned certificate: somebody is in between, or it was renewed`,
      );
    } finally {
      stream.destroy();
    }
  }
}

/** A timer that is cleared: a signal of its own would go off seconds after every answer. */
async function withinTime<T>(asked: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(new DOMException('it took too long', 'TimeoutError')), TIMEOUT_MS);
  const forget = whenAborted(asked, () => ending.abort(asked?.reason));
  try {
    return await work(ending.signal);
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/** Asked again for every fetch: what a provider's own settings lead to is nobody's entry of a form. */
function requireAllowed({ protocol, hostname, href, username, password }: URL): void {
  const isPlain = protocol === 'http:' && isLoopbackName(hostname);
  if ((protocol !== 'https:' && !isPlain) || username !== '' || password !== '')
    throw new AppError('bad_request', `'${href.slice(0, 200)}' is not an https:// address`);
}

interface Answered {
  response: Response;
  /** Read to its end, and the other side has not said that it closes. */
  mayGoOn: boolean;
}

async function exchange(
  connection: Connection,
  url: URL,
  { method = 'GET', headers: given = {}, body, signal, keeper }: BoundedRequest,
): Promise<Answered> {
  const sent = body === undefined || body === null ? undefined : Buffer.from(asBytes(body));
  const options: RequestOptions = {
    // TLS is on the stream already; `https` would put another one around it.
    protocol: 'http:',
    hostname: url.hostname,
    path: `${url.pathname}${url.search}`,
    method,
    headers: {
      host: url.host,
      'user-agent': 'Gatehouse',
      'accept-encoding': 'identity',
      ...(sent ? { 'content-length': String(sent.length) } : {}),
      ...(body instanceof URLSearchParams ? { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' } : {}),
      ...given,
      connection: keeper ? 'keep-alive' : 'close',
    },
    agent: connection.agent,
    maxHeaderSize: 64 * 1024,
    ...(signal ? { signal } : {}),
  };
  const ask = httpRequest(options);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    let isAnswered = false;
    ask.once('response', (answer) => {
      isAnswered = true;
      resolve(answer);
    });
    ask.once('error', (cause) => reject(unusable(url, cause)));
    // An answer that changes to another protocol is no response, and ends without any error.
    ask.once('close', () => isAnswered || reject(unusable(url, undefined)));
    ask.end(sent);
  });
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 599) throw unusable(url, undefined);
  if (status >= 300 && status < 400 && status !== 304) {
    response.resume();
    throw new AppError(
      'target_unreachable',
      `${url.origin} redirects instead of answering: redirects are not followed`,
    );
  }
  const bytes = await readAll(response, url);
  const headers = Object.entries(response.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  );
  return {
    response: new Response(NO_BODY.has(status) ? null : new Uint8Array(bytes), { status, headers }),
    mayGoOn: response.complete && ask.shouldKeepAlive,
  };
}

async function readAll(response: IncomingMessage, url: URL): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new AppError('target_unreachable', `${url.origin} answers with more than 1 MiB`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof AppError ? error : unusable(url, error);
  }
  return Buffer.concat(chunks);
}

function asBytes(body: string | URLSearchParams | Uint8Array): string | Uint8Array {
  return body instanceof URLSearchParams ? body.toString() : body;
}

function unusable(url: URL, cause: unknown): AppError {
  const isLate = cause instanceof Error && (cause.name === 'TimeoutError' || cause.name === 'AbortError');
  const why = isLate ? 'does not answer within 5 s' : 'cut the connection, or does not speak HTTP';
  return new AppError('target_unreachable', `${url.origin} ${why}`, { cause });
}
