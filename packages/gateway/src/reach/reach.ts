/** What reach offers to whatever kind of resource: a kind says what it wants, and everything about getting there happens here. */
import type { Duplex } from 'node:stream';
import type { Resource } from '../inventory/resource-store.ts';
import type { SocketOptions } from './direct/dial-tcp.ts';
import type { TlsTerms } from './tls/start-tls.ts';

/** What a kind wants to be dialled. What was authorised is what is dialled. */
export interface Target {
  /** HOST:PORT. */
  addr: string;
  through: Through;
  /** Whether it may be the machine the gateway runs on; the gateway's own listeners never are. */
  mayBeThisMachine: boolean;
  /** Undefined: the bytes as they are. */
  tls?: TlsTerms | undefined;
}

/** Who dials: the gateway itself, one certain agent, or whichever of several is connected, beginning with another each time. */
export type Through = 'gateway' | { agent: string } | { anyOf: readonly string[] };

export interface DialOptions {
  /** For the log and the audit of the agent that is asked to dial. */
  who: { user: string; session: string };
  /** Ends the waiting, and later the stream itself. */
  signal?: AbortSignal | undefined;
  /** For a whole dial; of a route, for finding it and again for dialling. */
  timeoutMs?: number;
  /** How a directly dialled socket without TLS is read. */
  socket?: SocketOptions | undefined;
}

/** A way that was found; nothing is looked up again when it is gone. */
export interface Route {
  /** In words: `directly, web-1.example is 10.0.0.5`. */
  tell: string;
  /** Where the name leads; none where an agent looks it up. */
  addresses: readonly string[];
  dial(): Promise<Duplex>;
}

export interface Reach {
  /** Finds the way: the name is resolved, or the agent is connected and answers. Throws `target_unreachable` with `next`. */
  way(target: Target, options: DialOptions): Promise<Route>;
  /** Both steps at once, within one deadline. Throws `denied` where the agent's own configuration forbids it. */
  dial(target: Target, options: DialOptions): Promise<Duplex>;
  /** Where a name leads, nowhere if nobody knows it. Nothing is dialled. */
  addressesOf(addr: string): Promise<readonly string[]>;
  /** Whether the agent that announces a resource is connected and answers, in words; throws like `way`. */
  agentAnswers(resource: Pick<Resource, 'owner'>, options: DialOptions): Promise<string>;
  /** A stream to what the agent that announces a resource offers by itself: a shell, files. */
  toAgent(
    resource: Pick<Resource, 'owner'>,
    target: string,
    options: DialOptions & { metadata?: Record<string, string> },
  ): Promise<Duplex>;
}
