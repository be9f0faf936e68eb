/** Tells this process what was committed, by itself or by any other gateway on the same database, in commit order. */
import type { Log } from '../std/log.ts';
import { toldError } from '../std/told-error.ts';
import { createTrouble, type Trouble } from '../std/trouble.ts';
import { startWakingClock } from '../std/waking-clock.ts';
import { isStoreDown, StoreDownError } from '../storage/errors.ts';
import { withDeadline } from '../storage/query-deadline.ts';
import type { Storage } from '../storage/storage.ts';
import { type Change, newestPosition, pruneChanges, readChanges } from './change-store.ts';
import { type Subscriber, SubscriberQueue } from './subscriber-queue.ts';

const PAGE = 500;
/** A reader further behind than this is told to reload instead. */
const MAX_CATCH_UP = 10_000;
/** Changes are looked for this often even when no notice of them arrives: notices get lost, and a store that is gone gives none. */
const POLL_MS = 1_000;
/** A read that takes longer waits for a connection that is dead: it is dropped, and another one is asked. */
const READ_DEADLINE_MS = 3_000;
const FIRST_RETRY_MS = 250;
/** From then on the poll is as often. */
const LAST_RETRY_MS = POLL_MS;
const PRUNE_EVERY_MS = 60_000;
const KEEP = { keepMs: 3_600_000, keepRows: 100_000 };

export interface ChangeFeed {
  /** Follows topics from now on, or from the change after a known position. */
  subscribe(topics: readonly string[] | 'all', subscriber: Subscriber, options?: { after?: number }): Subscription;
  /** The last change handed to the subscribers. */
  position(): number;
  /** For how long nothing could be heard: since the store was last read, or since some subscriber could not take in what it heard. */
  silentMs(): number;
  /** Resolves when everything committed before the call has been handled by every subscriber. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export interface Subscription {
  close(): void;
}

interface FeedOptions {
  storage: Pick<Storage, 'db' | 'engine' | 'probe' | 'watchChanges'>;
  log: Log;
  now: () => number;
}

export async function openChangeFeed({ storage, log, now }: FeedOptions): Promise<ChangeFeed> {
  const feed = new Feed({ storage, log, now }, await newestPosition(storage.db));
  feed.start();
  return feed;
}

class Feed implements ChangeFeed {
  readonly #options: FeedOptions;
  readonly #queues = new Set<SubscriberQueue>();
  readonly #timers: NodeJS.Timeout[] = [];
  #watch: { close(): Promise<void> } | undefined;
  #position: number;
  #reading: Promise<void> | undefined;
  #newsWhileReading = false;
  #retryMs = FIRST_RETRY_MS;
  readonly #trouble: Trouble;
  /** A flood that keeps us from asking must not pass for a store that does not answer. */
  readonly #clock = startWakingClock();
  #lastRead = this.#clock.now();
  #lastProbe = this.#clock.now();
  #probing = false;
  #closed = false;

  constructor(options: FeedOptions, position: number) {
    this.#options = options;
    this.#position = position;
    const { log, now } = options;
    const words = { begun: 'the database does not answer', over: 'the database answers again' };
    this.#trouble = createTrouble({ log, now, words });
  }

  start(): void {
    const { storage } = this.#options;
    this.#watch = storage.watchChanges(() => this.#wake());
    this.#timers.push(
      setInterval(() => {
        this.#wake();
        void this.#probe();
      }, POLL_MS).unref(),
    );
    this.#timers.push(setInterval(() => void this.#prune(), PRUNE_EVERY_MS).unref());
  }

  silentMs(): number {
    const failing = [...this.#queues].map(({ failingSince }) => failingSince ?? Number.POSITIVE_INFINITY);
    return this.#clock.now() - Math.min(this.#lastRead, this.#lastProbe, ...failing);
  }

  position(): number {
    return this.#position;
  }

  subscribe(topics: readonly string[] | 'all', subscriber: Subscriber, options?: { after?: number }): Subscription {
    const after = options?.after ?? this.#position;
    const behind = after < this.#position;
    const queue = new SubscriberQueue(topics === 'all' ? undefined : topics, subscriber, {
      after: Math.max(after, this.#position),
      held: behind,
      log: this.#options.log,
      clock: () => this.#clock.now(),
    });
    this.#queues.add(queue);
    if (behind) void this.#catchUp(queue, after, this.#position);
    return {
      close: () => {
        queue.close();
        this.#queues.delete(queue);
      },
    };
  }

  async settled(): Promise<void> {
    const target = await newestPosition(this.#options.storage.db);
    while (this.#position < target && !this.#closed) {
      this.#wake();
      await this.#reading;
    }
    await Promise.all([...this.#queues].map((queue) => queue.settled()));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    this.#clock.stop();
    await this.#watch?.close();
    await this.#reading;
    for (const queue of this.#queues) queue.close();
    this.#queues.clear();
  }

  #wake(): void {
    if (this.#closed) return;
    if (this.#reading) {
      this.#newsWhileReading = true;
      return;
    }
    this.#reading = this.#readOn().finally(() => {
      this.#reading = undefined;
      if (this.#newsWhileReading) this.#wake();
    });
  }

  async #readOn(): Promise<void> {
    const { storage, log } = this.#options;
    this.#newsWhileReading = false;
    try {
      for (let more = true; more && !this.#closed; ) {
        const { changes, missed } = await inTime(() => readChanges(storage.db, this.#position, PAGE));
        this.#lastRead = this.#clock.now();
        this.#retryMs = FIRST_RETRY_MS;
        this.#trouble.worked();
        if (missed) for (const queue of this.#queues) queue.offerGap();
        for (const change of changes) this.#deliver(change);
        more = changes.length === PAGE;
      }
    } catch (error) {
      if (this.#closed) return;
      if (isStoreDown(error)) this.#trouble.failed(toldError(error));
      else log.error({ error }, 'changes cannot be read');
      // The news is not lost: it is asked for again until the store answers.
      setTimeout(() => this.#wake(), this.#retryMs).unref();
      this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
    }
  }

  /** Reading goes on in the embedded store while its writing thread hangs; with a database, reading is proof enough. */
  async #probe(): Promise<void> {
    const { storage, log } = this.#options;
    if (storage.engine === 'postgres') this.#lastProbe = this.#clock.now();
    if (storage.engine === 'postgres' || this.#probing || this.#closed) return;
    this.#probing = true;
    try {
      await storage.probe();
      this.#lastProbe = this.#clock.now();
    } catch (error) {
      if (!this.#closed) log.error({ error }, 'the writing thread of the database does not answer');
    } finally {
      this.#probing = false;
    }
  }

  #deliver(change: Change): void {
    this.#position = change.position;
    for (const queue of this.#queues) queue.offer(change);
  }

  /** Reads what lies between the subscriber's position and the feed's; the rest reaches the held queue as it comes. */
  async #catchUp(queue: SubscriberQueue, after: number, until: number): Promise<void> {
    const { storage, log } = this.#options;
    const earlier: Change[] = [];
    try {
      for (let position = after; position < until; ) {
        const { changes, missed } = await inTime(() => readChanges(storage.db, position, PAGE));
        if (missed || earlier.length > MAX_CATCH_UP) return queue.release(['gap']);
        earlier.push(...changes.filter((change) => change.position <= until));
        position = changes.at(-1)?.position ?? until;
      }
      queue.release(earlier);
    } catch (error) {
      if (this.#closed) return;
      log.error({ error }, 'earlier changes cannot be read');
      queue.release(['gap']);
    }
  }

  async #prune(): Promise<void> {
    const { storage, log, now } = this.#options;
    try {
      await pruneChanges(storage.db, KEEP, now());
    } catch (error) {
      if (!this.#closed) log.warn({ error }, 'old changes cannot be dropped');
    }
  }
}

/** Its connection is given up when it is late; a store that has no connections to give up is not waited for either. */
async function inTime<T>(work: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new StoreDownError('the changes could not be read in time')),
    READ_DEADLINE_MS + 500,
  );
  try {
    return await Promise.race([withDeadline(READ_DEADLINE_MS, work), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
