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
const LEAST_WIDTH_PX = 2.4;
const MOST_WIDTH_PX = 4;

export function drawScreen(canvas: HTMLCanvasElement, screen: RecordedScreen): void {
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
  const used = usedPart(cells);
  const fitting = Math.min(wide / used.cols, high / used.rows / CELL_SHAPE) / density;
  const width = Math.max(LEAST_WIDTH_PX, Math.min(MOST_WIDTH_PX, fitting)) * density;
  const height = width * CELL_SHAPE;
  const first = Math.max(0, used.rows - Math.floor(high / height));
  place.fillStyle = colours.background ?? '#000';
  place.fillRect(0, 0, canvas.width, canvas.height);
  place.font = `${height * 0.82}px ${FONT}`;
  place.textBaseline = 'middle';
  for (const [y, row] of cells.slice(first, used.rows).entries()) {
    for (const [x, cell] of row.entries()) {
      if (!cell) continue;
      const [left, top] = [edge + x * width, edge + y * height];
      const back = colourOf(cell.back, colours);
      if (back) {
        place.fillStyle = back;
        place.fillRect(left, top, Math.ceil(width), Math.ceil(height));
      }
      if (cell.text.trim() === '') continue;
      place.fillStyle = colourOf(cell.front, colours) ?? colours.foreground ?? '#fff';
      place.fillText(cell.text, left, top + height / 2, width * 2);
    }
  }
}

/** Up to the last cell with something in it, each way. */
function usedPart(cells: readonly (readonly (Cell | undefined)[])[]): { cols: number; rows: number } {
  const isUsed = (cell: Cell | undefined) => cell !== undefined && (cell.text.trim() !== '' || cell.back !== undefined);
  const widths = cells.map((row) => row.findLastIndex(isUsed) + 1);
  return { cols: Math.max(1, ...widths), rows: Math.max(1, widths.findLastIndex((width) => width > 0) + 1) };
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
