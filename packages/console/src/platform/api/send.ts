/** How the console's calls travel: same origin, bearer token, CSRF header, JSON, no caching. Knows no route and no schema. */

import { IDLE_HEADER, RELAYED_ANSWER_HEADER } from '@gatehouse/contract/console/page-tags';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import type { Received, Sent } from '@gatehouse/contract/wire/client';
import type { Connection } from './connection.ts';
import { NoAnswerError } from './failures.ts';

export type ApiSend = (request: Sent, signal?: AbortSignal) => Promise<Received>;

interface SendDeps {
  fetch: typeof fetch;
  csrfToken: string;
  bearerToken: () => string | undefined;
  connection: Connection;
  /** How long the user has rested, where that is watched. */
  restedMs: () => number | undefined;
  /** The gateway no longer knows this sign-in. */
  onNotSignedIn: () => void;
}

/** What a proxy answers for a gateway that is away, and a gateway that is going. */
const AWAY = [502, 503];

/** A reply that is no text. Of one that failed, the words. */
export interface ReceivedBytes extends Received {
  bytes: ArrayBuffer;
}

export type FetchBytes = (
  url: string,
  signal?: AbortSignal,
  more?: Readonly<Record<string, string>>,
) => Promise<ReceivedBytes>;

export function createSend(deps: SendDeps): ApiSend {
  return async (request, signal) => {
    const response = await ask(deps, request, signal);
    const text = await response.text().catch((error: unknown) => {
      throw signal?.aborted ? error : lost(deps.connection, error);
    });
    look(deps, response, text);
    return { status: response.status, text };
  };
}

export function createFetchBytes(deps: SendDeps): FetchBytes {
  return async (url, signal, more) => {
    const response = await ask(deps, { method: 'GET', url }, signal, more);
    const bytes = await response.arrayBuffer().catch((error: unknown) => {
      throw signal?.aborted ? error : lost(deps.connection, error);
    });
    const text = response.ok ? '' : new TextDecoder().decode(bytes);
    look(deps, response, text);
    return { status: response.status, text, bytes };
  };
}

async function ask(
  deps: SendDeps,
  { method, url, body }: Sent,
  signal: AbortSignal | undefined,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { fetch, csrfToken, bearerToken, restedMs, connection } = deps;
  const token = bearerToken();
  const rested = restedMs();
  return await fetch(url, {
    method,
    ...(body === undefined ? {} : { body }),
    ...(signal ? { signal } : {}),
    headers: {
      ...more,
      accept: 'application/json',
      'content-type': 'application/json; charset=utf-8',
      'x-csrf-token': csrfToken,
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(token && rested !== undefined ? { [IDLE_HEADER]: String(rested) } : {}),
    },
    credentials: 'same-origin',
    mode: 'same-origin',
    cache: 'no-store',
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw lost(connection, error);
  });
}

/** What an answer says of the gateway and of this sign-in, whatever it is an answer to. */
function look({ connection, onNotSignedIn }: SendDeps, { status, headers }: Response, text: string): void {
  // Nobody is signed out here, or told that this gateway is away, by the word of another cluster.
  const isRelayed = headers.has(RELAYED_ANSWER_HEADER);
  if (!isRelayed && AWAY.includes(status)) connection.failed();
  else connection.answered();
  if (!isRelayed && status === 403 && errorCode(text) === 'not_signed_in') onNotSignedIn();
}

function lost(connection: Connection, cause: unknown): Error {
  connection.failed();
  return new NoAnswerError(errorMessage(cause), { cause });
}

function errorCode(text: string): unknown {
  try {
    return (JSON.parse(text) as { error?: { code?: unknown } } | null)?.error?.code;
  } catch {
    return undefined;
  }
}
