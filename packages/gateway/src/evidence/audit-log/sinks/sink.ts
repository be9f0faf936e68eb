/** What a sink is: a place outside the gateway that is given every event and checkpoint, in order. */
import type { EventRow } from '../../../platform/audit/chain.ts';

export interface SinkItem {
  /** One line of JSON: an event with its proof, or a checkpoint. */
  text: string;
  /** Undefined for a checkpoint. */
  row: EventRow | undefined;
}

export interface SinkBatch {
  /** The chain they are of; empty for checkpoints. */
  chain: string;
  /** Places of the first and last. A receiver that has seen them already may drop the batch. */
  first: number;
  last: number;
  items: readonly SinkItem[];
}

export interface Sink {
  name: string;
  type: string;
  /** Resolves when the receiver has them. Gives up after some seconds: the batch is tried again. */
  deliver(batch: SinkBatch): Promise<void>;
  close(): Promise<void>;
}

export const DELIVERY_MS = 10_000;
