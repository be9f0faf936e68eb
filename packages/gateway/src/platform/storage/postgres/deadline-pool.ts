/** Connections to PostgreSQL that are given up when they do not answer in time, and with them all that may be as dead. */
import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { StoreDownError } from '../errors.ts';
import { deadlineOr } from '../query-deadline.ts';

interface DeadlineOptions {
  usualMs: number;
  onLost(error: Error): void;
  /** Of every statement that failed, and every connection that could not be had. */
  onError?(error: unknown): void;
}

export class DeadlinePool implements PostgresPool {
  readonly #pool: pg.Pool;
  readonly #options: DeadlineOptions;
  readonly #held = new WeakMap<pg.PoolClient, HeldClient>();
  /** When the last statement was sent that got no answer. Whatever has not answered since may hang on the same dead line. */
  #lostAt = 0;

  constructor(pool: pg.Pool, options: DeadlineOptions) {
    this.#pool = pool;
    this.#options = options;
    pool.on('connect', (client) => this.#hold(client));
  }

  async connect(): Promise<PostgresPoolClient> {
    const until = performance.now() + deadlineOr(this.#options.usualMs);
    for (;;) {
      const client = await this.#take(until - performance.now()).catch((error: unknown) => {
        this.#options.onError?.(error);
        throw error;
      });
      const held = this.#hold(client);
      if (held.answered >= this.#lostAt) return held;
      client.release(true);
    }
  }

  get options(): pg.Pool['options'] {
    return this.#pool.options;
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  async #take(withinMs: number): Promise<pg.PoolClient> {
    const taken = this.#pool.connect();
    const late = lateAfter(withinMs, 'no connection to the database could be had in time');
    try {
      return await Promise.race([taken, late.promise]);
    } catch (error) {
      // It may still come, and must not be lost to the pool then.
      taken.then(
        (client) => client.release(),
        () => {},
      );
      throw error;
    } finally {
      late.cancel();
    }
  }

  #hold(client: pg.PoolClient): HeldClient {
    const known = this.#held.get(client);
    if (known) return known;
    const held = new HeldClient(client, {
      usualMs: this.#options.usualMs,
      onLost: (sent, error) => {
        this.#lostAt = Math.max(this.#lostAt, sent);
        this.#options.onLost(error);
      },
      onError: (error) => this.#options.onError?.(error),
    });
    this.#held.set(client, held);
    return held;
  }
}

interface HeldOptions {
  usualMs: number;
  onLost(sent: number, error: Error): void;
  onError(error: unknown): void;
}

/** One connection as Kysely uses it: given back when it answered, dropped when it did not. */
class HeldClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #usualMs: number;
  readonly #onLost: (sent: number, error: Error) => void;
  readonly #onError: (error: unknown) => void;
  #lost: Error | undefined;
  /** What the database itself allows a statement on this connection. */
  #allowedMs: number;
  answered = performance.now();

  constructor(client: pg.PoolClient, { usualMs, onLost, onError }: HeldOptions) {
    this.#client = client;
    this.#usualMs = usualMs;
    this.#allowedMs = usualMs;
    this.#onLost = onLost;
    this.#onError = onError;
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: object): R;
  query(text: unknown, parameters: readonly unknown[] = []): unknown {
    if (typeof text !== 'string') throw new Error('cursors are not used here: they would have no deadline');
    return this.#run(text, parameters);
  }

  release(discard?: boolean): void {
    // One that allows other times than usual would surprise its next owner.
    this.#client.release(discard || this.#lost !== undefined || this.#allowedMs !== this.#usualMs);
  }

  async #run(text: string, parameters: readonly unknown[]): Promise<unknown> {
    const ms = deadlineOr(this.#usualMs);
    // A shorter one is only ours: the database need not know of it.
    if (ms > this.#usualMs && ms !== this.#allowedMs) {
      await this.#send(`set statement_timeout = ${Math.ceil(ms)}`, [], ms);
      this.#allowedMs = ms;
    }
    const result = await this.#send(text, parameters, ms);
    // The setting went with the transaction in which it was made.
    if (text === 'rollback' && this.#allowedMs !== this.#usualMs) this.#allowedMs = UNKNOWN;
    return result;
  }

  async #send(text: string, parameters: readonly unknown[], ms: number): Promise<unknown> {
    if (this.#lost) throw this.#lost;
    const sent = performance.now();
    const answer = this.#client.query(text, [...parameters]);
    // The database ends the statement itself where it is alive: a little later than that, nobody is there.
    const late = lateAfter(
      ms < this.#usualMs ? ms : ms + GRACE_MS,
      `the database did not answer within ${Math.round(ms / 1000)} s`,
    );
    try {
      const result = await Promise.race([answer, late.promise]);
      this.answered = performance.now();
      return result;
    } catch (error) {
      if (error === late.error) {
        answer.catch(() => {});
        this.#lost = late.error;
        this.#onLost(sent, late.error);
      } else if (isTold(error)) this.answered = performance.now();
      this.#onError(error);
      throw error;
    } finally {
      late.cancel();
    }
  }
}

const GRACE_MS = 500;
const UNKNOWN = -1;

/** An error of the database is an answer too; one of the connection is none. */
function isTold(error: unknown): boolean {
  return error instanceof Error && 'severity' in error;
}

function lateAfter(ms: number, words: string): { promise: Promise<never>; error: Error; cancel(): void } {
  const error = new StoreDownError(words);
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(error), Math.max(ms, 0));
  return { promise, error, cancel: () => clearTimeout(timer) };
}
