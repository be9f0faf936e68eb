/** One subscriber's waiting changes: handed over one at a time, in order, at the subscriber's own pace. */
import type { Log } from '../std/log.ts';
import type { Change } from './change-store.ts';

/** A subscriber this far behind reloads everything sooner than it could catch up. */
const MAX_WAITING = 10_000;

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
  #waiting: (Change | 'gap')[] = [];
  #position: number;
  #draining: Promise<void> | undefined;
  #held: boolean;
  #closed = false;

  /** `after` is the last change the subscriber knows. A held queue collects, and hands over nothing until released. */
  constructor(
    topics: readonly string[] | undefined,
    subscriber: Subscriber,
    { after, held, log }: { after: number; held: boolean; log: Log },
  ) {
    this.#topics = topics && new Set(topics);
    this.#subscriber = subscriber;
    this.#position = after;
    this.#held = held;
    this.#log = log;
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
        await this.#tell(item);
      }
    }
  }

  async #tell(item: Change | 'gap'): Promise<void> {
    try {
      if (item === 'gap') await this.#subscriber.gap();
      else await this.#subscriber.change(item);
    } catch (error) {
      const topic = item === 'gap' ? 'gap' : item.topic;
      this.#log.error({ error, topic }, 'a subscriber failed on a change');
    }
  }
}
