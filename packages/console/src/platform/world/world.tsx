/** What lies outside React: the gateway, this browser's storage, the address bar. Made once; tests make their own. */
import { createContext, type ReactNode, use } from 'react';
import type { Connection } from '../api/connection.ts';
import type { ApiSend } from '../api/send.ts';
import type { SendBytes } from '../api/send-bytes.ts';

export interface World {
  send: ApiSend;
  sendBytes: SendBytes;
  /** A websocket of the gateway, by its path. */
  openSocket: (path: string) => WebSocket;
  connection: Connection;
  storage: Storage;
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

const WorldContext = createContext<World | undefined>(undefined);

export function WorldProvider({ world, children }: { world: World; children: ReactNode }) {
  return <WorldContext value={world}>{children}</WorldContext>;
}

export function useWorld(): World {
  const world = use(WorldContext);
  if (!world) throw new Error('useWorld outside of WorldProvider');
  return world;
}
