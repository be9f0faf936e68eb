/** Statements of a recording with what came of each, put together from its items as they come. */
import type { PlayedItem } from '@gatehouse/contract/recordings/recordings';

type AskedItem = Extract<PlayedItem, { type: 'asked' }>;
type AnsweredItem = Extract<PlayedItem, { type: 'answered' }>;
type SampleItem = Extract<PlayedItem, { type: 'sample' }>;

export interface RunStatement {
  asked: AskedItem;
  /** Absent while nobody has answered; for good where the session ended before. */
  answered: AnsweredItem | undefined;
  sample: SampleItem | undefined;
}

export class RunStatements {
  #runs: readonly RunStatement[] = [];
  #moments: readonly PlayedItem[] = [];
  readonly #places = new Map<number, number>();
  /** What a page holds of them, about. */
  characters = 0;
  /** How far it has come. */
  ms = 0;

  get runs(): readonly RunStatement[] {
    return this.#runs;
  }

  /** When something happened, in its order: what a player goes by. */
  get moments(): readonly PlayedItem[] {
    return this.#moments;
  }

  add(items: readonly PlayedItem[]): void {
    const runs = [...this.#runs];
    for (const item of items) {
      this.ms = Math.max(this.ms, item.ms);
      if (item.type === 'asked') {
        this.characters += item.text.length;
        this.#places.set(item.n, runs.length);
        runs.push({ asked: item, answered: undefined, sample: undefined });
        continue;
      }
      if (item.type !== 'answered' && item.type !== 'sample') continue;
      const place = this.#places.get(item.n);
      const run = place === undefined ? undefined : runs[place];
      if (place === undefined || !run) continue;
      runs[place] = item.type === 'answered' ? { ...run, answered: item } : { ...run, sample: item };
    }
    this.#runs = runs;
    this.#moments = [...this.#moments, ...items.filter(({ type }) => type !== 'sample')];
  }
}

export function hasFailed({ answered }: RunStatement): boolean {
  return answered?.error !== undefined;
}

/** Nobody looks for what only made a statement ready, unless it failed. */
export function isListed(run: RunStatement): boolean {
  return run.asked.what !== 'prepare' || hasFailed(run);
}

export interface StatementFilter {
  failedOnly: boolean;
  /** Those that took longer, in milliseconds. */
  slowerThan: number;
}

export function filterRuns(runs: readonly RunStatement[], { failedOnly, slowerThan }: StatementFilter): RunStatement[] {
  return runs.filter((run) => {
    if (!isListed(run) || (failedOnly && !hasFailed(run))) return false;
    return slowerThan === 0 || (run.answered?.took ?? 0) > slowerThan;
  });
}

/** All of these words are in its text, its values, or its error. */
export function hasWords({ asked, answered }: RunStatement, words: string): boolean {
  const wanted = wordsOf(words);
  if (wanted.length === 0) return false;
  const text = [asked.text, answered?.error ?? '', ...(asked.values ?? [])].join('\n').toLowerCase();
  return wanted.every((word) => text.includes(word));
}

const MAX_MARKS = 20;

/** Pairs of begin and length, of words in a line. */
export function marksIn(line: string, words: string): [number, number][] {
  const lower = line.toLowerCase();
  // Where lower case is longer or shorter than what it stands for, places could not be told.
  if (lower.length !== line.length) return [];
  const marks: [number, number][] = [];
  for (const word of wordsOf(words))
    for (let at = lower.indexOf(word); at >= 0 && marks.length < MAX_MARKS; at = lower.indexOf(word, at + word.length))
      marks.push([at, word.length]);
  return marks;
}

function wordsOf(words: string): string[] {
  return words.toLowerCase().split(/\s+/).filter(Boolean);
}

const LINE_CHARACTERS = 400;

/** A statement on one line. */
export function lineOf({ asked: { text } }: RunStatement): string {
  return text.slice(0, LINE_CHARACTERS).replaceAll(/\s+/g, ' ').trim();
}

/** The one that ran at a time: the last that was asked by then, or else the first. Asked of many, many times a second. */
export function runAt(runs: readonly RunStatement[], ms: number): RunStatement | undefined {
  let from = 0;
  let to = runs.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((runs[middle]?.asked.ms ?? 0) <= ms) from = middle + 1;
    else to = middle;
  }
  return runs[Math.max(0, from - 1)];
}

const TICK_MS = 1_000;

/** "0.6 ms", "214 ms", "2.3 s". */
export function tookText(ms: number): string {
  if (ms < 10) return `${Math.round(ms * 10) / 10} ms`;
  return ms < TICK_MS ? `${Math.round(ms)} ms` : `${(ms / TICK_MS).toFixed(1)} s`;
}
