/** Notices that a thread which has work gives no sign of life any more. */

export interface SilenceOptions {
  /** Without a sign of life for so long it is taken for hung. */
  silenceMs: number;
  isBusy(): boolean;
  onHung(): void;
}

export class Silence {
  readonly #options: SilenceOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SilenceOptions) {
    this.#options = options;
  }

  /** A sign of life, or the beginning of work. */
  heard(): void {
    clearTimeout(this.#timer);
    const { silenceMs, isBusy, onHung } = this.#options;
    this.#timer = setTimeout(() => {
      if (isBusy()) onHung();
    }, silenceMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
