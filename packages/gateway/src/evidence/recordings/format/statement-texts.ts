/** The statements of a recording as text: to be read, or a line of JSON for each. */
import type { RecordingSource } from '../stores/recording-store.ts';
import { findFrames, type RecordedFacts, type RecordedItem, readItems, UnreadableFrame } from './read-recording.ts';

/** Statements that wait for their answers, and characters of all their texts: with more, the oldest is told as one without an answer. */
const MAX_WAITING = 20_000;
const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024;

type AskedItem = Extract<RecordedItem, { type: 'asked' }>;
type AnsweredItem = Extract<RecordedItem, { type: 'answered' }>;
type SampleItem = Extract<RecordedItem, { type: 'sample' }>;

interface RunStatement {
  asked: AskedItem;
  answered: AnsweredItem | undefined;
  sample: SampleItem | undefined;
}

/** One line each, when it is answered; what was never answered comes last. */
export async function* toJsonLines(source: RecordingSource): AsyncGenerator<string> {
  for await (const { facts, runs } of runsIn(source)) {
    let lines = '';
    for (const run of runs) lines += `${JSON.stringify(toLine(run, facts))}\n`;
    if (lines) yield lines;
  }
}

/** As one would type them, each below a comment that says when and what came of it. What only prepared others is left out. A backslash means one thing to one server and another to `psql`, which also takes commands by it: texts with one are comments. */
export async function* toSqlText(source: RecordingSource): AsyncGenerator<string> {
  let hasHead = false;
  for await (const { facts, runs } of runsIn(source)) {
    let text = '';
    if (!hasHead && facts) text += headOf(facts);
    hasHead ||= facts !== undefined;
    for (const run of runs)
      if (run.asked.what !== 'prepare' || run.answered?.outcome.error !== undefined) text += toStatement(run, facts);
    if (text) yield text;
  }
}

/** By frame. Ends at the first that cannot be read: half of it is better than none. */
async function* runsIn(
  source: RecordingSource,
): AsyncGenerator<{ facts: RecordedFacts | undefined; runs: RunStatement[] }> {
  const waiting = new WaitingRuns();
  let facts: RecordedFacts | undefined;
  for await (const frame of findFrames(source)) {
    const items = await readItems(source, frame).catch((error: unknown) => {
      if (error instanceof UnreadableFrame) return undefined;
      throw error;
    });
    if (!items) break;
    const runs: RunStatement[] = [];
    for (const item of items) {
      if (item.type === 'facts') facts ??= item.facts;
      else if (item.type === 'asked') runs.push(...waiting.add(item));
      else if (item.type === 'sample') runs.push(...waiting.sampled(item));
      else if (item.type === 'answered') {
        const run = waiting.take(item.outcome.n);
        if (run) runs.push({ ...run, answered: item });
      }
    }
    if (runs.length > 0) yield { facts, runs };
  }
  yield { facts, runs: waiting.all() };
}

/** By their numbers, the oldest first. */
class WaitingRuns {
  readonly #runs = new Map<number, RunStatement>();
  #characters = 0;

  /** Gives those that there is no room for any more. */
  add(asked: AskedItem): RunStatement[] {
    // Numbers are whatever the file says: one that comes twice leaves nothing behind.
    const same = this.take(asked.n);
    const run = { asked, answered: undefined, sample: undefined };
    this.#runs.set(asked.n, run);
    this.#characters += charactersOf(run);
    return [...(same ? [same] : []), ...this.#crowdedOut()];
  }

  sampled(sample: SampleItem): RunStatement[] {
    const run = this.#runs.get(sample.n);
    if (!run) return [];
    this.#characters -= charactersOf(run);
    run.sample = sample;
    this.#characters += charactersOf(run);
    return this.#crowdedOut();
  }

  take(n: number): RunStatement | undefined {
    const run = this.#runs.get(n);
    if (!run) return undefined;
    this.#runs.delete(n);
    this.#characters -= charactersOf(run);
    return run;
  }

  all(): RunStatement[] {
    return [...this.#runs.values()];
  }

  #crowdedOut(): RunStatement[] {
    const out: RunStatement[] = [];
    for (const [n, run] of this.#runs) {
      if (this.#runs.size <= MAX_WAITING && this.#characters <= MAX_WAITING_CHARACTERS) break;
      this.take(n);
      out.push(run);
    }
    return out;
  }
}

function charactersOf({ asked, sample }: RunStatement): number {
  const texts = [...(asked.values ?? []), ...(sample ? [...sample.columns, ...sample.rows.flat()] : [])];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), asked.text.length);
}

function toLine({ asked, answered, sample }: RunStatement, facts: RecordedFacts | undefined): object {
  const { type: _, ms, ...statement } = asked;
  const { n: __, ms: took, ...outcome } = answered?.outcome ?? { n: 0, ms: undefined };
  return {
    time: new Date((facts?.started ?? 0) + ms).toISOString(),
    at: ms,
    ...statement,
    ...(answered ? { ok: answered.outcome.error === undefined, ms: took, ...outcome } : { ok: null }),
    ...(sample ? { sample: { columns: sample.columns, rows: sample.rows, cut: sample.cut } } : {}),
  };
}

function headOf({ sid, user, login, resource, database = '', protocol = '', started }: RecordedFacts): string {
  const where = [login, resource.name, database, protocol].map(inComment).join(' ');
  return `-- session ${inComment(sid)} of ${inComment(user)}: ${where}, ${new Date(started).toISOString()}\n`;
}

function toStatement({ asked, answered }: RunStatement, facts: RecordedFacts | undefined): string {
  const time = new Date((facts?.started ?? 0) + asked.ms).toISOString();
  const { length, cut } = asked;
  const parts = [
    time,
    cameOf(answered),
    ...(asked.values ?? []).map((value, index) => `$${index + 1} = ${inComment(value)}`),
    ...(length === undefined ? [] : [`the beginning of ${length} bytes`]),
    ...(cut ? ['the beginning of what was prepared'] : []),
  ];
  const text = asked.text.replaceAll('\0', ' ').trimEnd();
  const isWhole = length === undefined && !cut;
  // The others stand there to be read only: nobody knows whether they ran, or a program would read another statement in them.
  const isRun = answered !== undefined && answered.outcome.error === undefined && isWhole && !text.includes('\\');
  const shown = isRun ? ended(text) : text.replaceAll(/^/gm, '-- ');
  return `\n-- ${parts.join(', ')}\n${shown}\n`;
}

/** On a line of its own where it needs an end: a comment in the last line would swallow it. */
function ended(text: string): string {
  const last = text.slice(text.lastIndexOf('\n') + 1);
  return text.endsWith(';') && !/--|#|\/\*/.test(last) ? text : `${text}\n;`;
}

function cameOf(answered: AnsweredItem | undefined): string {
  if (!answered) return 'no answer';
  const { ms, rows, error, code } = answered.outcome;
  if (error !== undefined) return `failed after ${ms} ms: ${inComment(code ? `${error} (${code})` : error)}`;
  return `${ms} ms, ${rows} rows`;
}

/** On its one line, whatever is in it. */
function inComment(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
