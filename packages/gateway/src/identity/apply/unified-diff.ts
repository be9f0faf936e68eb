/** The difference between two texts as people know it from their tools. */

interface Step {
  sign: ' ' | '-' | '+';
  line: string;
}

const CONTEXT = 3;
/** Beyond this many differing lines the texts are shown as replaced: finding the shortest way would take too long. */
const MAX_STEPS = 1_500;

/** Empty when the texts are the same. */
export function unifiedDiff(before: string, after: string, names: { before: string; after: string }): string {
  if (before === after) return '';
  const steps = stepsBetween(linesOf(before), linesOf(after));
  const hunks = hunksOf(steps).map(tellHunk);
  return hunks.length === 0 ? '' : `--- ${names.before}\n+++ ${names.after}\n${hunks.join('')}`;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

function stepsBetween(before: readonly string[], after: readonly string[]): Step[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  const same = (line: string): Step => ({ sign: ' ', line });
  return [
    ...before.slice(0, start).map(same),
    ...shortest(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ];
}

/** The fewest lines taken out and put in, by the greedy search along diagonals. */
function shortest(before: readonly string[], after: readonly string[]): Step[] {
  const most = Math.min(before.length + after.length, MAX_STEPS);
  const furthest = new Map<number, number>([[1, 0]]);
  const trail: Map<number, number>[] = [];
  for (let steps = 0; steps <= most; steps += 1) {
    trail.push(new Map(furthest));
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      const [down, right] = [furthest.get(diagonal + 1) ?? -1, furthest.get(diagonal - 1) ?? -1];
      let x = diagonal === -steps || (diagonal !== steps && right < down) ? down : right + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      furthest.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return walkBack(before, after, trail);
    }
  }
  return [...before.map((line): Step => ({ sign: '-', line })), ...after.map((line): Step => ({ sign: '+', line }))];
}

function walkBack(before: readonly string[], after: readonly string[], trail: readonly Map<number, number>[]): Step[] {
  const steps: Step[] = [];
  let [x, y] = [before.length, after.length];
  for (let taken = trail.length - 1; taken >= 0; taken -= 1) {
    const furthest = trail[taken]!;
    const diagonal = x - y;
    const [down, right] = [furthest.get(diagonal + 1) ?? -1, furthest.get(diagonal - 1) ?? -1];
    const isDown = diagonal === -taken || (diagonal !== taken && right < down);
    const fromX = isDown ? down : right;
    const fromY = fromX - (isDown ? diagonal + 1 : diagonal - 1);
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      steps.push({ sign: ' ', line: before[x - 1]! });
      x -= 1;
      y -= 1;
    }
    if (taken === 0) break;
    if (isDown) steps.push({ sign: '+', line: after[fromY]! });
    else steps.push({ sign: '-', line: before[fromX]! });
    [x, y] = [fromX, fromY];
  }
  return steps.reverse();
}

interface Hunk {
  before: number;
  after: number;
  steps: Step[];
}

function hunksOf(steps: readonly Step[]): Hunk[] {
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
