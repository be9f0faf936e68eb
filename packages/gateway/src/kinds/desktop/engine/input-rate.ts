/** How much may be typed and moved: more than hands can, less than a host could be drowned by. */

export const MAX_EVENTS_PER_SECOND = 2_000;
/** No hand drags an edge as fast. Each makes pages, recordings and who draws them begin anew, and repeats what was said at first. */
export const MAX_SIZES_PER_SECOND = 20;

export class InputRate {
  readonly #now: () => number;
  readonly #perSecond: number;
  #left: number;
  #since: number;

  constructor({ perSecond = MAX_EVENTS_PER_SECOND, now = () => performance.now() } = {}) {
    this.#now = now;
    this.#perSecond = perSecond;
    this.#left = perSecond;
    this.#since = now();
  }

  /** False: they are passed over. */
  take(events: number): boolean {
    const now = this.#now();
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#since) * this.#perSecond) / 1000);
    this.#since = now;
    if (events > this.#left) return false;
    this.#left -= events;
    return true;
  }
}
