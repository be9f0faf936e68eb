/** One workbench in the thread: hears what its page asks, and answers over connections that are opened for it. */
import type { Link } from './link.ts';
import type { BenchRequest, BenchTerms, RanStatement } from './thread-messages.ts';

export interface BenchWire {
  terms: BenchTerms;
  /** A new connection to the database, through the same door as all others. `approval`: for what it allows. */
  connect(approval?: string): Link;
  send(text: string): void;
  ready(version: string): void;
  failed(message: string): void;
  ran(statement: RanStatement): void;
}

export interface Bench {
  hear(request: BenchRequest): void;
  close(): void;
}
