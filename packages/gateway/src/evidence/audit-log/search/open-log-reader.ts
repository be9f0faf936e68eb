/** The way to the threads that read the log. They are started when first needed: many gateways never search. */
import { Worker } from 'node:worker_threads';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { workerUrl } from '../../../platform/std/worker-url.ts';
import type { Storage, StoreSource } from '../../../platform/storage/storage.ts';
import { WorkerCalls } from '../../../platform/threads/worker-calls.ts';
import { type LogReads, logReads } from './log-reads.ts';
import type { LogAnswer } from './log-worker.ts';

/** One for a long check or count, one for the page somebody waits for. */
const THREADS = 2;
/** More searches than this at once are somebody's mistake, and a quick refusal is kinder than a growing queue. */
const MAX_WAITING = 64;

export interface LogReader extends LogReads {
  close(): Promise<void>;
}

export function openLogReader({ db, source }: Pick<Storage, 'db' | 'source'>, log: Log): LogReader {
  // A store in memory cannot be opened twice.
  if (!source) return { ...logReads(db), close: async () => {} };
  const threads = Array.from({ length: THREADS }, () => new ReaderThread(source, log));
  const ask = <Name extends keyof LogReads>(name: Name) =>
    ((query: unknown) => {
      const thread = threads.reduce((idlest, other) => (other.waiting < idlest.waiting ? other : idlest));
      return thread.ask(name, query);
    }) as LogReads[Name];
  return {
    search: ask('search'),
    counts: ask('counts'),
    follow: ask('follow'),
    verify: ask('verify'),
    async close() {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}

class ReaderThread {
  readonly #source: StoreSource;
  readonly #log: Log;
  readonly #calls = new WorkerCalls<unknown>();
  #worker: Worker | undefined;
  #exited: Promise<void> | undefined;
  #closed = false;

  constructor(source: StoreSource, log: Log) {
    this.#source = source;
    this.#log = log;
  }

  get waiting(): number {
    return this.#calls.size;
  }

  ask(name: keyof LogReads, query: unknown): Promise<unknown> {
    if (this.#closed) return Promise.reject(new AppError('unavailable', 'the gateway is closing'));
    if (this.#calls.size >= MAX_WAITING) {
      return Promise.reject(new AppError('too_many', 'too many searches at once: try again in a moment'));
    }
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    return this.#calls.call((id) => worker.postMessage({ id, name, query }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#worker?.postMessage('close');
    await this.#exited;
  }

  #start(): Worker {
    const worker = new Worker(workerUrl('log-worker', import.meta.url), {
      workerData: this.#source,
      name: 'log-reader',
    });
    worker.on('message', (answer: LogAnswer) => this.#answer(answer));
    worker.on('error', (error) => this.#log.error({ error }, 'a thread that reads the log failed'));
    this.#exited = new Promise((resolve) => {
      worker.on('exit', () => {
        this.#worker = undefined;
        this.#calls.rejectAll(new Error('the thread that reads the log ended'));
        resolve();
      });
    });
    return worker;
  }

  #answer(answer: LogAnswer): void {
    if ('result' in answer) this.#calls.resolve(answer.id, answer.result);
    else this.#calls.reject(answer.id, new Error(`the log could not be read: ${answer.error}`));
  }
}
