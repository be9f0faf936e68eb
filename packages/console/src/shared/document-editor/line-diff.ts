/** The difference of two texts by lines, as short as it can be. */
import { diffLines } from '@gatehouse/contract/std/text-diff';

export interface DiffLine {
  type: 'same' | 'added' | 'removed';
  text: string;
  /** Lines of the new text count from 1; removed ones have none. */
  line?: number;
}

/** Beyond this many different lines the middle is shown as replaced whole: nobody reads it line by line. */
const MAX_DIFFERENCES = 2000;

const TYPE_OF = { ' ': 'same', '-': 'removed', '+': 'added' } as const;

export function lineDiff(before: string, after: string): DiffLine[] {
  let line = 0;
  return diffLines(linesOf(before), linesOf(after), MAX_DIFFERENCES).map(({ sign, line: text }) => {
    if (sign === '-') return { type: TYPE_OF[sign], text };
    line += 1;
    return { type: TYPE_OF[sign], text, line };
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
