/** What travels between the gateway's thread and a SQLite thread: batches of requests one way, batches of replies back. */

export type SqliteValue = null | number | bigint | string | Uint8Array;

export type SqliteRequest =
  /** A select outside any transaction. */
  | { id: number; type: 'read'; sql: string; params: readonly SqliteValue[] }
  /** An insert, update or delete of its own; neighbours may share one commit. */
  | { id: number; type: 'write'; sql: string; params: readonly SqliteValue[] }
  /** Any other statement of its own (schema changes, vacuum): never shares a commit. */
  | { id: number; type: 'alone'; sql: string; params: readonly SqliteValue[] }
  /** A statement of the open transaction; the first one opens it. */
  | { id: number; type: 'inside'; first: boolean; sql: string; params: readonly SqliteValue[] }
  | { id: number; type: 'commit' }
  | { id: number; type: 'rollback' };

/** Rows travel as one flat list of values, which is several times cheaper to copy than a list of objects. */
export interface SqliteAnswer {
  columns: readonly string[];
  values: readonly SqliteValue[];
  changes?: number | bigint;
  lastId?: number | bigint;
}

export type SqliteReply =
  | { id: number; answer: SqliteAnswer }
  | { id: number; error: { message: string; errcode: number | undefined } };

export interface SqliteConnectionOptions {
  file: string;
  readOnly: boolean;
  /** A whole database that one in memory begins as a copy of. */
  image?: Uint8Array;
}
