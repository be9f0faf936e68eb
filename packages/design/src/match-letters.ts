/** Finds the letters of a query in a text: how well they fit, and which they are, so that they can be shown. */

export interface LetterMatch {
  /** Higher fits better. */
  score: number;
  /** Start and end of each run of matched letters. */
  ranges: readonly (readonly [number, number])[];
}

/** Whether the letters of a word may stand apart. */
type How = 'whole' | 'scattered';

/** Keeps one unit per unit of the original, or the ranges would point at the wrong letters. */
function fold(text: string): string {
  return Array.from({ length: text.length }, (_, index) => {
    const letter = text.charAt(index).normalize('NFD').charAt(0).toLowerCase();
    return letter.length === 1 ? letter : text.charAt(index);
  }).join('');
}

function startsWord(text: string, index: number): boolean {
  return index === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(index - 1));
}

function matchWord(text: string, word: string, how: How): LetterMatch | undefined {
  let at = text.indexOf(word);
  // A later place that begins a word is a better find than the middle of an earlier one.
  for (let next = at; next !== -1; next = text.indexOf(word, next + 1)) {
    if (!startsWord(text, next)) continue;
    at = next;
    break;
  }
  if (at !== -1) {
    const score = 100 + (startsWord(text, at) ? 50 : 0) + (at === 0 ? 25 : 0) - Math.min(at, 20);
    return { score, ranges: [[at, at + word.length]] };
  }
  return how === 'scattered' ? matchScattered(text, word) : undefined;
}

/** Letters in order but apart, as in "pa2" for "payments-api-02". The first letter must begin a word. */
function matchScattered(text: string, word: string): LetterMatch | undefined {
  if (word.length < 2) return undefined;
  const ranges: [number, number][] = [];
  let from = 0;
  for (const letter of word) {
    const at = text.indexOf(letter, from);
    if (at === -1 || (ranges.length === 0 && !startsWord(text, at))) return undefined;
    const last = ranges.at(-1);
    if (last && last[1] === at) last[1] = at + 1;
    else ranges.push([at, at + 1]);
    from = at + 1;
  }
  return { score: 40 - ranges.length * 5 - Math.min(from, 20), ranges };
}

/** Every word of the query must be found; an empty query matches everything. */
export function matchLetters(text: string, query: string, how: How = 'scattered'): LetterMatch | undefined {
  const folded = fold(text);
  const words = fold(query).split(/\s+/).filter(Boolean);
  const found = words.map((word) => matchWord(folded, word, how));
  if (found.some((match) => match === undefined)) return undefined;
  const ranges = found
    .flatMap((match) => match?.ranges ?? [])
    .sort((a, b) => a[0] - b[0])
    .reduce<[number, number][]>((merged, [start, end]) => {
      const last = merged.at(-1);
      if (last && start <= last[1]) last[1] = Math.max(last[1], end);
      else merged.push([start, end]);
      return merged;
    }, []);
  return { score: found.reduce((sum, match) => sum + (match?.score ?? 0), 0), ranges };
}
