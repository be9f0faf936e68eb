/** What differs from one kind of database whose statements give rows to the next, for the workbench. */
import type { ExportFormat, RowChange, TableName, TreeNode } from '@gatehouse/contract/kinds/db/editor';
import type { PlacedStatement } from '@gatehouse/contract/kinds/db/placed-statement';
import type { Around } from './ask-plan.ts';
import type { ResultFile } from './file-out.ts';
import type { Link } from './link.ts';
import type { Outlet } from './outlet.ts';
import type { Column, SqlClient } from './sql-client.ts';

export interface Source extends TableName {
  /** What each column of the result is in the table. */
  columns: string[];
  key: string[];
}

export interface BoundStatement {
  sql: string;
  values: (string | null)[];
}

export interface Level {
  nodes: TreeNode[];
  after?: string;
}

export interface Explained {
  before: string;
  /** What else the server is told. */
  around?: Around | undefined;
  /** `json`: in PostgreSQL's shape, whichever server it comes from. */
  format: 'json' | 'text';
  /** Into that shape; undefined where it is none. */
  read?(text: string): string | undefined;
  /** It does what it explains. */
  runs: boolean;
}

export interface Dialect {
  /** The statements in what somebody wrote. */
  split(text: string): PlacedStatement[];
  open(connect: () => Link, user: string): Promise<SqlClient>;
  /** Begins a transaction. */
  begin: string;
  /** Begins a transaction in which nothing can be written, and which no statement that `whyNotReadOnly` lets pass can leave; undefined where the engine lets nothing pass that writes. */
  beginReadOnly: string | undefined;
  /** Why a statement does not run where only reading is allowed. */
  whyNotReadOnly(sql: string): string | undefined;
  /** Why it could not be taken back. */
  whyNotDry(sql: string, side: SqlClient): Promise<string | undefined>;
  explained(sql: string, analyze: boolean, version: string): Explained;
  typeNames(side: SqlClient, columns: readonly Column[]): Promise<string[]>;
  /** Of the statement that gave them, where its columns do not tell it: then `readsSources`. */
  sourceOf(side: SqlClient, columns: readonly Column[], statement: string): Promise<Source | undefined>;
  readsSources?: true;
  /** How rows of this table are changed. */
  changes(side: SqlClient, table: TableName): Promise<(table: TableName, change: RowChange) => BoundStatement>;
  level(side: SqlClient, path: readonly string[], after: string | undefined): Promise<Level>;
  /** Schema, table and column, sorted; `most` of them. */
  names(side: SqlClient, most: number): Promise<(string | null)[][]>;
  /** As it is kept among a person's own statements; undefined: passwords of SQL are taken out of all that are kept. */
  withoutSecrets?(sql: string): string;
  /** Where rows are no rows of a table. */
  file?(outlet: Outlet, format: ExportFormat, stop: () => void): ResultFile;
}
