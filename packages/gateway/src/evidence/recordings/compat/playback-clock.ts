/** The time of a recording that is being played: as fast as somebody wants it, and standing while they pause. */

/** Later than this, in what they see, and time goes on from where the picture is: nobody is shown a minute in a blink because a machine was slow. */
const MAX_LATE_MS = 1_000;
/** Timers take no more. */
const MAX_SLEEP_MS = 2 ** 31 - 1;

export class PlaybackClock {
  #position = 0;
  /** When it was there. Undefined: it has not begun. */
  #since: number | undefined;
  #speed = 1;
  #isPaused = false;
  #isStopped = false;
  #wake = () => {};

  get speed(): number {
    return this.#speed;
  }

  set speed(speed: number) {
    this.#settle();
    this.#speed = speed;
    this.#wake();
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  toggle(): void {
    this.#settle();
    this.#isPaused = !this.#isPaused;
    this.#wake();
  }

  /** Nobody waits for anything any more. */
  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /** Waits for a time of the recording. False: it was stopped. */
  async reach(ms: number): Promise<boolean> {
    this.#since ??= performance.now();
    while (!this.#isStopped) {
      this.#settle();
      const left = (ms - this.#position) / this.#speed;
      if (!this.#isPaused && left <= 0) {
        if (-left > MAX_LATE_MS) this.#position = ms;
        return true;
      }
      await this.#sleep(this.#isPaused ? undefined : left);
    }
    return false;
  }

  #settle(): void {
    if (this.#since === undefined) return;
    const now = performance.now();
    if (!this.#isPaused) this.#position += (now - this.#since) * this.#speed;
    this.#since = now;
  }

  /** For one that waits: there is never another. */
  async #sleep(ms: number | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = ms === undefined ? undefined : setTimeout(resolve, Math.min(Math.ceil(ms), MAX_SLEEP_MS));
    await promise;
    clearTimeout(timer);
  }
}
