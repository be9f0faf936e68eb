/** A client of MySQL and MariaDB for the workbench: one statement at a time, values as the server writes them, never more rows than were asked for. */
import { wholeCount } from '../../../../platform/std/whole-count.ts';
import { malformed } from '../../engine/db-failure.ts';
import { Answer } from '../../engine/mysql/answers.ts';
import { CAN, has } from '../../engine/mysql/capabilities.ts';
import { readGreeting } from '../../engine/mysql/greeting.ts';
import { type Done, measured, packet, readServerError, STATUS } from '../../engine/mysql/packets.ts';
import { Lifetime } from '../thread/lifetime.ts';
import type { Link } from '../thread/link.ts';
import { RowCells } from '../thread/row-cells.ts';
import {
  ask,
  NOBODY,
  type QueryOptions,
  type ResultEnd,
  type ResultSink,
  type SqlClient,
  SqlError,
  type TransactionState,
} from '../thread/sql-client.ts';
import { AnswerReader } from './answer-reader.ts';
import { type MysqlColumn, readColumn } from './columns.ts';
import { bound, errorOf, shownBytes, tagOf } from './mysql-text.ts';
import { readSize } from './read-size.ts';

const COMMAND = { quit: 1, query: 3, ping: 14 } as const;
/** One statement alone: several at once are not taken. Rows that are found count as touched, also where they have the values already. */
const WANTED =
  CAN.longPassword |
  CAN.foundRows |
  CAN.longFlag |
  CAN.protocol41 |
  CAN.transactions |
  CAN.secureConnection |
  CAN.multiResults |
  CAN.psMultiResults |
  CAN.pluginAuth |
  CAN.connectAttributes |
  CAN.deprecateEof;
const MAX_PACKET = 16 * 1024 * 1024;
const UTF8MB4 = 45;
const ATTRIBUTES = Buffer.concat(['program_name', 'gatehouse'].map((text) => measured(Buffer.from(text))));
/** The server waits as long for who does not read: a page may be slow, and the rest of a result is kept for a while. */
const PATIENCE = 'SET SESSION net_write_timeout = 900';
/** Of the rest of a result: as much is read for nothing, before the server is told to stop. */
const DRAINED_BYTES = 4 * 1024 * 1024;
const MAX_WARNINGS = 20;
/** Of what the server says about all columns of a result: thousands, each with five names. */
const MAX_COLUMNS_BYTES = 8 * 1024 * 1024;

interface Running {
  sink: ResultSink;
  sql: string;
  answer: Answer;
  columns: MysqlColumn[];
  columnsBytes: number;
  isTold: boolean;
  /** Further results of a procedure. */
  further: number;
  /** Given since the last end, and how many may be; 0: all. */
  given: number;
  most: number;
  done: Done | undefined;
  resolve(end: ResultEnd): void;
  reject(error: Error): void;
}

export class MysqlClient implements SqlClient {
  readonly #link: Link;
  readonly #connect: () => Link;
  readonly #user: string;
  readonly #reader: AnswerReader;
  readonly #cells: RowCells;
  readonly #life = new Lifetime();
  #phase: 'greeting' | 'welcome' | 'in' = 'greeting';
  #capabilities = 0;
  #thread = 0;
  #version = '';
  #transaction: TransactionState = 'none';
  #running: Running | undefined;
  /** What waits with the rest of its result, and what lets it go on. */
  #suspended: { running: Running; goOn: () => void } | undefined;
  #isRowKnown = false;
  #drained: number | undefined;
  #killing: Promise<void> | undefined;

  private constructor(connect: () => Link, user: string) {
    this.#connect = connect;
    this.#user = user;
    this.#cells = new RowCells(readSize, (bytes, column) =>
      this.#running?.columns[column]?.isBinary ? shownBytes(bytes) : bytes.toString('utf8'),
    );
    this.#reader = new AnswerReader({
      begins: (first, length) => this.#begins(first, length),
      part: (bytes) => this.#part(bytes),
      rowEnd: () => this.#rowEnd(),
      whole: (body) => this.#hear(body),
    });
    this.#link = connect();
    this.#link.listen(
      (piece) => this.#take(piece),
      () => this.#leave(),
    );
  }

  static async open(connect: () => Link, user: string): Promise<MysqlClient> {
    const client = await MysqlClient.#signIn(connect, user);
    await client.tell(PATIENCE);
    return client;
  }

  static async #signIn(connect: () => Link, user: string): Promise<MysqlClient> {
    const client = new MysqlClient(connect, user);
    await client.#life.untilLetIn();
    return client;
  }

  get version(): string {
    return this.#version;
  }

  get transaction(): TransactionState {
    return this.#transaction;
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
    this.#cells.keep(keepBytes);
    const { end, warnings } = await this.#ask(values.length > 0 ? bound(sql, values) : sql, sink, maxRows);
    if (warnings > 0) await this.#tellWarnings(sink);
    return end;
  }

  async more(sink: ResultSink, maxRows: number): Promise<ResultEnd> {
    const { running, goOn } = this.#suspended ?? {};
    if (!running || !goOn) throw new SqlError('closed', 'the rest of this result is gone: run it again');
    this.#suspended = undefined;
    return new Promise((resolve, reject) => {
      Object.assign(running, { sink, resolve, reject, given: 0, most: maxRows });
      this.#running = running;
      goOn();
    });
  }

  async letGo(): Promise<void> {
    if (this.#suspended) {
      this.#drained = 0;
      await this.more(NOBODY, 0).catch(() => {});
      this.#drained = undefined;
    }
    // One that comes too late would end what is run next.
    for (let killing = this.#killing; killing; killing = this.#killing) {
      await killing;
      if (this.#killing === killing) this.#killing = undefined;
    }
  }

  async tell(sql: string): Promise<void> {
    await this.letGo();
    await this.#ask(sql, NOBODY, 0);
  }

  async cancel(): Promise<void> {
    if (!this.#running && !this.#suspended) return;
    const before = this.#killing;
    const killing = (async () => {
      await before;
      // Over meanwhile: a second would end what is run next.
      if (this.#running || this.#suspended) await this.#kill();
    })();
    this.#killing = killing.catch(() => {});
    await killing;
  }

  close(): void {
    this.#link.write(packet(0, Buffer.of(COMMAND.quit)));
    this.#link.close();
  }

  /** By a client of its own, as every other does it. */
  async #kill(): Promise<void> {
    const killer = await MysqlClient.#signIn(this.#connect, this.#user);
    try {
      await killer.tell(`KILL QUERY ${this.#thread >>> 0}`);
    } finally {
      killer.close();
    }
  }

  /** An error says nothing of the transaction: the server is asked. */
  async #ask(sql: string, sink: ResultSink, most: number): Promise<{ end: ResultEnd; warnings: number }> {
    try {
      const end = await this.#run(COMMAND.query, sql, sink, most);
      return { end, warnings: end.more ? 0 : (this.#lastDone?.warnings ?? 0) };
    } catch (error) {
      if (!this.#life.gone) await this.#run(COMMAND.ping, '', NOBODY, 0).catch(() => {});
      throw error;
    }
  }

  #lastDone: Done | undefined;

  #run(command: number, sql: string, sink: ResultSink, most: number): Promise<ResultEnd> {
    if (this.#life.gone) return Promise.reject(this.#life.gone);
    if (this.#running) return Promise.reject(new Error('a statement runs already'));
    const shape = command === COMMAND.query ? 'results' : 'one';
    const answer = new Answer(shape, this.#capabilities, { keepsColumns: true });
    return new Promise((resolve, reject) => {
      const made = { columns: [], columnsBytes: 0, isTold: false, further: 0, given: 0, done: undefined };
      this.#running = { sink, sql, answer, most, resolve, reject, ...made };
      this.#link.write(packet(0, Buffer.concat([Buffer.of(command), Buffer.from(sql)])));
    });
  }

  async #tellWarnings(sink: ResultSink): Promise<void> {
    const rows = await ask(this, `SHOW WARNINGS LIMIT ${MAX_WARNINGS}`).catch(() => []);
    for (const [level, code, message] of rows) sink.notice((level ?? '').toUpperCase(), `${message} (${code})`);
  }

  #take(piece: Buffer): Promise<void> | undefined {
    const rest = this.#reader.feed(piece);
    this.#drain(piece.length);
    return rest.length > 0 ? this.#takeRest(rest) : this.#running?.sink.room();
  }

  async #takeRest(piece: Buffer): Promise<void> {
    for (let rest = piece; rest.length > 0; rest = this.#reader.feed(rest)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#suspend(resolve);
      await promise;
    }
    await this.#running?.sink.room();
  }

  #drain(count: number): void {
    if (this.#drained === undefined) return;
    const before = this.#drained;
    this.#drained += count;
    if (before < DRAINED_BYTES && this.#drained >= DRAINED_BYTES) void this.cancel().catch(() => {});
  }

  #suspend(goOn: () => void): void {
    const running = this.#running;
    if (!running) throw malformed('rows that nobody has asked for');
    this.#running = undefined;
    this.#suspended = { running, goOn };
    running.resolve({ tag: '', rows: running.given, more: true });
  }

  #begins(first: number, length: number): 'row' | 'whole' | 'wait' {
    const running = this.#running;
    if (this.#phase !== 'in' || !running) return 'whole';
    if (!this.#isRowKnown) {
      if (running.answer.begin(first, length)) return 'whole';
      this.#isRowKnown = true;
    }
    if (running.most > 0 && running.given >= running.most && running.further === 0) return 'wait';
    this.#isRowKnown = false;
    return 'row';
  }

  #part(bytes: Buffer): void {
    if (this.#drained === undefined && !this.#running?.further) this.#cells.push(bytes);
  }

  #rowEnd(): void {
    const { cells, cut } = this.#cells.end();
    const running = this.#running;
    if (!running || running.further > 0 || this.#drained !== undefined) return;
    if (cells.length !== running.columns.length) throw malformed('a row that has not as many values as columns');
    running.given += 1;
    running.sink.row(cells, cut);
  }

  #hear(body: Buffer): void {
    if (this.#phase === 'greeting') this.#hearGreeting(body);
    else if (this.#phase === 'welcome') this.#hearWelcome(body);
    else if (this.#running) this.#hearAnswer(this.#running, body);
    // The last words, for whoever asks next.
    else if (body[0] === 0xff) this.#life.lastWords = errorOf(readServerError(body), '');
  }

  #hearGreeting(body: Buffer): void {
    if (body[0] === 0xff) {
      this.#life.lastWords = errorOf(readServerError(body), '');
      return;
    }
    const { version, thread, capabilities } = readGreeting(body);
    // MariaDB says so to those who know none but the oldest.
    this.#version = version.replace(/^5\.5\.5-/, '');
    this.#thread = thread;
    this.#capabilities = WANTED & capabilities.basic;
    const head = Buffer.alloc(32);
    head.writeUInt32LE(this.#capabilities, 0);
    head.writeUInt32LE(MAX_PACKET, 4);
    head[8] = UTF8MB4;
    this.#phase = 'welcome';
    this.#link.write(
      packet(
        1,
        head,
        this.#user,
        // No password: the gateway signs in.
        Buffer.of(0),
        ...(has(this.#capabilities, CAN.pluginAuth) ? ['mysql_native_password'] : []),
        ...(has(this.#capabilities, CAN.connectAttributes) ? [measured(ATTRIBUTES)] : []),
      ),
    );
  }

  #hearWelcome(body: Buffer): void {
    if (body[0] === 0xff) {
      this.#life.lastWords = errorOf(readServerError(body), '');
      return;
    }
    if (body[0] !== 0) throw malformed('something else than a welcome');
    this.#phase = 'in';
    this.#life.letIn();
  }

  #hearAnswer(running: Running, body: Buffer): void {
    const { answer } = running;
    const isColumn = answer.isInColumns && body[0] !== 0xff;
    if (isColumn && running.further === 0) {
      running.columnsBytes += body.length;
      if (running.columnsBytes > MAX_COLUMNS_BYTES) throw malformed('more about columns than any result has');
      running.columns.push(readColumn(body));
    }
    const done = answer.read(body);
    if (answer.file !== undefined) throw malformed('a request for a file, which nobody has named');
    if (answer.isInRows && !running.isTold) {
      running.isTold = true;
      running.sink.columns(running.columns);
    }
    if (done) {
      running.done ??= done;
      this.#lastDone = done;
      this.#transaction = (done.status & STATUS.inTransaction) === 0 ? 'none' : 'open';
      if (!answer.isOver && running.isTold) running.further += 1;
    }
    if (answer.isOver) this.#end(running);
  }

  #end(running: Running): void {
    const { answer, sink, sql, columns, given, further, done } = running;
    this.#running = undefined;
    if (answer.failure) {
      this.#life.lastWords = errorOf(answer.failure, sql);
      running.reject(this.#life.lastWords);
      return;
    }
    // The last is how the call itself went.
    if (further > 1) sink.notice('NOTICE', `it gave ${further} results: only the first is shown`);
    const rows = columns.length > 0 ? given : wholeCount(done?.affected ?? 0);
    if (done?.info) sink.notice('INFO', done.info);
    running.resolve({ tag: tagOf(sql, rows), rows, more: false });
  }

  #leave(): void {
    this.#life.leave((why) => {
      const running = this.#running;
      this.#running = undefined;
      this.#suspended = undefined;
      running?.reject(why);
    });
  }
}
