/** One SQLite connection that works through batches of requests. Runs in a thread of its own; in memory also without one. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { BoundedMap } from '../../std/bounded-map.ts';
import type {
  SqliteAnswer,
  SqliteConnectionOptions,
  SqliteReply,
  SqliteRequest,
  SqliteValue,
} from './sqlite-messages.ts';

const CACHED_STATEMENTS = 256;
/** A page is at most some thousand rows; more is a query that forgot its limit and would fill the memory. */
const MAX_ROWS = 100_000;
const MAX_CHARACTERS = 256 * 1024 * 1024;
/** Writers of one commit wait for each other, so a commit must stay short. */
const MAX_GROUP = 500;
const HOLD_ANSWERS_MS = 1;

const CHANGES_SCHEMA = /^\s*(create|alter|drop)\b/i;

const NOTHING: SqliteAnswer = { columns: [], values: [] };

type Statement = Extract<SqliteRequest, { sql: string }>;

interface Prepared {
  statement: StatementSync;
  columns: readonly string[];
}

export class SqliteConnection {
  readonly #database: DatabaseSync;
  readonly #prepared = new BoundedMap<string, Prepared>(CACHED_STATEMENTS);
  /** Why the open transaction can only be rolled back. As in PostgreSQL, one failed statement is enough. */
  #transactionError: unknown;
  #schemaTouched = false;

  constructor({ file, readOnly, image }: SqliteConnectionOptions) {
    this.#database = new DatabaseSync(file, { readOnly, enableForeignKeyConstraints: true, timeout: 5000 });
    if (image) this.#database.deserialize(image);
    this.#database.exec(
      'pragma cache_size=-64000; pragma mmap_size=268435456; pragma trusted_schema=off; pragma temp_store=memory',
    );
    if (readOnly) return;
    this.#database.exec(
      'pragma journal_mode=wal; pragma synchronous=full; pragma wal_autocheckpoint=4000; pragma journal_size_limit=67108864',
    );
  }

  run(batch: readonly SqliteRequest[], answer: (replies: SqliteReply[]) => void): void {
    let replies: SqliteReply[] = [];
    let since = performance.now();
    for (let at = 0; at < batch.length; ) {
      const group = writesFrom(batch, at);
      if (group.length > 1) replies.push(...this.#runGroup(group));
      else replies.push(this.#runOne(batch[at]!));
      at += Math.max(group.length, 1);
      // A quick answer must not wait for the slow query behind it.
      if (performance.now() - since > HOLD_ANSWERS_MS) {
        answer(replies);
        replies = [];
        since = performance.now();
      }
    }
    if (replies.length > 0) answer(replies);
  }

  close(): void {
    this.#prepared.clear();
    this.#database.close();
  }

  #runOne(request: SqliteRequest): SqliteReply {
    try {
      return { id: request.id, answer: this.#perform(request) };
    } catch (error) {
      return failure(request.id, error);
    }
  }

  #perform(request: SqliteRequest): SqliteAnswer {
    switch (request.type) {
      case 'read':
      case 'write':
      case 'alone':
        return this.#execute(request);
      case 'inside':
        return this.#performInside(request);
      case 'commit':
        return this.#commit();
      case 'rollback':
        return this.#rollback();
      default:
        return request satisfies never;
    }
  }

  #performInside(request: Extract<SqliteRequest, { type: 'inside' }>): SqliteAnswer {
    if (this.#transactionError !== undefined) throw new Error('the transaction failed at an earlier statement');
    try {
      if (request.first) this.#database.exec('begin immediate');
      // After a full disk SQLite has rolled back by itself; running on would commit the rest piece by piece.
      else if (!this.#database.isTransaction) throw new Error('the transaction was rolled back by the database');
      return this.#execute(request);
    } catch (error) {
      this.#transactionError = error;
      throw error;
    }
  }

  #commit(): SqliteAnswer {
    const earlier = this.#transactionError;
    if (earlier !== undefined) {
      this.#rollback();
      throw new Error('the transaction was rolled back: an earlier statement failed');
    }
    try {
      this.#database.exec('commit');
      return NOTHING;
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  #rollback(): SqliteAnswer {
    this.#transactionError = undefined;
    if (this.#schemaTouched) this.#prepared.clear();
    if (this.#database.isTransaction) this.#database.exec('rollback');
    return NOTHING;
  }

  /** Several independent writes in one commit. Each is acknowledged only after it; one that fails undoes itself alone. */
  #runGroup(group: readonly Statement[]): SqliteReply[] {
    try {
      this.#database.exec('begin immediate');
      const replies = group.map((request) => this.#runOne(request));
      // As a full disk does it; what it said of the one that failed is why none of them is there.
      if (!this.#database.isTransaction) return group.map(({ id }) => ({ ...firstFailure(replies), id }));
      this.#database.exec('commit');
      return replies;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback');
      return group.map((request) => failure(request.id, error));
    }
  }

  #execute({ sql, params }: Statement): SqliteAnswer {
    const { statement, columns } = this.#prepare(sql);
    if (columns.length === 0) {
      if (CHANGES_SCHEMA.test(sql)) return this.#changeSchema(statement);
      const { changes, lastInsertRowid } = statement.run(...params);
      return { columns, values: [], changes, lastId: lastInsertRowid };
    }
    return { columns, values: readAll(statement, params) };
  }

  /** A kept statement remembers its columns, which may be others from here on. */
  #changeSchema(statement: StatementSync): SqliteAnswer {
    statement.run();
    this.#prepared.clear();
    this.#schemaTouched = true;
    return NOTHING;
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) {
      // Back to the young end: the oldest is what has not been used for longest.
      this.#prepared.delete(sql);
      this.#prepared.set(sql, known);
      return known;
    }
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    const prepared = { statement, columns: statement.columns().map((column) => column.name) };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

function readAll(statement: StatementSync, params: readonly SqliteValue[]): SqliteValue[] {
  const values: SqliteValue[] = [];
  let rows = 0;
  let characters = 0;
  for (const row of statement.iterate(...params) as unknown as Iterable<SqliteValue[]>) {
    for (const value of row) {
      if (typeof value === 'string' || value instanceof Uint8Array) characters += value.length;
      values.push(value);
    }
    rows += 1;
    if (rows > MAX_ROWS || characters > MAX_CHARACTERS) {
      throw new Error(`a query gave more than ${rows - 1} rows or ${MAX_CHARACTERS} characters: read it in pages`);
    }
  }
  return values;
}

function writesFrom(batch: readonly SqliteRequest[], start: number): Statement[] {
  const group: Statement[] = [];
  for (let at = start; at < batch.length && group.length < MAX_GROUP; at++) {
    const request = batch[at]!;
    if (request.type !== 'write') break;
    group.push(request);
  }
  return group;
}

function firstFailure(replies: readonly SqliteReply[]): SqliteReply {
  return (
    replies.find((reply) => 'error' in reply) ?? failure(0, new Error('the write was rolled back by the database'))
  );
}

function failure(id: number, error: unknown): SqliteReply {
  const message = errorMessage(error);
  const errcode = error instanceof Error && 'errcode' in error ? Number(error.errcode) : undefined;
  return { id, error: { message, errcode } };
}
