/** A client of SQL Server for the workbench: one batch at a time, values as its own programs write them, never more rows than were asked for. */
import { MAX_CELL_BYTES } from '@gatehouse/contract/kinds/db/editor';
import { malformed } from '../../engine/db-failure.ts';
import type { ResultColumn } from '../../engine/sqlserver/column-types.ts';
import { Fields } from '../../engine/sqlserver/fields.ts';
import { login, ownLogin } from '../../engine/sqlserver/login.ts';
import { ATTENTION, packets, TYPE } from '../../engine/sqlserver/packets.ts';
import { ENCRYPTION, prelogin } from '../../engine/sqlserver/prelogin.ts';
import { readBeginning } from '../../engine/sqlserver/replies.ts';
import { type Done, TokenReader } from '../../engine/sqlserver/token-reader.ts';
import { Lifetime } from '../thread/lifetime.ts';
import type { Link } from '../thread/link.ts';
import {
  NOBODY,
  type QueryOptions,
  type ResultEnd,
  type ResultSink,
  type SqlClient,
  SqlError,
  type TransactionState,
} from '../thread/sql-client.ts';
import { PacketFeed } from './packet-feed.ts';
import { bound, errorOf, type ServerError, tagOf } from './sqlserver-text.ts';

const TOKEN = { error: 0xaa, info: 0xab, env: 0xe3 } as const;
const ENV = { database: 1, begun: 8, committed: 9, rolledBack: 10, ended: 17 } as const;
const DONE = { count: 16, attention: 32 } as const;
/** That the database or the language was changed is no news. */
const NO_NEWS: ReadonlySet<number> = new Set([5701, 5703]);
const MAX_ROW_BYTES = 1024 * 1024;
/** Before anybody is in. */
const MAX_GREETING_BYTES = 64 * 1024;
const MAX_NOTICES = 100;
const VERSION = Buffer.of(16, 0, 0, 0, 0, 0);
const NO_TRANSACTION = Buffer.alloc(8);

interface Running {
  sink: ResultSink;
  sql: string;
  /** Results so far; only the first is shown. */
  results: number;
  given: number;
  /** 0: all. */
  most: number;
  notices: number;
  /** By the statement itself, and by those inside a procedure. */
  touched: number | undefined;
  inside: number;
  failure: SqlError | undefined;
  resolve(end: ResultEnd): void;
  reject(error: Error): void;
}

export class SqlserverClient implements SqlClient {
  readonly #link: Link;
  readonly #feed: PacketFeed;
  readonly #tokens: TokenReader;
  readonly #life = new Lifetime();
  #phase: 'greeting' | 'welcome' | 'in' = 'greeting';
  #greeting: Buffer[] = [];
  #greetingSize = 0;
  #version = '';
  #database = '';
  #transaction: Buffer = NO_TRANSACTION;
  #running: Running | undefined;
  #suspended: { running: Running; goOn: () => void } | undefined;
  #isDrained = false;
  /** Until the server has said that it stopped: what is asked before would be taken for that. */
  #stopping: PromiseWithResolvers<void> | undefined;
  #isStopped = false;

  private constructor(connect: () => Link) {
    this.#tokens = new TokenReader(
      {
        columns: (columns) => this.#hearColumns(columns),
        mayRow: () => this.#mayRow(),
        row: (cells, cut) => {
          const running = this.#shown();
          if (!running) return;
          running.given += 1;
          running.sink.row(cells, cut);
        },
        done: (done) => this.#hearDone(done),
        told: (token, body) => this.#hear(token, body),
      },
      { cell: MAX_CELL_BYTES, row: MAX_ROW_BYTES },
    );
    this.#feed = new PacketFeed(
      (part) => this.#take(part),
      () => this.#end(),
    );
    this.#link = connect();
    this.#link.listen(
      (piece) => this.#feed.feed(piece),
      () => this.#leave(),
    );
    this.#link.write(prelogin(TYPE.prelogin, { version: VERSION, encryption: ENCRYPTION.notSupported }));
  }

  static async open(connect: () => Link): Promise<SqlserverClient> {
    const client = new SqlserverClient(connect);
    await client.#life.untilLetIn();
    return client;
  }

  get version(): string {
    return this.#version;
  }

  get database(): string {
    return this.#database;
  }

  get transaction(): TransactionState {
    return this.#transaction.equals(NO_TRANSACTION) ? 'none' : 'open';
  }

  get spent(): { workedMs: number; waitedMs: number } {
    return { ...this.#link.spent };
  }

  get isSuspended(): boolean {
    return this.#suspended !== undefined;
  }

  onGone(listener: (why: Error) => void): void {
    this.#life.onGone(listener);
  }

  async query(
    sql: string,
    sink: ResultSink,
    { maxRows = 0, values = [], keepBytes }: QueryOptions = {},
  ): Promise<ResultEnd> {
    await this.letGo();
    this.#tokens.keep = { cell: keepBytes ?? MAX_CELL_BYTES, row: keepBytes ?? MAX_ROW_BYTES };
    return await this.#run(values.length > 0 ? bound(sql, values) : sql, sink, maxRows);
  }

  async more(sink: ResultSink, maxRows: number): Promise<ResultEnd> {
    const { running, goOn } = this.#suspended ?? {};
    if (!running || !goOn) throw new SqlError('closed', 'the rest of this result is gone: run it again');
    this.#suspended = undefined;
    return await new Promise((resolve, reject) => {
      Object.assign(running, { sink, resolve, reject, given: 0, most: maxRows });
      this.#running = running;
      goOn();
    });
  }

  /** The server is told to stop; what was on its way is read for nothing. */
  async letGo(): Promise<void> {
    if (this.#suspended) {
      this.#isDrained = true;
      this.#stop();
      await this.more(NOBODY, 0).catch(() => {});
      this.#isDrained = false;
    }
    await this.#stopping?.promise;
  }

  async tell(sql: string): Promise<void> {
    await this.letGo();
    // The server ends one by itself where something in it fails.
    if (sql === 'ROLLBACK' && this.transaction === 'none') return;
    await this.#run(sql, NOBODY, 0);
  }

  async cancel(): Promise<void> {
    if (!this.#running && !this.#suspended) return;
    this.#stop();
  }

  close(): void {
    this.#link.close();
  }

  #stop(): void {
    if (this.#stopping || this.#life.gone) return;
    this.#stopping = Promise.withResolvers();
    this.#link.write(ATTENTION);
  }

  #run(sql: string, sink: ResultSink, most: number): Promise<ResultEnd> {
    if (this.#life.gone) return Promise.reject(this.#life.gone);
    if (this.#running) return Promise.reject(new Error('a statement runs already'));
    return new Promise((resolve, reject) => {
      const made = { results: 0, given: 0, notices: 0, touched: undefined, inside: 0, failure: undefined };
      this.#running = { sink, sql, most, resolve, reject, ...made };
      this.#link.write(packets(TYPE.batch, batchIn(this.#transaction, sql)));
    });
  }

  /** Whose rows are shown now. */
  #shown(): Running | undefined {
    const running = this.#running;
    return running?.results === 1 && !this.#isDrained && !this.#stopping ? running : undefined;
  }

  #take(part: Buffer): Promise<void> | undefined {
    if (this.#phase !== 'in') {
      this.#greetingSize += part.length;
      if (this.#greetingSize > MAX_GREETING_BYTES) throw malformed('a greeting that is longer than any is');
      this.#greeting.push(Buffer.from(part));
      return undefined;
    }
    return this.#tokens.feed(part) ? this.#takeRest() : this.#running?.sink.room();
  }

  async #takeRest(): Promise<void> {
    do {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#suspend(resolve);
      await promise;
    } while (this.#tokens.feed(Buffer.alloc(0)));
    await this.#running?.sink.room();
  }

  #suspend(goOn: () => void): void {
    const running = this.#running;
    if (!running) throw malformed('rows that nobody has asked for');
    this.#running = undefined;
    this.#suspended = { running, goOn };
    running.resolve({ tag: '', rows: running.given, more: true });
  }

  #mayRow(): boolean {
    const running = this.#shown();
    return !running || running.most === 0 || running.given < running.most;
  }

  #hearColumns(columns: readonly ResultColumn[]): void {
    const running = this.#running;
    if (!running) throw malformed('a result that nobody has asked for');
    running.results += 1;
    if (running.results > 1 || this.#isDrained) return;
    running.sink.columns(columns.map(({ name, type }) => ({ name, type: type.name })));
  }

  #hearDone({ status, rows, isOutmost }: Done): void {
    if (status & DONE.attention) this.#isStopped = true;
    const running = this.#running;
    if (!running || (status & DONE.count) === 0) return;
    const count = rows > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(rows);
    if (isOutmost) running.touched = count;
    else running.inside += count;
  }

  #hear(token: number, body: Buffer): void {
    if (token === TOKEN.env) this.#hearChange(body);
    if (token !== TOKEN.error && token !== TOKEN.info) return;
    const said = readSaid(body);
    const running = this.#running;
    if (token === TOKEN.error) {
      const error = errorOf(said, running?.sql ?? '');
      // What comes without a question are the last words.
      if (!running) this.#life.lastWords = error;
      else if (running.failure) this.#notice(running, 'ERROR', said);
      else running.failure = error;
    } else if (running && !NO_NEWS.has(said.number)) this.#notice(running, 'INFO', said);
  }

  #notice(running: Running, severity: string, { number, text }: ServerError): void {
    running.notices += 1;
    if (running.notices <= MAX_NOTICES) running.sink.notice(severity, number === 0 ? text : `${text} (${number})`);
  }

  #hearChange(body: Buffer): void {
    const fields = new Fields(body);
    const type = fields.byte();
    if (type === ENV.database) this.#database = fields.shortText();
    else if (type === ENV.begun) this.#transaction = Buffer.from(fields.take(fields.byte()));
    else if (type === ENV.committed || type === ENV.rolledBack || type === ENV.ended)
      this.#transaction = NO_TRANSACTION;
    if (this.#transaction.length !== NO_TRANSACTION.length) throw malformed('a transaction of another length');
  }

  /** Of an answer. */
  #end(): void {
    if (this.#phase !== 'in') {
      this.#hearGreeting(Buffer.concat(this.#greeting));
      return;
    }
    if (!this.#tokens.isBetween) throw malformed('an answer that ends in the middle of something');
    const isStopped = this.#isStopped;
    this.#isStopped = false;
    const running = this.#running;
    this.#running = undefined;
    if (isStopped) {
      this.#stopping?.resolve();
      this.#stopping = undefined;
    }
    if (running) settle(running, isStopped);
  }

  #hearGreeting(payload: Buffer): void {
    this.#greeting = [];
    this.#greetingSize = 0;
    if (this.#phase === 'greeting') {
      this.#phase = 'welcome';
      // No password: the gateway signs in.
      this.#link.write(login(ownLogin(), { user: '' }, '', ''));
      return;
    }
    const { error, version, database = '' } = readBeginning(payload);
    if (version === undefined) {
      this.#life.lastWords = error ? errorOf({ ...error, line: 0 }, '') : new SqlError('closed', 'nobody was let in');
      return;
    }
    this.#version = version;
    this.#database = database;
    this.#phase = 'in';
    this.#life.letIn();
  }

  #leave(): void {
    this.#life.leave((why) => {
      this.#stopping?.resolve();
      const running = this.#running;
      this.#running = undefined;
      this.#suspended = undefined;
      running?.reject(why);
    }, this.#running?.failure);
  }
}

const APART = 'and a line of GO between statements runs them apart';

function settle(running: Running, isStopped: boolean): void {
  const { sink, sql, results, given, touched, inside, failure } = running;
  if (failure || isStopped) {
    running.reject(failure ?? new SqlError('cancelled', 'it was cancelled'));
    return;
  }
  if (results > 1) sink.notice('NOTICE', `it gave ${results} results: only the first is shown, ${APART}`);
  const rows = results > 0 ? given : (touched ?? inside);
  running.resolve({ tag: tagOf(sql, rows), rows, more: false });
}

function readSaid(body: Buffer): ServerError {
  const fields = new Fields(body);
  const number = fields.take(4).readInt32LE();
  fields.take(2);
  const text = fields.longText();
  fields.shortText();
  fields.shortText();
  return { number, text, line: fields.left >= 4 ? fields.uint32() : 0 };
}

/** The server wants to hear of the transaction that it runs in. */
function batchIn(transaction: Buffer, sql: string): Buffer {
  const headers = Buffer.alloc(22);
  headers.writeUInt32LE(22, 0);
  headers.writeUInt32LE(18, 4);
  headers.writeUInt16LE(2, 8);
  transaction.copy(headers, 10);
  headers.writeUInt32LE(1, 18);
  return Buffer.concat([headers, Buffer.from(sql, 'utf16le')]);
}
