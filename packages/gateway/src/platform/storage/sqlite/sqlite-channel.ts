/** The gateway's end of the way to a SQLite connection: sends requests in batches, one per turn of the event loop, and pairs the replies. */
import { Worker } from 'node:worker_threads';
import { workerUrl } from '../../std/worker-url.ts';
import { SqliteError, StoreDownError } from '../errors.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteAnswer, SqliteConnectionOptions, SqliteReply, SqliteRequest } from './sqlite-messages.ts';

/** Beyond this many waiting calls the store is overloaded, and a quick refusal is kinder than a growing queue. */
const MAX_PENDING = 20_000;

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
export type SqliteCall = WithoutId<SqliteRequest>;

interface Pending {
  resolve(answer: SqliteAnswer): void;
  reject(error: Error): void;
}

/** What carries the batches: a thread, or nothing at all for a store in memory. */
interface Carrier {
  send(batch: SqliteRequest[]): void;
  close(): Promise<void>;
}

export class SqliteChannel {
  readonly #carrier: Carrier;
  readonly #pending = new Map<number, Pending>();
  readonly #onFailure: (error: Error) => void;
  /** Hears of every statement that failed, beside whoever asked for it. */
  onError: (error: Error) => void = () => {};
  #outgoing: SqliteRequest[] = [];
  #lastId = 0;
  #down: Error | undefined;
  #closed = false;

  constructor(
    carry: (receive: (replies: SqliteReply[]) => void, fail: (error: Error) => void) => Carrier,
    onFailure: (error: Error) => void,
  ) {
    this.#onFailure = onFailure;
    this.#carrier = carry(
      (replies) => this.#receive(replies),
      (error) => this.#fail(error),
    );
  }

  get pending(): number {
    return this.#pending.size;
  }

  call(call: SqliteCall): Promise<SqliteAnswer> {
    if (this.#down) return Promise.reject(this.#down);
    if (this.#pending.size >= MAX_PENDING) {
      return Promise.reject(new StoreDownError(`the store is overloaded: ${MAX_PENDING} calls are waiting`));
    }
    this.#lastId += 1;
    const id = this.#lastId;
    if (this.#outgoing.length === 0) queueMicrotask(() => this.#flush());
    this.#outgoing.push({ ...call, id });
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  /** What was called before is still answered. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#flush();
    this.#down ??= new StoreDownError('the store is closed');
    await this.#carrier.close();
    this.#rejectPending(this.#down);
  }

  #flush(): void {
    const batch = this.#outgoing;
    this.#outgoing = [];
    if (batch.length > 0 && !this.#down) this.#carrier.send(batch);
  }

  #receive(replies: SqliteReply[]): void {
    // Under `node --watch` the runtime sends notices of its own through the same port.
    if (!Array.isArray(replies)) return;
    for (const reply of replies) {
      const pending = this.#pending.get(reply.id);
      this.#pending.delete(reply.id);
      if ('answer' in reply) pending?.resolve(reply.answer);
      else {
        const error = errorFrom(reply.error);
        pending?.reject(error);
        this.onError(error);
      }
    }
  }

  #fail(error: Error): void {
    if (this.#down) return;
    this.#down = new StoreDownError(`the store's thread ended: ${error.message}`, { cause: error });
    this.#rejectPending(this.#down);
    this.#onFailure(this.#down);
  }

  #rejectPending(error: Error): void {
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of waiting) pending.reject(error);
  }
}

/** A connection in a thread of its own. Resolves when the file is open. */
export async function openThreadChannel(
  options: SqliteConnectionOptions,
  onFailure: (error: Error) => void,
): Promise<SqliteChannel> {
  const worker = new Worker(workerUrl('sqlite-worker', import.meta.url), {
    workerData: options,
    name: options.readOnly ? 'sqlite-reader' : 'sqlite-writer',
  });
  const opened = Promise.withResolvers<void>();
  const exited = Promise.withResolvers<void>();
  const channel = new SqliteChannel(
    (receive, fail) => {
      worker.on('message', receive);
      worker.on('messageerror', fail);
      worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))));
      worker.on('exit', (code) => {
        fail(new Error(`exit code ${code}`));
        exited.resolve();
      });
      return {
        send: (batch) => worker.postMessage(batch),
        async close() {
          worker.postMessage('close');
          await exited.promise;
        },
      };
    },
    (error) => {
      opened.reject(error.cause);
      onFailure(error);
    },
  );
  // The thread's first message says that the file is open.
  worker.once('message', () => opened.resolve());
  await opened.promise;
  return channel;
}

/** A connection in this thread, for a store in memory: nothing there is slow enough to need another. */
export function openMemoryChannel(): SqliteChannel {
  return openHereChannel({ file: ':memory:', readOnly: false });
}

/** A connection in the thread that calls: it holds that thread up while it works. */
export function openHereChannel(options: SqliteConnectionOptions): SqliteChannel {
  const connection = new SqliteConnection(options);
  return new SqliteChannel(
    (receive) => ({
      send: (batch) => connection.run(batch, receive),
      close: async () => connection.close(),
    }),
    () => {},
  );
}

function errorFrom({ message, errcode }: { message: string; errcode: number | undefined }): Error {
  return errcode === undefined ? new Error(message) : new SqliteError(message, errcode);
}
