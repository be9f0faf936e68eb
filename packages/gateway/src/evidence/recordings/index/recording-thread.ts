/** The gateway's end of the way to a thread that plays recordings. A thread that hangs or runs out of memory is ended, and the next job gets a new one. */
import { Worker } from 'node:worker_threads';
import { errorMessage } from '@gatehouse/contract/std/error-message';
import { AppError } from '../../../platform/std/app-error.ts';
import type { Log } from '../../../platform/std/log.ts';
import { Silence } from '../../../platform/std/silence.ts';
import { workerUrl } from '../../../platform/std/worker-url.ts';
import { WorkerCalls } from '../../../platform/threads/worker-calls.ts';
import type { RecordingSource } from '../stores/recording-store.ts';
import type { Checkpoint, FromThread, Job, JobResults, ToThread } from './thread-messages.ts';

/** Terminals, their rows and a window of the file; more than this is a recording gone wrong. */
const MAX_MEGABYTES = 256;
const MAX_WAITING = 64;
/**
 * It leaves by itself, between two things that it does: one that is ended from outside while it begins to pack something takes the whole
 * gateway with it (an assertion of Node in `zstdCompressSync`).
 */
const LEAVE_MS = 2_000;

export interface RecordingThreadOptions {
  name: string;
  /** Gives way to everything else. */
  background: boolean;
  /** Without a sign of life for so long it is taken for hung. */
  silenceMs: number;
  log: Log;
}

interface Running {
  source: RecordingSource;
  onCheckpoint(checkpoint: Checkpoint): Promise<void>;
}

export class RecordingThread {
  readonly #options: RecordingThreadOptions;
  readonly #jobs = new WorkerCalls<unknown, Running>();
  #worker: Worker | undefined;
  #exited: Promise<void> = Promise.resolve();
  readonly #silence: Silence;
  #closed = false;

  constructor(options: RecordingThreadOptions) {
    this.#options = options;
    this.#silence = new Silence({
      silenceMs: options.silenceMs,
      isBusy: () => this.#jobs.size > 0,
      onHung: () => {
        options.log.warn({ thread: options.name }, 'a thread that plays recordings hangs and is ended');
        void this.#worker?.terminate();
      },
    });
  }

  get waiting(): number {
    return this.#jobs.size;
  }

  warm(): void {
    if (!this.#closed) this.#worker ??= this.#start();
  }

  /** The source stays the caller's to close. */
  async run<J extends Job>(
    job: J,
    source: RecordingSource,
    onCheckpoint: (checkpoint: Checkpoint) => Promise<void> = async () => {},
  ): Promise<JobResults[J['type']]> {
    if (this.#closed) throw new AppError('unavailable', 'the gateway is closing');
    if (this.#jobs.size >= MAX_WAITING)
      throw new AppError('too_many', 'too many recordings are looked at: try again in a moment');
    this.#worker ??= this.#start();
    this.#silence.heard();
    const send = (id: number) => this.#tell({ type: 'job', id, job, bytes: source.bytes });
    return (await this.#jobs.call(send, { source, onCheckpoint })) as JobResults[J['type']];
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#silence.stop();
    // What is under way is made again by the next gateway from its last checkpoint.
    this.#tell('close');
    const tooLate = setTimeout(() => void this.#worker?.terminate(), LEAVE_MS);
    await this.#exited;
    clearTimeout(tooLate);
  }

  #start(): Worker {
    const { name, background, log } = this.#options;
    const worker = new Worker(workerUrl('recording-worker', import.meta.url), {
      name,
      workerData: { background },
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES },
    });
    worker.unref();
    worker.on('message', (message: FromThread) => void this.#take(message));
    worker.on('error', (error) => log.warn({ error }, 'a thread that plays recordings failed'));
    this.#exited = new Promise((resolve) => {
      worker.on('exit', () => {
        this.#silence.stop();
        if (this.#worker === worker) this.#worker = undefined;
        this.#jobs.rejectAll(new Error('the thread that plays recordings ended'));
        resolve();
      });
    });
    return worker;
  }

  #tell(message: ToThread, moved: ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, moved);
  }

  async #take(message: FromThread): Promise<void> {
    this.#silence.heard();
    const job = this.#jobs.about(message.id);
    switch (message.type) {
      case 'read':
        return await this.#read(message, job);
      case 'checkpoint':
        try {
          await job?.onCheckpoint(message.checkpoint);
          this.#tell({ type: 'kept', id: message.id });
        } catch (error) {
          this.#jobs.reject(message.id, error instanceof Error ? error : new Error(String(error)));
          // It waits for an answer that will not come.
          await this.#worker?.terminate();
        }
        return;
      case 'done':
        return this.#jobs.resolve(message.id, message.result);
      case 'failed':
        return this.#jobs.reject(message.id, new Error(message.error));
      default:
        message satisfies never;
    }
  }

  async #read({ call, from, length }: Extract<FromThread, { type: 'read' }>, job: Running | undefined): Promise<void> {
    try {
      if (!job) throw new Error('nobody waits for it any more');
      const read = await job.source.read(from, length);
      const bytes = new Uint8Array(read);
      this.#tell({ type: 'bytes', call, bytes }, [bytes.buffer]);
    } catch (error) {
      this.#tell({ type: 'lost', call, error: errorMessage(error) });
    }
  }
}
