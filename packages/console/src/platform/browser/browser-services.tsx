/** What lies outside React: the gateway, this browser's storage, the address bar. Made once; tests make their own. */
import { createContext, type ReactNode, use } from 'react';
import type { Connection } from '../api/connection.ts';
import type { ApiSend, FetchBytes } from '../api/send.ts';
import type { SendBytes } from '../api/send-bytes.ts';

export interface BrowserServices {
  send: ApiSend;
  sendBytes: SendBytes;
  fetchBytes: FetchBytes;
  /** A websocket of the gateway, by its path. */
  openSocket: (path: string) => WebSocket;
  connection: Connection;
  storage: Storage;
  /** Somebody else has signed in in another tab of this browser. */
  isTakenOver: () => boolean;
  /** What /web/config.js set, unchecked. */
  pageConfig: unknown;
  now: () => number;
  /** A full page load: nothing of what was on the screen or in memory stays. */
  go: (path: string) => void;
  /** Away to another site: Back does not lead here again. */
  leave: (url: string) => void;
  /** Calls back when the gateway no longer knows this sign-in. */
  onNotSignedIn: (listener: () => void) => () => void;
}

const BrowserServicesContext = createContext<BrowserServices | undefined>(undefined);

export function BrowserServicesProvider({ browser, children }: { browser: BrowserServices; children: ReactNode }) {
  return <BrowserServicesContext value={browser}>{children}</BrowserServicesContext>;
}

export function useBrowser(): BrowserServices {
  const browser = use(BrowserServicesContext);
  if (!browser) throw new Error('useBrowser outside of BrowserServicesProvider');
  return browser;
}
