/** Lines of several containers in the order of their times, as many as fit. What containers write is theirs, and may be anything. */

export interface LogLine {
  /** As the cluster stamped it; empty where it did not. */
  at: string;
  /** Which of the containers. */
  source: number;
  text: string;
}

/** Characters; the oldest lines go. */
export const MAX_LOG = 50_000_000;
/** Browsers draw nothing that is further down than some millions of pixels. */
export const MAX_LINES = 500_000;
/** A longer line is cut: nobody reads it to its end here, and it would not be drawn. */
export const MAX_LINE = 16_384;

const STAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z) /;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const COLOURS = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b./g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export class LogBook {
  readonly #max: number;
  /** What came of a line whose end has not. */
  readonly #rests = new Map<number, string>();
  #lines: LogLine[] = [];
  #size = 0;
  /** How many went because they were too many. */
  dropped = 0;

  constructor(max = MAX_LOG) {
    this.#max = max;
  }

  get lines(): readonly LogLine[] {
    return this.#lines;
  }

  get size(): number {
    return this.#size;
  }

  /** A piece of what one container wrote: it may begin and end anywhere. */
  add(source: number, piece: string): void {
    const parts = ((this.#rests.get(source) ?? '') + piece).split('\n');
    const rest = parts.pop() ?? '';
    // A line without an end is not kept waiting for it for ever.
    if (rest.length > MAX_LINE) parts.push(rest.slice(0, MAX_LINE));
    this.#rests.set(source, rest.length > MAX_LINE ? '' : rest);
    this.#take(parts.map((text) => readLine(source, text)));
  }

  /** What one container wrote comes once more, from where it is read now. */
  beginAnew(source: number): void {
    this.#rests.delete(source);
    const gone = this.#lines.filter((line) => line.source === source);
    for (const { text } of gone) this.#size -= text.length;
    if (gone.length > 0) this.#lines = this.#lines.filter((line) => line.source !== source);
  }

  /** Nothing more comes of it. */
  end(source: number): void {
    const rest = this.#rests.get(source) ?? '';
    this.#rests.delete(source);
    if (rest !== '') this.#take([readLine(source, rest)]);
  }

  #take(lines: readonly LogLine[]): void {
    const [first] = lines;
    if (!first) return;
    // Mostly it is newer than all there is; else it goes between the last ones.
    let from = this.#lines.length;
    while (from > 0 && isLater(this.#lines[from - 1], first)) from -= 1;
    const newer = this.#lines.splice(from);
    // One after the other: a piece of many lines is longer than a call takes arguments.
    for (const line of merged(newer, lines)) this.#lines.push(line);
    for (const { text } of lines) this.#size += text.length;
    this.#forget();
  }

  #forget(): void {
    if (this.#size <= this.#max && this.#lines.length <= MAX_LINES) return;
    // Some more than must be, so that it is not done for each line.
    const wanted = this.#max * 0.9;
    let gone = 0;
    while (gone < this.#lines.length && (this.#size > wanted || this.#lines.length - gone > MAX_LINES * 0.9)) {
      this.#size -= this.#lines[gone]?.text.length ?? 0;
      gone += 1;
    }
    this.#lines = this.#lines.slice(gone);
    this.dropped += gone;
  }
}

export function readLine(source: number, given: string): LogLine {
  const [stamp, at = ''] = STAMP.exec(given) ?? [''];
  const text = given.slice(stamp.length, stamp.length + MAX_LINE);
  return { at, source, text: plainText(text) };
}

/** Without colours, and without what would be drawn as something else than it is. */
export function plainText(text: string): string {
  return text.replace(/\r$/, '').replaceAll(COLOURS, '').replaceAll(CONTROLS, '�');
}

function isLater(line: LogLine | undefined, than: LogLine): boolean {
  return line !== undefined && than.at !== '' && line.at > than.at;
}

function merged(a: readonly LogLine[], b: readonly LogLine[]): LogLine[] {
  const all: LogLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]];
    if (left && (!right || !isLater(left, right))) {
      all.push(left);
      i += 1;
    } else if (right) {
      all.push(right);
      j += 1;
    }
  }
  return all;
}

export type LogLevel = 'error' | 'warn' | undefined;

/** By the first word that says so, near the beginning. */
export function levelOf({ text }: LogLine): LogLevel {
  const [, word] = /\b(ERROR|ERR|FATAL|PANIC|CRITICAL|WARN|WARNING)\b/i.exec(text.slice(0, 120)) ?? [];
  if (word === undefined) return undefined;
  return word.toUpperCase().startsWith('WARN') ? 'warn' : 'error';
}
