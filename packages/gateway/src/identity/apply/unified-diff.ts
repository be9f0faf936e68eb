/** The difference between two texts as people know it from their tools. */
import { type DiffStep, diffLines } from '@gatehouse/contract/std/text-diff';

const CONTEXT = 3;
/** Beyond this many differing lines the texts are shown as replaced: finding the shortest way would take too long. */
const MAX_STEPS = 1_500;

/** Empty when the texts are the same. */
export function unifiedDiff(before: string, after: string, names: { before: string; after: string }): string {
  if (before === after) return '';
  const steps = diffLines(linesOf(before), linesOf(after), MAX_STEPS);
  const hunks = hunksOf(steps).map(tellHunk);
  return hunks.length === 0 ? '' : `--- ${names.before}\n+++ ${names.after}\n${hunks.join('')}`;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

interface Hunk {
  before: number;
  after: number;
  steps: DiffStep[];
}

function hunksOf(steps: readonly DiffStep[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [before, after, open] = [1, 1, undefined as Hunk | undefined];
  for (const [index, step] of steps.entries()) {
    const isNear = steps.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== ' ');
    if (isNear) {
      open ??= { before, after, steps: [] };
      open.steps.push(step);
    } else if (open) {
      hunks.push(open);
      open = undefined;
    }
    if (step.sign !== '+') before += 1;
    if (step.sign !== '-') after += 1;
  }
  if (open) hunks.push(open);
  return hunks;
}

function tellHunk({ before, after, steps }: Hunk): string {
  const count = (sign: '-' | '+') => steps.filter((step) => step.sign === ' ' || step.sign === sign).length;
  const place = (line: number, lines: number) => `${lines === 0 ? line - 1 : line},${lines}`;
  const head = `@@ -${place(before, count('-'))} +${place(after, count('+'))} @@\n`;
  return head + steps.map(({ sign, line }) => `${sign}${line}\n`).join('');
}
