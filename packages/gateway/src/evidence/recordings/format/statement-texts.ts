/** The statements of a recording as text: to be read and run again, or a line of JSON for each. */
import type { RecordingSource } from '../stores/recording-store.ts';
import { findFrames, type RecordedFacts, type RecordedItem, readItems, UnreadableFrame } from './read-recording.ts';

/** Statements that wait for their answers: one connection has no more on their way at once, and what never was answered is told so. */
const MAX_WAITING = 20_000;

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

/** As one would type them, each below a comment that says when and what came of it. What only prepared others is left out. */
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
  const waiting = new Map<number, RunStatement>();
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
      else if (item.type === 'asked') waiting.set(item.n, { asked: item, answered: undefined, sample: undefined });
      else if (item.type === 'sample') sampled(waiting.get(item.n), item);
      else if (item.type === 'answered') {
        const run = waiting.get(item.outcome.n);
        if (run) runs.push({ ...run, answered: item });
        waiting.delete(item.outcome.n);
      }
    }
    for (const [n, run] of waiting) {
      if (waiting.size <= MAX_WAITING) break;
      waiting.delete(n);
      runs.push(run);
    }
    if (runs.length > 0) yield { facts, runs };
  }
  yield { facts, runs: [...waiting.values()] };
}

function sampled(run: RunStatement | undefined, sample: SampleItem): void {
  if (run) run.sample = sample;
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
  // A statement that failed stands there to be read, not to be run again.
  const isRun = answered?.outcome.error === undefined;
  const shown = isRun ? `${text}${text.endsWith(';') ? '' : ';'}` : text.replaceAll(/^/gm, '-- ');
  return `\n-- ${parts.join(', ')}\n${shown}\n`;
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
