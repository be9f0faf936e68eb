/** The shortest way from one list of lines to another, by the greedy walk of Myers: furthest points of growing distance. */

export interface DiffStep {
  sign: ' ' | '-' | '+';
  line: string;
}

/** With more than `max` lines taken out and put in, what differs is shown as replaced whole: finding the shortest way would take too long. */
export function diffLines(before: readonly string[], after: readonly string[], max: number): DiffStep[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  return [
    ...before.slice(0, start).map(same),
    ...shortest(before.slice(start, before.length - end), after.slice(start, after.length - end), max),
    ...before.slice(before.length - end).map(same),
  ];
}

function shortest(before: readonly string[], after: readonly string[], max: number): DiffStep[] {
  const furthest = new Map<number, number>([[1, 0]]);
  const trail: Map<number, number>[] = [];
  for (let steps = 0; steps <= Math.min(before.length + after.length, max); steps += 1) {
    trail.push(new Map(furthest));
    for (let diagonal = -steps; diagonal <= steps; diagonal += 2) {
      const { fromX, isDown } = cameFrom(furthest, diagonal, steps);
      let x = isDown ? fromX : fromX + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      furthest.set(diagonal, x);
      if (x >= before.length && x - diagonal >= after.length) return walkBack(before, after, trail);
    }
  }
  return [...before.map(removed), ...after.map(added)];
}

function walkBack(
  before: readonly string[],
  after: readonly string[],
  trail: readonly Map<number, number>[],
): DiffStep[] {
  const steps: DiffStep[] = [];
  let [x, y] = [before.length, after.length];
  for (let taken = trail.length - 1; taken >= 0; taken -= 1) {
    const diagonal = x - y;
    const { fromX, isDown } = cameFrom(trail[taken]!, diagonal, taken);
    const fromY = fromX - (isDown ? diagonal + 1 : diagonal - 1);
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      x -= 1;
      y -= 1;
      steps.push(same(before[x]!));
    }
    if (taken === 0) break;
    steps.push(isDown ? added(after[fromY]!) : removed(before[fromX]!));
    [x, y] = [fromX, fromY];
  }
  return steps.reverse();
}

/** Down: a line put in. Otherwise one was taken out. */
function cameFrom(furthest: ReadonlyMap<number, number>, diagonal: number, steps: number) {
  const [down, right] = [furthest.get(diagonal + 1) ?? -1, furthest.get(diagonal - 1) ?? -1];
  const isDown = diagonal === -steps || (diagonal !== steps && right < down);
  return { fromX: isDown ? down : right, isDown };
}

function same(line: string): DiffStep {
  return { sign: ' ', line };
}

function removed(line: string): DiffStep {
  return { sign: '-', line };
}

function added(line: string): DiffStep {
  return { sign: '+', line };
}
