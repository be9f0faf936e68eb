/** The audit tables as Kysely sees them. */
import type { ColumnType, Generated } from 'kysely';

export interface AuditTables {
  event: EventTable;
  event_chain: EventChainTable;
  event_checkpoint: EventCheckpointTable;
  event_sink: EventSinkTable;
  signing_key: SigningKeyTable;
  event_words: EventWordsTable;
  event_span: EventSpanTable;
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
  /** JSON with sorted keys, byte for byte what was hashed. */
  data: string;
  chain: string;
  chain_index: number;
  prev_hash: string;
  hash: string;
  /** PostgreSQL only: what `event_words` is in SQLite. */
  words: ColumnType<never, unknown, never>;
}

/** The end of each gateway's chain, and where it begins since older events expired. */
interface EventChainTable {
  chain: string;
  length: number;
  hash: string;
  start_index: Generated<number>;
  start_hash: Generated<string>;
}

/** Signed ends of all chains. */
interface EventCheckpointTable {
  number: number;
  time: number;
  body: string;
  signature: string;
}

/** Public keys that signed, sealed so that nobody else adds one. */
interface SigningKeyTable {
  /** SHA-256 of the key. */
  id: string;
  sealed: string;
  created: number;
}

/** How far each sink has been given each chain. */
interface EventSinkTable {
  sink: string;
  chain: string;
  delivered: number;
}

/** SQLite only: the full-text index. */
interface EventWordsTable {
  rowid: number;
  words: string;
}

/** SQLite only: the times that blocks of 4096 ids lie between. */
interface EventSpanTable {
  block: number;
  first_time: number;
  last_time: number;
}
