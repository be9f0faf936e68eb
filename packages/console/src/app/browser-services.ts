/** The real services of a browser tab. */
import { CSRF_META, PAGE_CONFIG_VARIABLE } from '@gatehouse/contract/console/page-tags';
import { createConnection } from '../platform/api/connection.ts';
import { createFetchBytes, createSend } from '../platform/api/send.ts';
import { createSendBytes } from '../platform/api/send-bytes.ts';
import type { BrowserServices } from '../platform/browser/browser-services.tsx';
import { ownStorage } from '../platform/sign-in/own-storage.ts';
import { restedMs } from '../platform/sign-in/rested.ts';
import { readToken } from '../platform/sign-in/token.ts';

export function browserServices(): BrowserServices {
  const fetch = window.fetch.bind(window);
  const listeners = new Set<() => void>();
  const connection = createConnection({
    ping: async () => (await fetch('/v1/webapi/ping', { cache: 'no-store' })).ok,
  });
  window.addEventListener('online', connection.retry);
  const csrfToken = document.querySelector<HTMLMetaElement>(`meta[name="${CSRF_META}"]`)?.content ?? '';
  const { storage, isTakenOver } = ownStorage(window.localStorage);
  const bearerToken = () => readToken(storage)?.accessToken;
  const calls = {
    fetch,
    csrfToken,
    bearerToken,
    restedMs: () => restedMs(storage, Date.now()),
    connection,
    onNotSignedIn: () => {
      for (const listener of listeners) listener();
    },
  };

  return {
    connection,
    openSocket: (path) => new WebSocket(window.location.origin.replace(/^http/, 'ws') + path),
    storage,
    isTakenOver,
    pageConfig: (window as unknown as Record<string, unknown>)[PAGE_CONFIG_VARIABLE],
    now: Date.now,
    go: (path) => window.location.assign(path),
    leave: (url) => window.location.replace(url),
    onNotSignedIn(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    sendBytes: createSendBytes({ csrfToken, bearerToken, connection }),
    send: createSend(calls),
    fetchBytes: createFetchBytes(calls),
  };
}
