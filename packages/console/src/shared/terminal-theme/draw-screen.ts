/** Draws a recorded screen into a small canvas, in the colours of the terminal. */
import type { RecordedScreen } from '@gatehouse/contract/recordings/recordings';
import type { ITheme } from '@xterm/xterm';
import { type Cell, readScreen } from './read-screen.ts';
import { readColours } from './terminal-colours.ts';

const FONT = '"Ubuntu Sans Mono", ui-monospace, monospace';
const NAMED = [
  'black',
  'red',
  'green',
  'yellow',
  'blue',
  'magenta',
  'cyan',
  'white',
  'brightBlack',
  'brightRed',
  'brightGreen',
  'brightYellow',
  'brightBlue',
  'brightMagenta',
  'brightCyan',
  'brightWhite',
] as const satisfies readonly (keyof ITheme)[];
/** Letters are about twice as high as wide. */
const CELL_SHAPE = 2;
/** Smaller letters would be dust: of a large screen its last lines are shown, from their beginning. */
const RECORDED = { min: 2.4, max: 4 } as const;
/** Somebody looks at these to read what goes on: fewer lines, where the cursor is, in letters that can be read. */
const LIVE = { min: 3.6, max: 6.5 } as const;
/** Lines below the cursor that still belong to what is done there. */
const BELOW_CURSOR = 2;

export interface PictureOfScreen extends Pick<RecordedScreen, 'cols' | 'rows' | 'ansi'> {
  cursor?: { column: number; row: number };
}

export function drawScreen(canvas: HTMLCanvasElement, screen: PictureOfScreen): void {
  const place = canvas.getContext('2d', { alpha: false });
  const { clientWidth, clientHeight } = canvas;
  if (!place || clientWidth === 0 || clientHeight === 0) return;
  const density = Math.min(3, Math.max(1, window.devicePixelRatio));
  canvas.width = Math.round(clientWidth * density);
  canvas.height = Math.round(clientHeight * density);
  const colours = readColours(canvas.parentElement ?? canvas);
  const edge = Math.round(canvas.width * 0.035);
  const [wide, high] = [canvas.width - 2 * edge, canvas.height - 2 * edge];
  const cells = readScreen(screen);
  const { width, first, rows } = shownPart(cells, {
    wide: wide / density,
    high: high / density,
    cursor: screen.cursor,
  });
  const [cellWidth, height] = [width * density, width * density * CELL_SHAPE];
  place.fillStyle = colours.background ?? '#000';
  place.fillRect(0, 0, canvas.width, canvas.height);
  place.font = `${height * 0.82}px ${FONT}`;
  place.textBaseline = 'middle';
  for (const [y, row] of cells.slice(first, first + rows).entries()) {
    for (const [x, cell] of row.entries()) {
      if (!cell) continue;
      const [left, top] = [edge + x * cellWidth, edge + y * height];
      const back = colourOf(cell.back, colours);
      if (back) {
        place.fillStyle = back;
        place.fillRect(left, top, Math.ceil(cellWidth), Math.ceil(height));
      }
      if (cell.text.trim() === '') continue;
      place.fillStyle = colourOf(cell.front, colours) ?? colours.foreground ?? '#fff';
      place.fillText(cell.text, left, top + height / 2, cellWidth * 2);
    }
  }
}

type Rows = readonly (readonly (Cell | undefined)[])[];

interface Room {
  wide: number;
  high: number;
  cursor: PictureOfScreen['cursor'];
}

/** Which rows are drawn, and how wide a letter is then. */
export function shownPart(cells: Rows, { wide, high, cursor }: Room): { width: number; first: number; rows: number } {
  const texts = cells.map((row) => row.findLastIndex((cell) => cell !== undefined && cell.text.trim() !== '') + 1);
  const fills = cells.map((row) => row.findLastIndex((cell) => cell?.back !== undefined) + 1);
  const widths = texts.map((text, row) => Math.max(text, fills[row] ?? 0));
  const used = Math.max(1, widths.findLastIndex((width) => width > 0) + 1);
  if (!cursor) {
    const fitting = Math.min(wide / Math.max(1, ...widths), high / used / CELL_SHAPE);
    const width = Math.max(RECORDED.min, Math.min(RECORDED.max, fitting));
    const first = Math.max(0, used - Math.floor(high / (width * CELL_SHAPE)));
    return { width, first, rows: used - first };
  }
  const last = Math.max(used, cursor.row + 1);
  let width: number = LIVE.max;
  for (; ; width = Math.max(LIVE.min, width - 0.2)) {
    const rows = Math.min(last, Math.max(1, Math.floor(high / (width * CELL_SHAPE))));
    const first = Math.max(0, Math.min(cursor.row + 1 + BELOW_CURSOR, last) - rows);
    const longest = Math.max(1, ...texts.slice(first, first + rows));
    if (longest * width <= wide || width <= LIVE.min) return { width, first, rows };
  }
}

function colourOf(given: Cell['front'], colours: ITheme): string | undefined {
  if (given === undefined) return undefined;
  if (given === 'front') return colours.foreground;
  if (given === 'back') return colours.background;
  if (typeof given === 'string') return given;
  const name = NAMED[given];
  return name ? colours[name] : cubeColour(given);
}

/** The 6×6×6 cube and the greys that terminals agree on. */
function cubeColour(number: number): string {
  if (number >= 232) {
    const grey = 8 + (Math.min(number, 255) - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const at = number - 16;
  return `rgb(${level(Math.floor(at / 36))} ${level(Math.floor(at / 6) % 6)} ${level(at % 6)})`;
}
