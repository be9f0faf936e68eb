/**
 * How far output runs ahead of what somebody's page has drawn: about as much as it draws in a tenth of a second. Whoever
 * presses Ctrl-C in a flood waits for what is under way, and a page draws short lines far slower than a network brings them.
 */
import { AHEAD_BYTES } from '@gatehouse/contract/sessions/terminal-frames';

/** More than a page draws before it says so. */
const MIN_BYTES = 192 * 1024;
const AHEAD_MS = 100;
const MEASURE_MS = 50;

export class SendWindow {
  #bytes = AHEAD_BYTES;
  /** Since when output waits for the page, and how much it has drawn since; undefined while nothing waits. */
  #waiting: { since: number; drawn: number } | undefined;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** There was more to send than may be under way. */
  full(): void {
    this.#waiting ??= { since: this.#now(), drawn: 0 };
  }

  drawn(bytes: number): void {
    if (!this.#waiting) return;
    this.#waiting.drawn += bytes;
    const ms = this.#now() - this.#waiting.since;
    if (ms < MEASURE_MS) return;
    const wanted = (this.#waiting.drawn / ms) * AHEAD_MS;
    this.#bytes = Math.min(AHEAD_BYTES, Math.max(MIN_BYTES, Math.round(wanted)));
    this.#waiting = undefined;
  }
}
