/** Opens a page of the console in a test as a browser would: address, stored token, words, router and all. */
import { cleanup, render } from '@testing-library/react';
import { ConsoleApp } from '../src/app/console-app.tsx';
import { loadPage } from '../src/app/load-page.tsx';
import { createConnection } from '../src/platform/api/connection.ts';
import { createSend } from '../src/platform/api/send.ts';
import type { BrowserServices } from '../src/platform/browser/browser-services.tsx';
import { type ShownLanguage, showLanguage } from '../src/platform/i18n/words.ts';
import { ownStorage } from '../src/platform/sign-in/own-storage.ts';
import { restedMs } from '../src/platform/sign-in/rested.ts';
import { readToken, storeToken } from '../src/platform/sign-in/token.ts';
import { type FakeGateway, fakeGateway } from './fake-gateway.ts';
import { FakeSocket } from './fake-socket.ts';

interface OpenOptions {
  gateway?: FakeGateway;
  signedIn?: boolean;
  language?: ShownLanguage;
  world?: Partial<BrowserServices>;
}

export async function openPage(path: string, options: OpenOptions = {}) {
  const { gateway = fakeGateway(), signedIn = true, language = 'en' } = options;
  cleanup();
  setAddress(path);
  if (signedIn) {
    storeToken(localStorage, {
      accessToken: 'token-1',
      expiresIn: 600,
      created: Date.now(),
      sessionExpires: '',
      sessionInactiveTimeout: 0,
    });
  }
  const went: string[] = [];
  const sockets: FakeSocket[] = [];
  const world = { ...testWorld(gateway, went, sockets), ...options.world };
  await showLanguage(language);
  const page = await loadPage(window.location.pathname, world);
  const view = render(<ConsoleApp browser={world}>{page}</ConsoleApp>);
  return { ...view, gateway, world, went, sockets };
}

/** Between tests: nothing on the page, nothing stored, English. */
export async function closePage(): Promise<void> {
  cleanup();
  localStorage.clear();
  await showLanguage('en');
}

export function setAddress(path: string): void {
  const { happyDOM } = window as unknown as { happyDOM: { setURL: (url: string) => void } };
  happyDOM.setURL(`http://localhost:3080${path}`);
}

function testWorld(gateway: FakeGateway, went: string[], sockets: FakeSocket[]): BrowserServices {
  const listeners = new Set<() => void>();
  const { storage, isTakenOver } = ownStorage(localStorage);
  const connection = createConnection({
    ping: async () => (await gateway.fetch('/v1/webapi/ping')).ok,
  });
  return {
    connection,
    openSocket(path) {
      const socket = new FakeSocket(path);
      sockets.push(socket);
      return socket as unknown as WebSocket;
    },
    sendBytes: async ({ method, url, body }) => {
      const reply = await gateway.fetch(url, { method, body: await body.text() });
      return { status: reply.status, text: await reply.text() };
    },
    fetchBytes: async (url, _, headers = {}) => {
      const reply = await gateway.fetch(url, { headers });
      const bytes = await reply.arrayBuffer();
      return { status: reply.status, text: reply.ok ? '' : new TextDecoder().decode(bytes), bytes };
    },
    storage,
    isTakenOver,
    pageConfig: { auth: {}, proxyCluster: 'one', gatehouse: { version: '0.1.0' } },
    now: Date.now,
    go: (path) => void went.push(path),
    leave: (url) => void went.push(url),
    onNotSignedIn(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    send: createSend({
      fetch: gateway.fetch,
      csrfToken: 'csrf-1',
      bearerToken: () => readToken(storage)?.accessToken,
      restedMs: () => restedMs(storage, Date.now()),
      connection,
      onNotSignedIn: () => {
        for (const listener of listeners) listener();
      },
    }),
  };
}
