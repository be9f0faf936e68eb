/** A server of another cluster, as channels at the door use it. */
import type { Client } from 'ssh2';
import type { Leaf } from '../../platform/http/cluster.ts';
import type { Backward } from '../../sessions/backward.ts';
import type { Forwards } from '../../sessions/commands/running-command.ts';

export interface FoundServer {
  leaf: Leaf;
  /** How the cluster is called. */
  cluster: string;
  /** As it is called there. */
  server: string;
  login: string;
}

/** What leads on from there; see kinds/node/engine. */
export interface LeafConnection {
  client: Client;
  closed: Promise<void>;
  close(): void;
}

export interface LeafTarget {
  readonly found: FoundServer;
  readonly closed: Promise<void>;
  /** Throws in words why there is none. */
  connection(): LeafConnection;
  /** Without a goodbye. */
  lose(): void;
}

/** What a connection of SSH to another cluster is used for beside what is run. */
export interface Onwards {
  /** `name` of the server, for messages. */
  forwards(connection: LeafConnection, name: string): Forwards;
  /** Before something is run. Of one connection the first counts: a program has one agent and one display. */
  backward(connection: LeafConnection, ways: Pick<Backward, 'agent' | 'x11'>): void;
}
