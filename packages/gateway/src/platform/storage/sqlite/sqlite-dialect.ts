/** Kysely's way to our SQLite threads: selects go to the readers, everything else to the one writer. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type RootOperationNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { partsOf } from '../together.ts';
import type { SqliteCall } from './sqlite-channel.ts';
import type { SqliteAnswer, SqliteValue } from './sqlite-messages.ts';
import type { SqliteWriter, WriteTurn } from './sqlite-writer.ts';

export interface SqliteThreads {
  writer: SqliteWriter;
  /** Runs a select outside any transaction; it sees everything committed before, and nothing else. */
  read(call: Extract<SqliteCall, { type: 'read' }>): Promise<SqliteAnswer>;
}

export function sqliteDialect(threads: SqliteThreads): Dialect {
  return {
    createAdapter: () => new ThreadedSqliteAdapter(),
    createDriver: () => new SqliteDriver(threads),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class ThreadedSqliteAdapter extends SqliteAdapter {
  // Otherwise Kysely would let only one call at a time through to all threads.
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class SqliteDriver implements Driver {
  readonly #threads: SqliteThreads;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteHandle> {
    return new SqliteHandle(this.#threads);
  }

  async beginTransaction(connection: SqliteHandle): Promise<void> {
    connection.turn = await this.#threads.writer.take();
  }

  async commitTransaction(connection: SqliteHandle): Promise<void> {
    await connection.turn?.commit();
    connection.turn = undefined;
  }

  async rollbackTransaction(connection: SqliteHandle): Promise<void> {
    await connection.turn?.rollback();
    connection.turn = undefined;
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {}
}

/** What Kysely takes for a connection: a transaction while it has a turn, single statements otherwise. */
class SqliteHandle implements DatabaseConnection {
  readonly #threads: SqliteThreads;
  turn: WriteTurn | undefined;

  constructor(threads: SqliteThreads) {
    this.#threads = threads;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const parts = partsOf(query);
    if (!parts) return toResult<R>(await this.#run(query));
    // Called in one turn, they travel in one batch.
    const answers = await Promise.all(parts.map((part) => this.#run(part)));
    return { rows: answers.map((answer) => toResult(answer)) as R[] };
  }

  // biome-ignore lint/correctness/useYield: it refuses before it could yield.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('the store does not stream: read in pages by key');
  }

  async #run({ sql, parameters, query }: CompiledQuery): Promise<SqliteAnswer> {
    const params = parameters.map(toValue);
    if (this.turn) {
      if (publishes(query)) this.turn.markPublished();
      return await this.turn.run(sql, params);
    }
    switch (query.kind) {
      case 'SelectQueryNode':
        return await this.#threads.read({ type: 'read', sql, params });
      case 'InsertQueryNode':
      case 'UpdateQueryNode':
      case 'DeleteQueryNode':
        return await this.#threads.writer.run({ type: 'write', sql, params });
      default:
        return await this.#threads.writer.run({ type: 'alone', sql, params });
    }
  }
}

function publishes(query: RootOperationNode): boolean {
  return query.kind === 'InsertQueryNode' && query.into?.table.identifier.name === 'change';
}

function toResult<R>({ columns, values, changes, lastId }: SqliteAnswer): QueryResult<R> {
  const rows: Record<string, SqliteValue>[] = [];
  for (let at = 0; at < values.length; at += columns.length) {
    const row: Record<string, SqliteValue> = {};
    for (let column = 0; column < columns.length; column++) row[columns[column]!] = values[at + column]!;
    rows.push(row);
  }
  return {
    rows: rows as R[],
    ...(changes !== undefined && { numAffectedRows: BigInt(changes) }),
    ...(lastId !== undefined && { insertId: BigInt(lastId) }),
  };
}

function toValue(value: unknown): SqliteValue {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  // A Buffer is often a slice of a large shared one, and the whole of it would be copied to the thread.
  if (value instanceof Uint8Array) return new Uint8Array(value);
  throw new TypeError(`the store cannot hold a value of type ${typeof value}`);
}
