/** A client of PostgreSQL for the workbench: one statement at a time by the extended protocol, values as the server writes them, never more rows than were asked for. */
import { CANCEL_REQUEST, message, numbers } from '../../engine/postgres/messages.ts';
import { Lifetime } from '../thread/lifetime.ts';
import type { Link } from '../thread/link.ts';
import { type ReadSize, RowCells } from '../thread/row-cells.ts';
import {
  type Column,
  NOBODY,
  type QueryOptions,
  type ResultEnd,
  type ResultSink,
  type SqlClient,
  SqlError,
  type TransactionState,
} from '../thread/sql-client.ts';
import { AnswerReader } from './answer-reader.ts';
import { ownTypeName } from './type-names.ts';

const PROTOCOL_3 = 196_608;
const SYNC = message('S');
const FLUSH = message('H');
const STATES: Readonly<Record<string, TransactionState>> = { I: 'none', T: 'open', E: 'failed' };

interface Running {
  sink: ResultSink;
  rows: number;
  tag: string;
  columns: readonly Column[];
  failure: SqlError | undefined;
  /** `suspended`: it stopped where it was told to. */
  resolve(end: ResultEnd): void;
  reject(error: Error): void;
  /** Whether the end of the group was asked for: only then the server says that it is ready. */
  isSynced: boolean;
  sql: string;
}

export class PgClient implements SqlClient {
  readonly #link: Link;
  readonly #connect: () => Link;
  readonly #cells: RowCells;
  #skip = 2;
  #isCopied = false;
  #running: Running | undefined;
  #suspended = false;
  #transaction: TransactionState = 'none';
  #version = '';
  #key: Buffer | undefined;
  readonly #life = new Lifetime();
  #isReady = false;

  private constructor(link: Link, connect: () => Link) {
    this.#link = link;
    this.#connect = connect;
    this.#cells = new RowCells(readSize, (bytes) => bytes.toString('utf8'));
    const reader = new AnswerReader({
      part: (bytes) => this.#part(bytes),
      rowEnd: (type) => this.#rowEnd(type),
      message: (type, body) => this.#hear(type, body),
    });
    link.listen(
      (piece) => {
        reader.feed(piece);
        return this.#running?.sink.room();
      },
      () => this.#leave(),
    );
  }

  static async open(connect: () => Link, user: string): Promise<PgClient> {
    const client = new PgClient(connect(), connect);
    client.#link.write(
      message(
        '',
        numbers(PROTOCOL_3),
        'user',
        user,
        'client_encoding',
        'UTF8',
        'application_name',
        'gatehouse',
        Buffer.of(0),
      ),
    );
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
    return this.#suspended;
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
    const bound = Buffer.concat([
      short(0),
      short(values.length),
      ...values.map((value) => (value === null ? numbers(0xffff_ffff) : sized(value))),
      short(0),
    ]);
    const asked = [
      message('P', '', sql, short(0)),
      message('B', '', '', bound),
      message('D', Buffer.from('P'), ''),
      message('E', '', numbers(maxRows)),
      // Behind it the server forgets what it has not sent: only where all is wanted.
      maxRows === 0 ? SYNC : FLUSH,
    ];
    return this.#run(Buffer.concat(asked), { sink, sql, isSynced: maxRows === 0 });
  }

  async more(sink: ResultSink, maxRows: number): Promise<ResultEnd> {
    if (!this.#suspended) throw new SqlError('closed', 'the rest of this result is gone: run it again');
    this.#suspended = false;
    return this.#run(Buffer.concat([message('E', '', numbers(maxRows)), FLUSH]), { sink, sql: '', isSynced: false });
  }

  async letGo(): Promise<void> {
    if (!this.#suspended) return;
    this.#suspended = false;
    await this.#run(SYNC, { sink: NOBODY, sql: '', isSynced: true }).catch(() => {});
  }

  /** Several statements of our own, whose rows nobody wants. */
  async tell(sql: string): Promise<void> {
    await this.letGo();
    await this.#run(message('Q', sql), { sink: NOBODY, sql, isSynced: true });
  }

  async cancel(): Promise<void> {
    const key = this.#key;
    if (!key) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const link = this.#connect();
    link.listen(() => undefined, resolve);
    link.write(message('', numbers(CANCEL_REQUEST), key));
    await promise;
  }

  close(): void {
    this.#link.write(message('X'));
    this.#link.close();
  }

  #run(bytes: Buffer, { sink, sql, isSynced }: Pick<Running, 'sink' | 'sql' | 'isSynced'>): Promise<ResultEnd> {
    if (this.#life.gone) return Promise.reject(this.#life.gone);
    if (this.#running) return Promise.reject(new Error('a statement runs already'));
    return new Promise((resolve, reject) => {
      this.#running = { sink, sql, isSynced, resolve, reject, rows: 0, tag: '', columns: [], failure: undefined };
      this.#link.write(bytes);
    });
  }

  #part(bytes: Buffer): void {
    if (this.#isCopied) return;
    // The number of values comes first, of two bytes that may be cut apart.
    const skipped = Math.min(this.#skip, bytes.length);
    this.#skip -= skipped;
    this.#cells.push(bytes.subarray(skipped));
  }

  #rowEnd(type: 'D' | 'd'): void {
    this.#skip = 2;
    const { cells, cut } = this.#cells.end();
    if (type === 'D') this.#running?.sink.row(cells, cut);
  }

  #hear(type: string, body: Buffer): void {
    const running = this.#running;
    if (type === 'S') this.#hearSetting(body);
    else if (type === 'K') this.#key = Buffer.from(body);
    else if (type === 'N') this.#hearNotice(body);
    else if (type === 'E') this.#fail(readError(body, running?.sql ?? ''));
    else if (type === 'Z') this.#hearReady(body);
    else if (running) this.#hearResult(running, type, body);
  }

  #hearResult(running: Running, type: string, body: Buffer): void {
    if (type === 'T') running.sink.columns(readColumns(body));
    else if (type === 'C') {
      running.tag = body.toString('utf8', 0, body.length - 1);
      running.rows += countOf(running.tag);
      this.#isCopied = false;
      this.#sync(running);
    } else if (type === 'I') this.#sync(running);
    else if (type === 's') {
      this.#running = undefined;
      this.#suspended = true;
      running.resolve({ tag: '', rows: running.rows, more: true });
    } else if (type === 'H') {
      this.#isCopied = true;
      running.sink.notice('NOTICE', 'what COPY writes is not shown here: export the result instead');
    } else if (type === 'G') this.#link.write(message('f', 'files are not copied in here'));
  }

  #hearSetting(body: Buffer): void {
    const [name, value] = body.toString('utf8').split('\0');
    if (name === 'server_version') this.#version = value ?? '';
  }

  #hearNotice(body: Buffer): void {
    const fields = fieldsOf(body);
    this.#running?.sink.notice(fields.get('S') ?? '', fields.get('M') ?? '');
  }

  #fail(error: SqlError): void {
    this.#life.lastWords = error;
    this.#isCopied = false;
    const running = this.#running;
    if (!running) return;
    running.failure ??= error;
    this.#sync(running);
  }

  #sync(running: Running): void {
    if (running.isSynced) return;
    running.isSynced = true;
    this.#link.write(SYNC);
  }

  #hearReady(body: Buffer): void {
    this.#transaction = STATES[body.toString('latin1', 0, 1)] ?? 'none';
    if (!this.#isReady) {
      this.#isReady = true;
      this.#life.letIn();
      return;
    }
    const running = this.#running;
    this.#running = undefined;
    if (running?.failure) running.reject(running.failure);
    else running?.resolve({ tag: running.tag, rows: running.rows, more: false });
  }

  #leave(): void {
    this.#life.leave((why) => {
      const running = this.#running;
      this.#running = undefined;
      this.#suspended = false;
      running?.reject(why);
    });
  }
}

const readSize: ReadSize = (bytes, at) => {
  if (bytes.length - at < 4) return undefined;
  const size = bytes.readInt32BE(at);
  return { size: size < 0 ? null : size, to: at + 4 };
};

function short(value: number): Buffer {
  return Buffer.of(value >>> 8, value & 0xff);
}

function sized(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([numbers(bytes.length), bytes]);
}

function fieldsOf(body: Buffer): Map<string, string> {
  const fields = new Map<string, string>();
  for (const text of body.toString('utf8').split('\0')) if (text !== '') fields.set(text.slice(0, 1), text.slice(1));
  return fields;
}

function readError(body: Buffer, sql: string): SqlError {
  const fields = fieldsOf(body);
  const at = Number(fields.get('P'));
  return new SqlError(fields.get('C') ?? '', fields.get('M') ?? 'an error without words', {
    ...(fields.has('D') ? { detail: fields.get('D') as string } : {}),
    ...(fields.has('H') ? { hint: fields.get('H') as string } : {}),
    ...(at > 0 ? { position: unitsBefore(sql, at - 1) } : {}),
  });
}

/** The server counts characters; texts here count two for those beyond the basic plane. */
function unitsBefore(text: string, characters: number): number {
  let [units, left] = [0, characters];
  while (left > 0 && units < text.length) {
    units += (text.codePointAt(units) as number) > 0xffff ? 2 : 1;
    left -= 1;
  }
  return units;
}

function readColumns(body: Buffer): Column[] {
  const count = body.readUInt16BE(0);
  const columns: Column[] = [];
  let at = 2;
  for (let index = 0; index < count; index += 1) {
    const end = body.indexOf(0, at);
    const name = body.toString('utf8', at, end);
    const table = body.readUInt32BE(end + 1);
    const column = body.readInt16BE(end + 5);
    const typeId = body.readUInt32BE(end + 7);
    const type = ownTypeName(typeId, body.readInt32BE(end + 13));
    columns.push({
      name,
      type,
      typeId,
      ...(table > 0 && column > 0 ? { source: { table: String(table), column: String(column) } } : {}),
    });
    at = end + 19;
  }
  return columns;
}

/** `INSERT 0 5`, `SELECT 5`. */
function countOf(tag: string): number {
  const count = /^(?:INSERT \d+|[A-Z]+) (\d{1,15})$/.exec(tag)?.[1];
  return count === undefined ? 0 : Number(count);
}
