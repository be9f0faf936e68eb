/** What is on a screen as rows of coloured text, to be looked at and not gone on from. */
import type headless from '@xterm/headless';
import { charsOf } from './screen-core.ts';

export interface DrawnRows {
  cols: number;
  rows: number;
  /** Rows under each other, with colours between them and no other control sequence. */
  ansi: string;
  cursor: { column: number; row: number };
}

/** Of a screen where every cell looks different; it is sent to everybody who looks whenever it changes. */
const MAX_BYTES = 1024 * 1024;

/** Without colours where they would be too much, and then down to where it becomes too much. */
export function drawRows(terminal: headless.Terminal, hasColours = true): DrawnRows {
  const { cols, rows, buffer } = terminal;
  const { active } = buffer;
  let bytes = 0;
  const lines: string[] = [];
  let look = '';
  const read = buffer.active.getNullCell();
  for (let row = 0; row < rows; row += 1) {
    const line = active.getLine(active.baseY + row);
    const pieces: string[] = [];
    for (let column = 0; line && column < cols; column += 1) {
      const cell = line.getCell(column, read);
      // The second half of a wide character.
      if (!cell || cell.getWidth() === 0) continue;
      const next = hasColours ? lookOf(cell) : '';
      if (next !== look) pieces.push(`\x1b[0${next}m`);
      look = next;
      pieces.push(charsOf(cell) || ' ');
    }
    const text = look === '' ? pieces.join('').trimEnd() : pieces.join('');
    // An escape character is sent as six.
    bytes += Buffer.byteLength(text) + (hasColours ? 3 * pieces.length : 0);
    if (bytes > MAX_BYTES && hasColours) return drawRows(terminal, false);
    if (bytes > MAX_BYTES) break;
    lines.push(text);
  }
  const cursor = { column: Math.min(active.cursorX, cols - 1), row: active.cursorY };
  return { cols, rows, ansi: lines.join('\r\n').trimEnd(), cursor };
}

function lookOf(cell: headless.IBufferCell): string {
  if (cell.isAttributeDefault()) return '';
  return [
    cell.isBold() ? ';1' : '',
    cell.isDim() ? ';2' : '',
    cell.isUnderline() ? ';4' : '',
    cell.isInverse() ? ';7' : '',
    cell.isInvisible() ? ';8' : '',
    colour(38, cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor()),
    colour(48, cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor()),
  ].join('');
}

function colour(what: 38 | 48, isRgb: boolean, isPalette: boolean, value: number): string {
  if (isRgb) return `;${what};2;${(value >> 16) & 255};${(value >> 8) & 255};${value & 255}`;
  return isPalette ? `;${what};5;${value}` : '';
}
