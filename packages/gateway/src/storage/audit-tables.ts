/** The audit tables as Kysely sees them. */
import type { ColumnType } from 'kysely';

export interface AuditTables {
  event: EventTable;
  event_chain: EventChainTable;
}

/** One audit event. Rows are only ever added; each carries the hash of the one before it in its gateway's chain. */
interface EventTable {
  /** Grows with every event; where a reader goes on from. */
  id: ColumnType<number, never, never>;
  uid: string;
  time: number;
  event: string;
  code: string;
  severity: string;
  user: string;
  sign_in: string;
  session: string;
  resource_kind: string;
  resource_name: string;
  address: string;
  cluster: string;
  data: string;
  chain: string;
  chain_index: number;
  prev_hash: string;
  hash: string;
}

/** The end of each gateway's chain. */
interface EventChainTable {
  chain: string;
  length: number;
  hash: string;
}
