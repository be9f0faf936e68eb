/** What a workbench asks of a connection to a database, whichever SQL it speaks. */
import type { CutCell } from './row-cells.ts';

export interface Column {
  name: string;
  /** As people write it; empty where only the server can tell. */
  type: string;
  /** Of the server, for asking it. */
  typeId?: number;
  /** What it is of, where it is a column of a table as it stands there. */
  source?: { table: string; column: string };
}

export interface ResultSink {
  columns(columns: readonly Column[]): void;
  row(cells: (string | null)[], cut: readonly CutCell[]): void;
  /** Before more is read: undefined where there is room. */
  room(): Promise<void> | undefined;
  notice(severity: string, message: string): void;
}

/** For what nobody wants to see. */
export const NOBODY: ResultSink = { columns() {}, row() {}, room: () => undefined, notice() {} };

export interface ResultEnd {
  tag: string;
  /** Returned or touched, since the last end. */
  rows: number;
  /** It waits with the rest. */
  more: boolean;
}

export interface QueryOptions {
  /** It stops there, and waits with the rest; all of it without. */
  maxRows?: number;
  values?: readonly (string | null)[];
  /** Of one row, for who wants no value cut. */
  keepBytes?: number | undefined;
}

export type TransactionState = 'none' | 'open' | 'failed';

export interface SqlClient {
  readonly version: string;
  readonly transaction: TransactionState;
  readonly isSuspended: boolean;
  /** The one that it is in, where names of tables are not told with theirs. */
  readonly database?: string;
  readonly spent: { workedMs: number; waitedMs: number };
  /** Once, when nothing comes of it any more. */
  onGone(listener: (why: Error) => void): void;
  /** One statement, as it stands. */
  query(sql: string, sink: ResultSink, options?: QueryOptions): Promise<ResultEnd>;
  more(sink: ResultSink, maxRows: number): Promise<ResultEnd>;
  /** Statements of our own, whose rows nobody wants. */
  tell(sql: string): Promise<void>;
  /** Lets go of the rest of a result. */
  letGo(): Promise<void>;
  /** Cancels at the server what runs; from a connection of its own. */
  cancel(): Promise<void>;
  close(): void;
}

export function requireNoTransaction({ transaction }: SqlClient): void {
  if (transaction !== 'none')
    throw new SqlError('conflict', 'a transaction is open in this tab: commit it or roll it back first');
}

/** In the server's words. */
export class SqlError extends Error {
  readonly code: string;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  /** In characters of the statement, from 0. */
  readonly position: number | undefined;
  constructor(code: string, message: string, more: { detail?: string; hint?: string; position?: number } = {}) {
    super(message);
    this.name = 'SqlError';
    this.code = code;
    this.detail = more.detail;
    this.hint = more.hint;
    this.position = more.position;
  }
}

/** Of an answer to a question of our own. */
const MAX_ASKED_CHARACTERS = 32 * 1024 * 1024;
const CELL_OVERHEAD = 16;

/** Keeps all: for questions of our own, whose answers are few. Servers that answer without end are told to stop. */
export async function ask(
  client: SqlClient,
  sql: string,
  values: readonly (string | null)[] = [],
): Promise<(string | null)[][]> {
  const rows: (string | null)[][] = [];
  let left = MAX_ASKED_CHARACTERS;
  const row = (cells: (string | null)[]) => {
    if (left < 0) return;
    for (const cell of cells) left -= (cell?.length ?? 0) + CELL_OVERHEAD;
    if (left >= 0) rows.push(cells);
    else void client.cancel().catch(() => {});
  };
  try {
    await client.query(sql, { columns() {}, row, room: () => undefined, notice() {} }, { values });
  } catch (error) {
    if (left >= 0) throw error;
  }
  if (left < 0) throw new SqlError('too_large', 'the server answered more than can be shown here');
  return rows;
}
