/** A terminal without a screen that is drawn as rows of coloured text. Nothing in it can answer, copy, ring or name anything. */
import headless from '@xterm/headless';

interface Size {
  cols: number;
  rows: number;
}

/** No screen has more, and a repetition longer than this would hold the thread for minutes. */
const MOST_REPEATED = 5_000;
/** Control sequences that do something as often as they are told. */
const REPEATING = ['@', 'A', 'B', 'I', 'L', 'M', 'P', 'S', 'T', 'X', 'Z', 'b'];
const MOST_COLS = 500;
const MOST_ROWS = 200;

export class DrawnScreen {
  readonly #terminal: headless.Terminal;

  constructor(size: Size) {
    this.#terminal = new headless.Terminal({
      ...bounded(size),
      scrollback: 0,
      allowProposedApi: true,
      logLevel: 'off',
    });
    const isTooMuch = (given: number | number[]) => (Array.isArray(given) ? (given[0] ?? 0) : given) > MOST_REPEATED;
    for (const final of REPEATING)
      this.#terminal.parser.registerCsiHandler({ final }, (params) => params.some(isTooMuch));
  }

  /** Resolves when it is played. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(bytes, resolve));
  }

  resize(size: Size): void {
    const { cols, rows } = bounded(size);
    if (cols !== this.#terminal.cols || rows !== this.#terminal.rows) this.#terminal.resize(cols, rows);
  }

  /** Rows of text under each other, with colours between them and no other control sequence. */
  draw(): Size & { ansi: string } {
    const { cols, rows, buffer } = this.#terminal;
    const { active } = buffer;
    const lines: string[] = [];
    let look = '';
    for (let row = 0; row < rows; row += 1) {
      const line = active.getLine(active.baseY + row);
      const pieces: string[] = [];
      for (let column = 0; line && column < cols; column += 1) {
        const cell = line.getCell(column);
        // The second half of a wide character.
        if (!cell || cell.getWidth() === 0) continue;
        const next = lookOf(cell);
        if (next !== look) pieces.push(`\x1b[0${next}m`);
        look = next;
        pieces.push(cell.getChars() || ' ');
      }
      lines.push(look === '' ? pieces.join('').trimEnd() : pieces.join(''));
    }
    return { cols, rows, ansi: lines.join('\r\n').trimEnd() };
  }

  dispose(): void {
    this.#terminal.dispose();
  }
}

function lookOf(cell: headless.IBufferCell): string {
  return [
    cell.isBold() ? ';1' : '',
    cell.isDim() ? ';2' : '',
    cell.isUnderline() ? ';4' : '',
    cell.isInverse() ? ';7' : '',
    colour(38, cell.isFgRGB(), cell.isFgPalette(), cell.getFgColor()),
    colour(48, cell.isBgRGB(), cell.isBgPalette(), cell.getBgColor()),
  ].join('');
}

function colour(what: 38 | 48, isRgb: boolean, isPalette: boolean, value: number): string {
  if (isRgb) return `;${what};2;${(value >> 16) & 255};${(value >> 8) & 255};${value & 255}`;
  return isPalette ? `;${what};5;${value}` : '';
}

function bounded({ cols, rows }: Size): Size {
  return { cols: Math.max(2, Math.min(cols, MOST_COLS)), rows: Math.max(1, Math.min(rows, MOST_ROWS)) };
}
