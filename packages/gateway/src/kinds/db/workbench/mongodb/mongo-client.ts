/** A client of MongoDB for the workbench: one command at a time, its documents as they come; the rest of a cursor waits at the server. */
import { MAX_CELL_BYTES } from '@gatehouse/contract/kinds/db/editor';
import { type MongoDocument, type MongoField, mongoDocument } from '@gatehouse/contract/kinds/db/mongo/mongo-value';
import { visibleText } from '@gatehouse/contract/std/visible-text';
import { malformed } from '../../engine/db-failure.ts';
import { msg } from '../../engine/mongodb/messages.ts';
import { GONE } from '../thread/lifetime.ts';
import type { Link } from '../thread/link.ts';
import { type QueryOptions, type ResultEnd, type ResultSink, type SqlClient, SqlError } from '../thread/sql-client.ts';
import { type Answer, type AnswerEvent, AnswerReader } from './answer-reader.ts';
import { readCommand } from './read-command.ts';
import { showDocument } from './show-document.ts';
import { writeBson } from './write-bson.ts';

/** Of one further batch: a server answers sooner with few. */
const BATCH_DOCUMENTS = 1_000;
/** Further batches without a document, while somebody wants all there are. */
const MAX_EMPTY_BATCHES = 2;
const MAX_ERROR_CHARACTERS = 2_000;
const FIRST_ID = 1;

interface Cursor {
  id: bigint;
  database: string;
  collection: string;
}

interface Running {
  id: number;
  command: string;
  database: string;
  sink: ResultSink;
  keepBytes: number;
  /** How many documents are still wanted. */
  left: number;
  rows: number;
  /** In this batch. */
  came: number;
  empty: number;
  isFurther: boolean;
  hasColumns: boolean;
  done: PromiseWithResolvers<ResultEnd>;
}

export interface MongoTerms {
  /** Where a command names none. */
  database: string;
  version: string | undefined;
}

export class MongoClient implements SqlClient {
  readonly #link: Link;
  readonly #reader: AnswerReader;
  readonly #database: string;
  readonly #gone: ((why: Error) => void)[] = [];
  #why: SqlError | undefined;
  #last = FIRST_ID;
  #running: Running | undefined;
  #cursor: Cursor | undefined;
  /** The next document of a batch that goes on, held until somebody wants more. */
  #held: { event: Extract<AnswerEvent, { is: 'document' }>; goOn: () => void } | undefined;
  version = '';
  readonly transaction = 'none' as const;

  private constructor(link: Link, database: string) {
    this.#link = link;
    this.#database = database;
    this.#reader = new AnswerReader(({ answers }) => {
      if (answers !== this.#running?.id) throw malformed('an answer that nobody asked for');
    });
    link.listen(
      (piece) => this.#take(piece),
      () => this.#leave(),
    );
  }

  static async open(connect: () => Link, { database, version }: MongoTerms): Promise<MongoClient> {
    const client = new MongoClient(connect(), database);
    const silent = () => ({ ...SILENT });
    // Every server knows this form of a greeting; nobody is told of it.
    await client.#ask(command({ isMaster: 1 }), 'admin', silent());
    client.version = version ?? (await client.#versionOf());
    return client;
  }

  get isSuspended(): boolean {
    return this.#cursor !== undefined || this.#held !== undefined;
  }

  get spent(): { workedMs: number; waitedMs: number } {
    return { ...this.#link.spent };
  }

  onGone(listener: (why: Error) => void): void {
    if (this.#why) listener(this.#why);
    else this.#gone.push(listener);
  }

  async query(text: string, sink: ResultSink, { maxRows, keepBytes }: QueryOptions = {}): Promise<ResultEnd> {
    const { body, database } = readCommand(text, this.#database);
    return this.#ask(body, database, sink, { maxRows, keepBytes });
  }

  async more(sink: ResultSink, maxRows: number): Promise<ResultEnd> {
    const [before, held, cursor] = [this.#running, this.#held, this.#cursor];
    if (held && before) {
      const done = Promise.withResolvers<ResultEnd>();
      this.#held = undefined;
      this.#running = { ...before, sink, left: maxRows, rows: 0, done };
      const room = this.#give(this.#running, held.event);
      void Promise.resolve(room).then(held.goOn);
      return done.promise;
    }
    if (!cursor) return { tag: '', rows: 0, more: false };
    return this.#begin(
      { ...fresh(sink), command: 'getMore', database: cursor.database, left: maxRows, isFurther: true },
      () => this.#getMore(cursor, maxRows),
    );
  }

  tell(): Promise<void> {
    return Promise.reject(new SqlError('bad_request', 'there are no statements of that kind here'));
  }

  /** What is half read cannot be told from what follows: its connection is closed, and the next command has another. */
  async letGo(): Promise<void> {
    const cursor = this.#cursor;
    this.#cursor = undefined;
    if (this.#held) this.close();
    else if (cursor && !this.#why) {
      const cursors = { is: 'array', values: [{ is: 'long', text: String(cursor.id) }] } as const;
      const body = mongoDocument({ killCursors: { is: 'text', text: cursor.collection }, cursors });
      await this.#ask(body, cursor.database, { ...SILENT });
    }
  }

  /** Nothing but the end of its connection stops what runs: telling a server to is not for everybody. */
  async cancel(): Promise<void> {
    this.close();
  }

  close(): void {
    this.#link.close();
  }

  #ask(
    body: MongoDocument,
    database: string,
    sink: ResultSink,
    { maxRows = Number.POSITIVE_INFINITY, keepBytes = MAX_CELL_BYTES }: Partial<QueryOptions> = {},
  ): Promise<ResultEnd> {
    const name = body.fields[0]?.name ?? '';
    return this.#begin({ ...fresh(sink), command: name, database, keepBytes, left: maxRows }, () => ({
      body,
      database,
    }));
  }

  #begin(
    about: Omit<Running, 'id' | 'done'>,
    what: () => { body: MongoDocument; database: string },
  ): Promise<ResultEnd> {
    if (this.#why) return Promise.reject(this.#why);
    const running: Running = { ...about, id: 0, done: Promise.withResolvers() };
    this.#cursor = undefined;
    this.#running = running;
    const { body, database } = what();
    this.#send(running, body, database);
    return running.done.promise;
  }

  #send(running: Running, body: MongoDocument, database: string): void {
    this.#last = (this.#last + 1) % 0x7fff_ffff;
    running.id = this.#last;
    running.came = 0;
    this.#reader.keepBytes = running.keepBytes;
    const fields: MongoField[] = [...body.fields, { name: '$db', value: { is: 'text', text: database } }];
    this.#link.write(msg(running.id, writeBson({ is: 'document', fields })));
  }

  #getMore(cursor: Cursor, wanted: number): { body: MongoDocument; database: string } {
    const body = mongoDocument({
      getMore: { is: 'long', text: String(cursor.id) },
      collection: { is: 'text', text: cursor.collection },
      batchSize: { is: 'int', text: String(Math.min(wanted, BATCH_DOCUMENTS)) },
    });
    return { body, database: cursor.database };
  }

  #take(piece: Buffer): Promise<void> | undefined {
    this.#reader.push(piece);
    return this.#drain();
  }

  #drain(): Promise<void> | undefined {
    try {
      while (!this.#why) {
        const event = this.#reader.next();
        if (!event) return undefined;
        const wait = this.#hear(event);
        if (wait) return wait.then(() => this.#drain());
      }
      return undefined;
    } catch (error) {
      // In words, for who waits: the connection is closed behind it.
      this.#why ??= new SqlError(
        'malformed',
        `the database sent ${error instanceof Error ? error.message : 'no answer'}`,
      );
      throw error;
    }
  }

  #hear(event: AnswerEvent): Promise<void> | undefined {
    const running = this.#running;
    if (!running) throw malformed('an answer that nobody asked for');
    if (event.is === 'end') {
      this.#end(running, event);
      return undefined;
    }
    if (running.left > 0) return this.#give(running, event);
    const { promise, resolve } = Promise.withResolvers<void>();
    // The piece that it stands in may be gone by then.
    this.#held = { event: { ...event, bytes: Buffer.from(event.bytes) }, goOn: resolve };
    running.done.resolve({ tag: running.command, rows: running.rows, more: true });
    return promise;
  }

  #give(running: Running, { bytes, length }: Extract<AnswerEvent, { is: 'document' }>): Promise<void> | undefined {
    this.#tellColumns(running, 'document');
    this.#row(running, bytes, length);
    running.left -= 1;
    running.rows += 1;
    running.came += 1;
    return running.sink.room();
  }

  #row({ sink, keepBytes }: Running, bytes: Buffer, length: number): void {
    const { text, isWhole } = showDocument(bytes, keepBytes);
    sink.row([text], isWhole ? [] : [{ column: 0, bytes: length }]);
  }

  #tellColumns(running: Running, type: 'document' | 'answer'): void {
    if (running.hasColumns) return;
    running.hasColumns = true;
    if (!running.isFurther) running.sink.columns([{ name: type, type }]);
  }

  #end(running: Running, answer: Answer): void {
    const { done, command: tag } = running;
    if (answer.ok !== 1) {
      this.#running = undefined;
      const message = answer.errmsg === '' ? 'the database refused it without a reason' : answer.errmsg;
      done.reject(new SqlError(String(answer.code ?? 'refused'), visibleText(message, MAX_ERROR_CHARACTERS)));
      return;
    }
    const cursor = answer.cursor && cursorOf(answer.cursor, running.database);
    if (!answer.cursor) {
      this.#tellColumns(running, 'answer');
      this.#row(running, answer.body, answer.bodyLength);
      running.rows += 1;
    } else this.#tellColumns(running, 'document');
    running.empty = running.isFurther && running.came === 0 ? running.empty + 1 : 0;
    const wantsAll = running.left === Number.POSITIVE_INFINITY;
    if (cursor && wantsAll && running.empty >= MAX_EMPTY_BATCHES) {
      this.#running = undefined;
      this.#cursor = cursor;
      done.reject(
        new SqlError('endless', 'the database gives no more documents, and does not say that these were all'),
      );
    } else if (cursor && running.left > 0 && (running.empty === 0 || wantsAll)) {
      running.isFurther = true;
      const { body, database } = this.#getMore(cursor, running.left);
      this.#send(running, body, database);
    } else {
      this.#running = undefined;
      this.#cursor = cursor;
      done.resolve({ tag, rows: running.rows, more: cursor !== undefined });
    }
  }

  async #versionOf(): Promise<string> {
    let told = '';
    const row = ([text]: (string | null)[]) => {
      told = /"version": "([\w.+-]{1,40})"/.exec(text ?? '')?.[1] ?? '';
    };
    // Who may not ask for it may still work.
    await this.#ask(command({ buildInfo: 1 }), 'admin', { ...SILENT, row }).catch((error: unknown) => {
      if (this.#why) throw error;
    });
    return told;
  }

  #leave(): void {
    this.#why ??= GONE;
    const running = this.#running;
    this.#running = undefined;
    this.#cursor = undefined;
    running?.done.reject(this.#why);
    this.#held?.goOn();
    this.#held = undefined;
    for (const listener of this.#gone.splice(0)) listener(this.#why);
  }
}

const SILENT: ResultSink = { columns() {}, row() {}, room: () => undefined, notice() {} };

function fresh(sink: ResultSink) {
  return {
    ...{ sink, keepBytes: MAX_CELL_BYTES, left: Number.POSITIVE_INFINITY, rows: 0, came: 0, empty: 0 },
    ...{ isFurther: false, hasColumns: false },
  };
}

function command(fields: Readonly<Record<string, number>>): MongoDocument {
  return {
    is: 'document',
    fields: Object.entries(fields).map(([name, value]) => ({ name, value: { is: 'int', text: String(value) } })),
  };
}

/** Undefined: that was all. What follows is asked for where the command was, whatever the server calls it. */
function cursorOf({ id, ns }: { id: bigint; ns: string }, database: string): Cursor | undefined {
  if (id === 0n) return undefined;
  if (!ns.startsWith(`${database}.`)) throw malformed(`a cursor of '${visibleText(ns, 80)}', which was not asked for`);
  return { id, database, collection: ns.slice(database.length + 1) };
}
