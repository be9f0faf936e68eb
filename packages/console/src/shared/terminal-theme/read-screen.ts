/** Reads a drawn screen into cells for a picture: text, colours and cursor moves are understood, everything else is passed over. */
import type { RecordedScreen } from '@gatehouse/contract/recordings/recordings';

export interface Cell {
  text: string;
  /** Palette number, "#rrggbb", or nothing for the usual one. */
  front: number | string | undefined;
  back: number | string | undefined;
}

type Look = Omit<Cell, 'text'> & { isInverse: boolean; isBold: boolean; isHidden: boolean };

const PLAIN: Look = { front: undefined, back: undefined, isInverse: false, isBold: false, isHidden: false };
/** Larger ones are cut: nobody can tell in a thumbnail. */
const MAX_SIZE = { cols: 400, rows: 150 } as const;
const MAX_CHARACTERS = 400_000;

/** A sequence with numbers, a string that is ended somewhere, any other escape, a control character, or plain text. */
const PART = new RegExp(
  [
    String.raw`\u001b\[([?>=]?)([\d;:]*)[ -/]*([@-~])`,
    String.raw`\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?`,
    String.raw`\u001b[ -/]*[0-~]`,
    String.raw`[\u0000-\u001f\u007f]`,
    String.raw`[^\u0000-\u001f\u007f]+`,
  ].join('|'),
  'g',
);

/** Rows of cells; a cell that nothing was written to is absent. */
export function readScreen({
  cols: wide,
  rows: high,
  ansi,
}: Pick<RecordedScreen, 'cols' | 'rows' | 'ansi'>): (Cell | undefined)[][] {
  const cols = Math.max(1, Math.min(wide, MAX_SIZE.cols));
  const rows = Math.max(1, Math.min(high, MAX_SIZE.rows));
  let grid = emptyGrid(rows);
  let look = PLAIN;
  let x = 0;
  let y = 0;
  const lineFeed = () => {
    if (y < rows - 1) y += 1;
    else {
      grid.shift();
      grid.push([]);
    }
  };
  const put = (text: string) => {
    for (const character of text) {
      const width = isWide(character) ? 2 : 1;
      if (x + width > wide) {
        x = 0;
        lineFeed();
      }
      const row = grid[y];
      if (row && x < cols) row[x] = cellOf(character, look);
      if (row && width === 2 && x + 1 < cols) row[x + 1] = cellOf('', look);
      x += width;
    }
  };
  const move = (final: string, numbers: readonly number[]) => {
    const count = Math.max(1, numbers[0] ?? 1);
    if (final === 'A') y -= count;
    else if (final === 'B') y += count;
    else if (final === 'C') x += count;
    else if (final === 'D') x -= count;
    else if (final === 'G') x = count - 1;
    else if (final === 'd') y = count - 1;
    else if (final === 'H' || final === 'f') {
      y = count - 1;
      x = Math.max(1, numbers[1] ?? 1) - 1;
    } else if (final === 'X') grid[y]?.fill(undefined, x, x + count);
    else if (final === 'K' && (numbers[0] ?? 0) === 0) grid[y]?.splice(x);
    else if (final === 'J' && numbers[0] === 2) grid = emptyGrid(rows);
    x = Math.max(0, Math.min(x, wide - 1));
    y = Math.max(0, Math.min(y, rows - 1));
  };
  for (const [part, prefix, given = '', final] of ansi.slice(0, MAX_CHARACTERS).matchAll(PART)) {
    if (part === '\r') x = 0;
    else if (part === '\n') lineFeed();
    else if (part === '\b') x = Math.max(0, x - 1);
    else if (part.charCodeAt(0) >= 32 && part !== '\u007f') put(part);
    else if (final === 'm' && prefix === '') look = withLook(look, given);
    else if (final === 'h' && prefix === '?' && /\b(?:47|1047|1049)\b/.test(given)) {
      // The other screen lies over this one, and only it is seen.
      grid = emptyGrid(rows);
      [x, y] = [0, 0];
    } else if (final !== undefined && prefix === '') move(final, numbersOf(given));
  }
  return grid;
}

function emptyGrid(rows: number): (Cell | undefined)[][] {
  return Array.from({ length: rows }, () => []);
}

function numbersOf(given: string): number[] {
  return given.split(/[;:]/).map((text) => (text === '' ? 0 : Math.min(Number(text), 10_000)));
}

function cellOf(text: string, { front, back, isInverse, isBold, isHidden }: Look): Cell {
  const bright = isBold && typeof front === 'number' && front < 8 ? front + 8 : front;
  const [over, under] = isInverse ? [back ?? 'back', bright ?? 'front'] : [bright, back];
  return { text: isHidden ? '' : text, front: over, back: under };
}

function withLook(before: Look, given: string): Look {
  let look = before;
  const numbers = numbersOf(given);
  for (let at = 0; at < numbers.length; at += 1) {
    const code = numbers[at] ?? 0;
    if (code === 38 || code === 48) {
      const isIndexed = numbers[at + 1] === 5;
      const colour = isIndexed ? (numbers[at + 2] ?? 0) : hexOf(numbers.slice(at + 2, at + 5));
      look = code === 38 ? { ...look, front: colour } : { ...look, back: colour };
      at += isIndexed ? 2 : 4;
    } else look = withCode(look, code);
  }
  return look;
}

function withCode(look: Look, code: number): Look {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, isBold: true };
  if (code === 22) return { ...look, isBold: false };
  if (code === 7 || code === 27) return { ...look, isInverse: code === 7 };
  if (code === 8 || code === 28) return { ...look, isHidden: code === 8 };
  if (code >= 30 && code <= 37) return { ...look, front: code - 30 };
  if (code >= 90 && code <= 97) return { ...look, front: code - 82 };
  if (code >= 40 && code <= 47) return { ...look, back: code - 40 };
  if (code >= 100 && code <= 107) return { ...look, back: code - 92 };
  if (code === 39) return { ...look, front: undefined };
  if (code === 49) return { ...look, back: undefined };
  return look;
}

function hexOf(parts: readonly number[]): string {
  return `#${[0, 1, 2]
    .map((at) =>
      Math.min(parts[at] ?? 0, 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

/** East Asian wide and pictures, roughly: enough for a thumbnail. */
function isWide(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}
