/** What a server may open towards the program that something runs for there: connections to its keys, and to its windows. */
import type { Duplex } from 'node:stream';

/** How windows are to be shown: what the program told of its display. The cookie is one that it made up for this. */
export interface X11Wish {
  readonly single: boolean;
  readonly protocol: string;
  readonly cookie: string;
  readonly screen: number;
}

export type BackwardWay = 'agent' | 'x11';

export interface BackwardPlace {
  session: string;
  server: { id: string; name: string };
}

export interface Backward {
  /** Each opens one way to the program, or throws. Absent: not asked for, or not allowed. */
  readonly agent?: () => Promise<Duplex>;
  readonly x11?: X11Wish & { open(from: { host: string; port: number }): Promise<Duplex> };
  /** What became of it at the server; `failure` in words. */
  begun(way: BackwardWay, at: BackwardPlace, failure?: string): void;
}
