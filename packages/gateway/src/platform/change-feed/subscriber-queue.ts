/** One subscriber's waiting changes: handed over one at a time, in order, at the subscriber's own pace. */
import type { Log } from '../std/log.ts';
import { isStoreDown } from '../storage/errors.ts';
import { withDeadline } from '../storage/query-deadline.ts';
import type { Change } from './change-store.ts';

/** A subscriber this far behind reloads everything sooner than it could catch up. */
const MAX_WAITING = 10_000;
/** What a subscriber reads to take a change in is waited for less patiently than usual: a revocation hangs on it. */
const DEADLINE_MS = 10_000;
const RETRY_MS = 500;

export interface Subscriber {
  /** Called for each change once, in commit order, and not again before it has returned. */
  change(change: Change): void | Promise<void>;
  /** Changes were missed for good: whatever was built from them must be reloaded. */
  gap(): void | Promise<void>;
}

export class SubscriberQueue {
  readonly #topics: ReadonlySet<string> | undefined;
  readonly #subscriber: Subscriber;
  readonly #log: Log;
  readonly #clock: () => number;
  #waiting: (Change | 'gap')[] = [];
  #position: number;
  #draining: Promise<void> | undefined;
  #held: boolean;
  #closed = false;
  #failingSince: number | undefined;

  /** `after` is the last change the subscriber knows. A held queue collects, and hands over nothing until released. */
  constructor(
    topics: readonly string[] | undefined,
    subscriber: Subscriber,
    { after, held, log, clock }: { after: number; held: boolean; log: Log; clock: () => number },
  ) {
    this.#topics = topics && new Set(topics);
    this.#subscriber = subscriber;
    this.#position = after;
    this.#held = held;
    this.#log = log;
    this.#clock = clock;
  }

  /** Since when the store has not let it take in what it heard. */
  get failingSince(): number | undefined {
    return this.#failingSince;
  }

  offer(change: Change): void {
    if (change.position <= this.#position) return;
    this.#position = change.position;
    if (this.#topics && !this.#topics.has(change.topic)) return;
    if (this.#waiting.length >= MAX_WAITING) this.offerGap();
    else this.#waiting.push(change);
    this.#drain();
  }

  offerGap(): void {
    this.#waiting = ['gap'];
    this.#drain();
  }

  /** Puts what was read from the store before everything that was collected meanwhile, and lets go. */
  release(earlier: readonly (Change | 'gap')[]): void {
    const wanted = earlier.filter((item) => item === 'gap' || !this.#topics || this.#topics.has(item.topic));
    this.#waiting = [...wanted, ...this.#waiting];
    this.#held = false;
    this.#drain();
  }

  close(): void {
    this.#closed = true;
    this.#waiting = [];
  }

  async settled(): Promise<void> {
    while (this.#draining) await this.#draining;
  }

  #drain(): void {
    if (this.#held || this.#draining || this.#waiting.length === 0) return;
    this.#draining = this.#handOver().finally(() => {
      this.#draining = undefined;
      this.#drain();
    });
  }

  async #handOver(): Promise<void> {
    // Away from whoever offered: a subscriber must not run inside the feed's own loop.
    await Promise.resolve();
    while (!this.#closed && this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      for (const item of batch) {
        if (this.#closed) return;
        if (await this.#tell(item)) continue;
        await this.#tryAgain();
        // A reload takes in whatever else had come by then.
        break;
      }
    }
  }

  /** What could not be taken in because the store was gone is lost to the subscriber: it reloads, as soon as it can. */
  async #tryAgain(): Promise<void> {
    this.#failingSince ??= this.#clock();
    do {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS).unref());
      this.#waiting = [];
    } while (!this.#closed && !(await this.#tell('gap')));
    this.#failingSince = undefined;
  }

  /** False when the store did not let it. */
  async #tell(item: Change | 'gap'): Promise<boolean> {
    try {
      await withDeadline(DEADLINE_MS, async () => {
        if (item === 'gap') await this.#subscriber.gap();
        else await this.#subscriber.change(item);
      });
      return true;
    } catch (error) {
      const topic = item === 'gap' ? 'gap' : item.topic;
      this.#log.error({ error, topic }, 'a subscriber failed on a change');
      return !isStoreDown(error);
    }
  }
}
