/**
 * How much a terminal may be made to do by what is printed, in cells it touches. Printed characters earn it, and what needs more
 * than was earned is passed over: a few bytes could hold a page, or the thread that draws all sessions, for minutes otherwise.
 * Counted and not timed: wherever the same output is played from its beginning, the same is passed over, however it is cut.
 */

/** A sequence may always do so much: more than clearing a screen of 200 × 60, or scrolling it by a line. */
const FREE = 1_024;
/** Clearing the largest screen again and again is earned by a line and a half of text each time. */
const PER_CHARACTER = 256;
/** What a program may do at once that has printed little: draw the largest screen anew, a dozen times. */
const MAX_EARNED = 8 * 1024 * 1024;

export class TerminalWork {
  #earned = MAX_EARNED;

  earn(characters: number): void {
    this.#earned = Math.min(MAX_EARNED, this.#earned + characters * PER_CHARACTER);
  }

  /** False: it is too much. */
  spend(cells: number): boolean {
    return this.spendAll(Math.max(0, cells - FREE));
  }

  /** Of which nothing is free. */
  spendAll(cells: number): boolean {
    if (cells > this.#earned) return false;
    this.#earned -= cells;
    return true;
  }

  refill(): void {
    this.#earned = MAX_EARNED;
  }
}
