/** The agents that are connected to this gateway, as everything that reaches through one sees them. */
import type { Duplex } from 'node:stream';
import type { StreamMetadata } from '@gatehouse/contract/reach/tunnel/streams';

export interface OpenOptions {
  /** Ends the waiting, and later the stream itself. */
  signal?: AbortSignal;
  /** For whom; read by the agent. */
  metadata?: StreamMetadata;
}

export interface AgentConnections {
  isConnected(agentId: string): boolean;
  /** Calls back whenever an agent has connected here. Gives back how to stop. */
  onConnected(listener: (agentId: string) => void): () => void;
  /**
   * A stream to what the agent reaches. Throws an `AppError` in words for people: `target_unreachable` when the agent is
   * not connected, does not answer or cannot reach it, `denied` when its own configuration forbids it. What the agent
   * itself said is the error's cause, a `StreamRefused` with code and message.
   */
  open(agentId: string, target: string, options?: OpenOptions): Promise<Duplex>;
  /** Round trip in milliseconds; throws like `open`. */
  ping(agentId: string): Promise<number>;
  /** Ends its tunnel at once; with `retry` the agent comes back. */
  disconnect(agentId: string, reason: string, options?: { retry?: boolean }): Promise<void>;
  connectedAt(agentId: string): number | undefined;
  /** Says farewell to all of them, to come back to this or another gateway; what is open goes on until `close`. */
  beginClose(): void;
  close(): Promise<void>;
}
