/** How the console's calls travel: same origin, bearer token, CSRF header, JSON, no caching. Knows no route and no schema. */

import { IDLE_HEADER } from '@gatehouse/contract/console/page-tags';
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

export function createSend({ fetch, csrfToken, bearerToken, restedMs, connection, onNotSignedIn }: SendDeps): ApiSend {
  return async ({ method, url, body }, signal) => {
    const token = bearerToken();
    const rested = restedMs();
    const response = await fetch(url, {
      method,
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
      headers: {
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
    const text = await response.text().catch((error: unknown) => {
      throw signal?.aborted ? error : lost(connection, error);
    });
    if (AWAY.includes(response.status)) connection.failed();
    else connection.answered();
    if (response.status === 403 && errorCode(text) === 'not_signed_in') onNotSignedIn();
    return { status: response.status, text };
  };
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
