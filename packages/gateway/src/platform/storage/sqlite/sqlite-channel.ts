/** The gateway's end of the way to a SQLite connection: sends requests in batches, one per turn of the event loop, and pairs the replies. */
import { Worker } from 'node:worker_threads';
import { workerUrl } from '../../std/worker-url.ts';
import { WorkerCalls } from '../../threads/worker-calls.ts';
import { SqliteError, StoreDownError } from '../errors.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteAnswer, SqliteConnectionOptions, SqliteReply, SqliteRequest } from './sqlite-messages.ts';

/** Beyond this many waiting calls the store is overloaded, and a quick refusal is kinder than a growing queue. */
const MAX_PENDING = 20_000;

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
export type SqliteCall = WithoutId<SqliteRequest>;

/** What carries the batches: a thread, or nothing at all for a store in memory. */
interface Carrier {
  send(batch: SqliteRequest[]): void;
  close(): Promise<void>;
}

export class SqliteChannel {
  readonly #carrier: Carrier;
  readonly #calls = new WorkerCalls<SqliteAnswer>();
  readonly #onFailure: (error: Error) => void;
  /** Hears of every statement that failed, beside whoever asked for it. */
  onError: (error: Error) => void = () => {};
  #outgoing: SqliteRequest[] = [];
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
    return this.#calls.size;
  }

  call(call: SqliteCall): Promise<SqliteAnswer> {
    if (this.#down) return Promise.reject(this.#down);
    if (this.#calls.size >= MAX_PENDING) {
      return Promise.reject(new StoreDownError(`the store is overloaded: ${MAX_PENDING} calls are waiting`));
    }
    if (this.#outgoing.length === 0) queueMicrotask(() => this.#flush());
    return this.#calls.call((id) => this.#outgoing.push({ ...call, id }));
  }

  /** What was called before is still answered. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#flush();
    this.#down ??= new StoreDownError('the store is closed');
    await this.#carrier.close();
    this.#calls.rejectAll(this.#down);
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
      if ('answer' in reply) this.#calls.resolve(reply.id, reply.answer);
      else {
        const error = errorFrom(reply.error);
        this.#calls.reject(reply.id, error);
        this.onError(error);
      }
    }
  }

  #fail(error: Error): void {
    if (this.#down) return;
    this.#down = new StoreDownError(`the store's thread ended: ${error.message}`, { cause: error });
    this.#calls.rejectAll(this.#down);
    this.#onFailure(this.#down);
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
export function openMemoryChannel(image?: Uint8Array): SqliteChannel {
  return openHereChannel({ file: ':memory:', readOnly: false, image });
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
