/**
 * Finds the lines of a log that have some words in them, as it comes in pieces. Of a line without an end it keeps a part only: what a
 * container writes is its own, and may be two hundred megabytes without one.
 */
import { type LogHit, MAX_HIT_TEXT } from '@gatehouse/contract/kinds/kube/browse';

/** Characters of a line that are looked at together. */
export const MAX_HELD = 64 * 1024;
/** Of its beginning, which has the time. */
const STAMP = /^\d{4}-\d{2}-\d{2}T[\d:.]{8,18}Z /;
const MAX_STAMP = 40;
/** Pages show lines without them, and are searched without them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const COLOURS = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

export class LogFinder {
  readonly #pattern: RegExp;
  /** So much of a part is looked at with the next one: the words may begin in the one and end in the other. */
  readonly #overlap: number;
  #held = '';
  #stamp: string | undefined;
  #isFound = false;
  /** Lines whose end has come. */
  lines = 0;

  constructor(words: string) {
    this.#pattern = new RegExp(words.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i');
    this.#overlap = words.length;
  }

  *take(text: string): Generator<LogHit> {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      const hit = this.#look(this.#held + text.slice(from, end));
      if (hit) yield hit;
      from = end + 1;
      this.lines += 1;
      this.#held = '';
      this.#stamp = undefined;
      this.#isFound = false;
    }
    this.#held += from === 0 ? text : text.slice(from);
    if (this.#held.length <= MAX_HELD) return;
    const hit = this.#look(this.#held);
    if (hit) yield hit;
    this.#isFound ||= hit !== undefined;
    this.#held = this.#held.slice(-this.#overlap);
  }

  /** Nothing more comes: the last line may have no end. */
  *finish(): Generator<LogHit> {
    if (this.#held === '' && this.#stamp === undefined) return;
    const hit = this.#look(this.#held);
    if (hit) yield hit;
    this.lines += 1;
  }

  /** A line, or the next part of a long one. */
  #look(part: string): LogHit | undefined {
    const isFirst = this.#stamp === undefined;
    if (isFirst) this.#stamp = STAMP.exec(part.slice(0, MAX_STAMP))?.[0] ?? '';
    if (this.#isFound) return undefined;
    // Times are not what is looked for: the page finds nothing in them either.
    const stamp = this.#stamp ?? '';
    const written = isFirst ? part.slice(stamp.length) : part;
    const line = written.includes('\u001b') ? written.replaceAll(COLOURS, '') : written;
    const found = this.#pattern.exec(line);
    if (!found) return undefined;
    // The first of it where that has the words.
    const start = found.index + found[0].length <= MAX_HIT_TEXT ? 0 : found.index - MAX_HIT_TEXT / 2;
    return { line: this.lines, text: stamp + line.slice(start, start + MAX_HIT_TEXT) };
  }
}
