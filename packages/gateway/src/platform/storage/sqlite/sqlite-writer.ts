/** Decides who may write: one transaction at a time, single statements between them, in the order they came. */
import { StoreDownError } from '../errors.ts';
import type { SqliteCall, SqliteChannel } from './sqlite-channel.ts';
import type { SqliteAnswer, SqliteValue } from './sqlite-messages.ts';

/** A transaction that asks nothing for this long, while others wait, was forgotten by its owner. */
const MAX_IDLE_MS = 15_000;
const CHECK_EVERY_MS = 1_000;

/** Asks a thread nothing but whether it is there. */
export const PROBE: SqliteCall = { type: 'read', sql: 'select 1', params: [] };

interface Waiter {
  since: number;
  start: () => void;
  refuse: (error: Error) => void;
}

export class SqliteWriter {
  readonly #channel: SqliteChannel;
  readonly #waiting: Waiter[] = [];
  readonly #onPublished: () => void;
  readonly #maxWaitMs: number;
  #holder: WriteTurn | undefined;
  #check: NodeJS.Timeout | undefined;

  /** Whoever waits longer than `maxWaitMs` waits for a transaction that uses the wrong handle, or for a dying disk. */
  constructor(channel: SqliteChannel, { maxWaitMs, onPublished }: { maxWaitMs: number; onPublished: () => void }) {
    this.#channel = channel;
    this.#maxWaitMs = maxWaitMs;
    this.#onPublished = onPublished;
  }

  /** A statement of its own, durable when this resolves. */
  async run(call: Extract<SqliteCall, { type: 'read' | 'write' | 'alone' }>): Promise<SqliteAnswer> {
    if (this.#holder) {
      return await new Promise((resolve, reject) => {
        this.#wait(() => this.#channel.call(call).then(resolve, reject), reject);
      });
    }
    return await this.#channel.call(call);
  }

  /** Resolves when the connection answers. Waits for no transaction: it may be asked while one is open. */
  async probe(): Promise<void> {
    await this.#channel.call(PROBE);
  }

  /** The right to run one transaction. */
  async take(): Promise<WriteTurn> {
    const turn = new WriteTurn(this.#channel, this.#onPublished, () => this.#release(turn));
    if (!this.#holder) {
      this.#holder = turn;
      return turn;
    }
    return await new Promise((resolve, reject) => {
      this.#wait(() => {
        this.#holder = turn;
        turn.lastActive = performance.now();
        resolve(turn);
      }, reject);
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#check);
    for (const waiter of this.#waiting.splice(0)) waiter.refuse(new StoreDownError('the store is closed'));
    await this.#channel.close();
  }

  #wait(start: () => void, refuse: (error: Error) => void): void {
    this.#waiting.push({ since: performance.now(), start, refuse });
    this.#check ??= setInterval(() => this.#refuseLate(), CHECK_EVERY_MS).unref();
  }

  #release(turn: WriteTurn): void {
    if (this.#holder !== turn) return;
    this.#holder = undefined;
    while (!this.#holder && this.#waiting.length > 0) this.#waiting.shift()!.start();
    if (this.#waiting.length > 0) return;
    clearInterval(this.#check);
    this.#check = undefined;
  }

  #refuseLate(): void {
    const now = performance.now();
    if (this.#holder?.isForgotten(now, MAX_IDLE_MS)) this.#holder.abandon();
    while (this.#waiting.length > 0 && now - this.#waiting[0]!.since > this.#maxWaitMs) {
      this.#waiting
        .shift()!
        .refuse(
          new StoreDownError(
            'the store is busy: a transaction has held it for too long (was the outer handle used inside of it?)',
          ),
        );
    }
  }
}

/** One transaction's time at the writer. Ends by commit or rollback, whichever comes first. */
export class WriteTurn {
  readonly #channel: SqliteChannel;
  readonly #onPublished: () => void;
  readonly #release: () => void;
  lastActive = performance.now();
  #open = 0;
  #begun = false;
  #over = false;
  #published = false;

  constructor(channel: SqliteChannel, onPublished: () => void, release: () => void) {
    this.#channel = channel;
    this.#onPublished = onPublished;
    this.#release = release;
  }

  async run(sql: string, params: readonly SqliteValue[]): Promise<SqliteAnswer> {
    if (this.#over) throw new Error('the transaction is over');
    const first = !this.#begun;
    this.#begun = true;
    this.#open += 1;
    try {
      return await this.#channel.call({ type: 'inside', first, sql, params });
    } finally {
      this.#open -= 1;
      this.lastActive = performance.now();
    }
  }

  /** Its commit will be news to those who follow changes. */
  markPublished(): void {
    this.#published = true;
  }

  async commit(): Promise<void> {
    if (this.#over) throw new Error('the transaction was rolled back: it was idle for too long');
    const answer = this.#end('commit');
    if (!answer) return;
    await answer;
    if (this.#published) this.#onPublished();
  }

  async rollback(): Promise<void> {
    if (!this.#over) await this.#end('rollback');
  }

  isForgotten(now: number, maxIdleMs: number): boolean {
    return this.#open === 0 && now - this.lastActive > maxIdleMs;
  }

  abandon(): void {
    this.#end('rollback')?.catch(() => {});
  }

  /** The next turn's statements travel right behind this one's end, so it need not be awaited to let them go. */
  #end(type: 'commit' | 'rollback'): Promise<SqliteAnswer> | undefined {
    this.#over = true;
    const answer = this.#begun ? this.#channel.call({ type }) : undefined;
    this.#release();
    return answer;
  }
}
