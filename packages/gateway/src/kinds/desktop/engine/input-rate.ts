/** How much may be typed and moved: more than hands can, less than a host could be drowned by. */

export const MAX_EVENTS_PER_SECOND = 2_000;

export class InputRate {
  readonly #now: () => number;
  #left = MAX_EVENTS_PER_SECOND;
  #since: number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  /** False: they are passed over. */
  take(events: number): boolean {
    const now = this.#now();
    this.#left = Math.min(MAX_EVENTS_PER_SECOND, this.#left + ((now - this.#since) * MAX_EVENTS_PER_SECOND) / 1000);
    this.#since = now;
    if (events > this.#left) return false;
    this.#left -= events;
    return true;
  }
}
