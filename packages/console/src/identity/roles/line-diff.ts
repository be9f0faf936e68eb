/** The difference of two texts by lines, as short as it can be. */

export interface DiffLine {
  type: 'same' | 'added' | 'removed';
  text: string;
  /** Lines of the new text count from 1; removed ones have none. */
  line?: number;
}

/** Beyond this many different lines the middle is shown as replaced whole: nobody reads it line by line. */
const MAX_DIFFERENCES = 2000;

export function lineDiff(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = shortest(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const same = (text: string): DiffLine => ({ type: 'same', text });
  const all = [...b.slice(0, start).map(same), ...middle, ...b.slice(b.length - end).map(same)];
  let line = 0;
  return all.map((each) => {
    if (each.type === 'removed') return each;
    line += 1;
    return { ...each, line };
  });
}

export function countChanges(lines: readonly DiffLine[]): { added: number; removed: number } {
  const count = (type: DiffLine['type']) => lines.filter((line) => line.type === type).length;
  return { added: count('added'), removed: count('removed') };
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n/);
  // A line break at the end ends the last line and begins no other.
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** The shortest way from one list to the other, by the greedy walk of Myers: furthest points of growing distance. */
function shortest(a: readonly string[], b: readonly string[]): DiffLine[] {
  const furthest = new Map<number, number>([[1, 0]]);
  const steps: Map<number, number>[] = [];
  for (let distance = 0; distance <= Math.min(a.length + b.length, MAX_DIFFERENCES); distance += 1) {
    steps.push(new Map(furthest));
    for (let k = -distance; k <= distance; k += 2) {
      const down = k === -distance || (k !== distance && at(furthest, k - 1) < at(furthest, k + 1));
      let x = down ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(a, b, steps);
    }
  }
  return [...a.map((text) => removed(text)), ...b.map((text) => added(text))];
}

function walkBack(a: readonly string[], b: readonly string[], steps: readonly Map<number, number>[]): DiffLine[] {
  const lines: DiffLine[] = [];
  let x = a.length;
  let y = b.length;
  for (let distance = steps.length - 1; distance >= 0; distance -= 1) {
    const furthest = steps[distance] as Map<number, number>;
    const k = x - y;
    const down = k === -distance || (k !== distance && at(furthest, k - 1) < at(furthest, k + 1));
    const fromX = at(furthest, down ? k + 1 : k - 1);
    const fromY = fromX - (down ? k + 1 : k - 1);
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      x -= 1;
      y -= 1;
      lines.push({ type: 'same', text: b[y] as string });
    }
    if (distance === 0) break;
    if (down) lines.push(added(b[fromY] as string));
    else lines.push(removed(a[fromX] as string));
    x = fromX;
    y = fromY;
  }
  return lines.reverse();
}

function at(furthest: ReadonlyMap<number, number>, k: number): number {
  return furthest.get(k) ?? -1;
}

function added(text: string): DiffLine {
  return { type: 'added', text };
}

function removed(text: string): DiffLine {
  return { type: 'removed', text };
}
