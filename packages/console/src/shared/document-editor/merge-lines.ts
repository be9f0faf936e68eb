/** Puts two changes of one text together, line by line, when they do not meet. */
import { lineDiff } from './line-diff.ts';

interface Hunk {
  /** Lines of the base it takes the place of: from, and up to but without to. */
  from: number;
  to: number;
  lines: string[];
}

/** Nothing when both changed the same place in different ways: then somebody must look. */
export function mergeLines(base: string, mine: string, theirs: string): string | undefined {
  const ours = hunksOf(base, mine);
  const others = hunksOf(base, theirs).filter((hunk) => !ours.some((own) => isSame(own, hunk)));
  if (others.some((hunk) => ours.some((own) => meet(own, hunk)))) return undefined;
  const lines = linesOf(base);
  for (const { from, to, lines: given } of [...ours, ...others].sort((a, b) => b.from - a.from)) {
    lines.splice(from, to - from, ...given);
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

function hunksOf(base: string, changed: string): Hunk[] {
  const hunks: Hunk[] = [];
  let at = 0;
  let open: Hunk | undefined;
  for (const { type, text } of lineDiff(base, changed)) {
    if (type === 'same') {
      open = undefined;
      at += 1;
      continue;
    }
    if (!open) {
      open = { from: at, to: at, lines: [] };
      hunks.push(open);
    }
    if (type === 'added') open.lines.push(text);
    else {
      at += 1;
      open.to = at;
    }
  }
  return hunks;
}

/** Neighbours meet too: one may have been written because of the other. */
function meet(a: Hunk, b: Hunk): boolean {
  return a.from <= b.to && b.from <= a.to;
}

function isSame(a: Hunk, b: Hunk): boolean {
  return a.from === b.from && a.to === b.to && a.lines.join('\n') === b.lines.join('\n');
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
