/** The statements of a session as lines: many runs of one, one after the other, are one line that opens. */
import type { Stretch } from '../timeline/stretches.ts';
import { hasFailed, type RunStatement } from './run-statements.ts';

export interface StatementLine {
  key: string;
  /** The first of them. */
  run: RunStatement;
  /** All that it stands for. */
  runs: readonly RunStatement[];
  /** One that opened, with each run below it; undefined where there is nothing to open. */
  isOpen: boolean | undefined;
  /** It stands below the line it belongs to. */
  isBelow: boolean;
}

/** Fewer are read as quickly each by itself. */
const MIN_FOLDED = 3;

export function alone(run: RunStatement): StatementLine {
  return { key: String(run.asked.n), run, runs: [run], isOpen: undefined, isBelow: false };
}

/** `opened`: the first numbers of lines that are open. */
export function linesOf(runs: readonly RunStatement[], opened: ReadonlySet<number>): StatementLine[] {
  const lines: StatementLine[] = [];
  for (let at = 0; at < runs.length; ) {
    const run = runs[at] as RunStatement;
    let to = at + 1;
    while (to < runs.length && isSame(run, runs[to] as RunStatement)) to += 1;
    const same = runs.slice(at, to);
    at = to;
    if (same.length < MIN_FOLDED) {
      lines.push(...same.map(alone));
      continue;
    }
    const isOpen = opened.has(run.asked.n);
    lines.push({ key: `${run.asked.n}+`, run, runs: same, isOpen, isBelow: false });
    if (isOpen) lines.push(...same.map((each) => ({ ...alone(each), isBelow: true })));
  }
  return lines;
}

/** What was bound to it may differ; one that failed is not hidden among those that went well. */
function isSame(one: RunStatement, other: RunStatement): boolean {
  return (
    one.asked.text === other.asked.text && one.asked.what === other.asked.what && !hasFailed(one) && !hasFailed(other)
  );
}

/** The line that shows a run: its own, where the line of all of them is open. */
export function lineWith(lines: readonly StatementLine[], run: RunStatement | undefined): number {
  if (!run) return -1;
  return lines.findLastIndex(({ runs }) => runs.some(({ asked }) => asked.n === run.asked.n));
}

export function tookOf({ runs }: StatementLine): number {
  return runs.reduce((sum, { answered }) => sum + (answered?.took ?? 0), 0);
}

export function rowsOf({ runs }: StatementLine): number {
  return runs.reduce((sum, { answered }) => sum + (answered?.rows ?? 0), 0);
}

const MIN_IDLE_MS = 1_500;

/** Where nothing was asked, and nothing ran. */
export function quietStretches(runs: readonly RunStatement[], durationMs: number): Stretch[] {
  const stretches: Stretch[] = [];
  let busyUntil = 0;
  for (const { asked, answered } of [...runs, undefined].map(
    (run) => run ?? { asked: { ms: durationMs }, answered: undefined },
  )) {
    if (asked.ms - busyUntil >= MIN_IDLE_MS) stretches.push({ fromMs: busyUntil, toMs: asked.ms });
    busyUntil = Math.max(busyUntil, asked.ms + (answered?.took ?? 0));
  }
  return stretches;
}
