/** Finds lines that have some words in them, a part at a time: fifty megabytes at once would hold the page up for half a second. */
import type { LogLine } from './log-book.ts';

/** A few milliseconds of work. */
export const LINES_AT_ONCE = 10_000;

export class HitScan {
  #search = '';
  #pattern: RegExp | undefined;
  #scanned = 0;
  #last: LogLine | undefined;
  #hits: number[] = [];

  get hits(): readonly number[] {
    return this.#hits;
  }

  /** True: all of them were looked at. Lines that came behind those of before are looked at, and no other again. */
  advance(lines: readonly LogLine[], search: string): boolean {
    const isAnew = search !== this.#search || lines[this.#scanned - 1] !== this.#last;
    if (isAnew) this.#begin(search);
    const pattern = this.#pattern;
    if (!pattern) return true;
    const end = Math.min(lines.length, this.#scanned + LINES_AT_ONCE);
    for (let at = this.#scanned; at < end; at += 1) if (pattern.test(lines[at]?.text ?? '')) this.#hits.push(at);
    this.#scanned = end;
    this.#last = lines[end - 1];
    return end === lines.length;
  }

  #begin(search: string): void {
    this.#search = search;
    this.#pattern = search === '' ? undefined : new RegExp(search.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
    this.#scanned = 0;
    this.#last = undefined;
    this.#hits = [];
  }
}
