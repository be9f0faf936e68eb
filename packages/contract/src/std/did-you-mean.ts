/** Finds the name somebody probably meant. */

/** Nobody means a name by more; comparing takes as long as the text is. */
const MAX_GIVEN = 100;

/** The closest of `names`, or nothing when none is close enough to be a slip of the fingers. */
export function didYouMean(given: string, names: readonly string[]): string | undefined {
  if (given.length > MAX_GIVEN) return undefined;
  const word = given.toLowerCase();
  const limit = Math.max(1, Math.floor(word.length * 0.4));
  const ranked = names
    .map((name) => ({ name, distance: distance(word, name.toLowerCase()) }))
    .filter((candidate) => candidate.distance <= limit)
    .sort((left, right) => left.distance - right.distance);
  return ranked[0]?.name;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function distance(left: string, right: string): number {
  let older: number[] = [];
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = previous[column - 1]! + (left[row - 1] === right[column - 1] ? 0 : 1);
      let best = Math.min(previous[column]! + 1, current[column - 1]! + 1, replaced);
      const swapped =
        row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (swapped) best = Math.min(best, older[column - 2]! + 1);
      current.push(best);
    }
    older = previous;
    previous = current;
  }
  return previous[right.length]!;
}
