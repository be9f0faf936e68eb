/** Everything a terminal would show and go on from, as output that makes a fresh one the same, cell by cell. */
import { type Attributes, type Cell, type CoreBuffer, type CoreLine, charsOf, type ScreenCore } from './screen-core.ts';
import { isErased, lookOf } from './sgr.ts';

/** What the terminal itself does not keep by its name. */
export interface Noted {
  /** Of each slot, as it was named: `(`, `0`. */
  charsets: ReadonlyMap<string, string>;
  /** Colours a program has set, by the command that sets them. */
  colours: ReadonlyMap<string, string>;
}

export interface ScreenToSerialize {
  core: ScreenCore;
  cols: number;
  rows: number;
  newCell(): Cell;
  noted: Noted;
  /** Rows that have scrolled out, at most. */
  scrollback: number;
}

/** A line that was wrapped begins where it began, up to so many rows above. */
const MAX_WRAPPED = 100;
const SLOTS = ['(', ')', '*', '+'];
const CURSORS = { block: 1, underline: 3, bar: 5 } as const;
const MOUSE: Record<string, string> = { X10: '9', VT200: '1000', DRAG: '1002', ANY: '1003' };
const MOUSE_ENCODINGS: Record<string, string> = { SGR: '1006', SGR_PIXELS: '1016' };
/** As it is sent. With the output that runs ahead of who draws it, less than what makes a socket be cut off. */
export const MAX_PICTURE_BYTES = 2 * 1024 * 1024;
/** An escape character is sent as six. */
const ESCAPED_BYTES = 5;
const MAX_TITLE = 1_024;

class TooLarge extends Error {}

/**
 * A few bytes can look like millions on a screen, when each cell looks other than the one beside it: then without what has scrolled
 * out, then without links; undefined: even that is too large.
 */
export function serializeScreen(given: ScreenToSerialize): string | undefined {
  const tries = [
    { given, hasLinks: true },
    { given: { ...given, scrollback: 0 }, hasLinks: true },
    { given: { ...given, scrollback: 0 }, hasLinks: false },
  ];
  for (const { given: less, hasLinks } of tries) {
    try {
      return drawAll(new Pen(given.core, hasLinks), less);
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error;
    }
  }
  return undefined;
}

function drawAll(pen: Pen, given: ScreenToSerialize): string {
  const { core, noted } = given;
  const { buffers } = core;
  const isAlternate = buffers.active === buffers.alt;
  pen.put('\x1bc');
  drawBuffer(pen, buffers.normal, given, given.scrollback);
  if (isAlternate) {
    settleBuffer(pen, buffers.normal, given);
    pen.put('\x1b[?47h\x1b[H');
    drawBuffer(pen, buffers.alt, given, 0);
  }
  settleBuffer(pen, buffers.active, given);
  const title = core._inputHandler._windowTitle;
  if (title) pen.put(`\x1b]2;${title.slice(0, MAX_TITLE)}\x07`);
  for (const [command, colour] of noted.colours) pen.put(`\x1b]${command};${colour}\x07`);
  placeCursor(pen, given);
  return pen.text;
}

/** Writes with as few changes of look as there are. */
class Pen {
  readonly #core: ScreenCore;
  readonly #hasLinks: boolean;
  readonly #parts: string[] = [];
  #bytes = 0;
  #look = '';
  #isProtected = false;
  #link = 0;

  constructor(core: ScreenCore, hasLinks: boolean) {
    this.#core = core;
    this.#hasLinks = hasLinks;
  }

  get text(): string {
    return this.#parts.join('');
  }

  put(text: string): void {
    if (text === '') return;
    this.#bytes += Buffer.byteLength(text) + (text.startsWith('\x1b') ? ESCAPED_BYTES : 0);
    if (this.#bytes > MAX_PICTURE_BYTES) throw new TooLarge('this screen has no picture that could be sent');
    this.#parts.push(text);
  }

  as(cell: Attributes): void {
    const look = lookOf(cell);
    if (look !== this.#look) this.#become(look);
    const isProtected = cell.isProtected() !== 0;
    if (isProtected !== this.#isProtected) this.put(isProtected ? '\x1b[1"q' : '\x1b[0"q');
    this.#isProtected = isProtected;
    const link = this.#hasLinks && cell.hasExtendedAttrs() ? cell.extended.urlId : 0;
    if (link !== this.#link) this.put(this.#linkTo(link));
    this.#link = link;
  }

  /** What comes next does not join the character before it. */
  apart(): void {
    const isProtected = this.#isProtected;
    this.#become(this.#look);
    if (isProtected) this.put('\x1b[1"q');
    this.#isProtected = isProtected;
  }

  /** A new look ends protection too. */
  #become(look: string): void {
    this.put(`\x1b[0${look}m`);
    this.#look = look;
    this.#isProtected = false;
  }

  plain(): void {
    if (this.#look !== '') this.#become('');
    if (this.#isProtected) this.put('\x1b[0"q');
    if (this.#link !== 0) this.put(this.#linkTo(0));
    this.#isProtected = false;
    this.#link = 0;
  }

  #linkTo(link: number): string {
    const data = link === 0 ? undefined : this.#core._oscLinkService.getLinkData(link);
    return `\x1b]8;${data?.id ? `id=${data.id}` : ''};${data?.uri ?? ''}\x07`;
  }
}

/** From the first row to the last, the cursor wherever that ends. */
function drawBuffer(
  pen: Pen,
  buffer: CoreBuffer,
  { cols, rows, newCell }: ScreenToSerialize,
  scrollback: number,
): void {
  const last = buffer.ybase + rows - 1;
  let first = Math.max(0, buffer.ybase - scrollback);
  for (let more = 0; first > 0 && more < MAX_WRAPPED && buffer.lines.get(first)?.isWrapped; more += 1) first -= 1;
  /** Cells that had to be written for a line to wrap, and were empty. */
  const written: { row: number; column: number; cell: Cell }[] = [];
  const note = (index: number, column: number, cell: Cell) =>
    index >= buffer.ybase && written.push({ row: index - buffer.ybase, column, cell });
  for (let index = first; index <= last; index += 1) {
    const line = buffer.lines.get(index);
    const next = index < last ? buffer.lines.get(index + 1) : undefined;
    if (line)
      drawRow(pen, line, { cols, follows: index > first && line.isWrapped, next, newCell }, (column, cell) =>
        note(index, column, cell),
      );
    pen.plain();
    if (next && !next.isWrapped) pen.put('\r\n');
  }
  for (const { row, column, cell } of written) {
    pen.put(`\x1b[${row + 1};${column + 1}H`);
    pen.as(cell);
    pen.put(isErased(cell) ? '\x1b[X' : ' ');
    pen.plain();
  }
}

interface RowPosition {
  cols: number;
  /** It goes on from the row above, where the cursor still stands. */
  follows: boolean;
  next: CoreLine | undefined;
  newCell(): Cell;
}

function drawRow(pen: Pen, line: CoreLine, place: RowPosition, onFilled: (column: number, cell: Cell) => void): void {
  const { cols, follows, next, newCell } = place;
  const wraps = next?.isWrapped ?? false;
  // A wide character that did not fit left the last cell empty, and leaves it so once more.
  const leavesLast = wraps && next?.getWidth(0) === 2 && line.getWidth(cols - 1) === 1;
  // Read into the same two again and again: one each for millions of cells costs seconds.
  const [here, there] = [newCell(), newCell()];
  const filled = (column: number) => onFilled(column, line.loadCell(column, newCell()));
  const isFilled = (column: number) => (follows && column === 0) || (wraps && column === cols - 1 && !leavesLast);
  const isBlank = (column: number, cell: Cell) => cell.getChars() === '' && !isFilled(column) && isErased(cell);
  let gap = 0;
  for (let column = 0; column < cols; column += 1) {
    const cell = line.loadCell(column, here);
    if (cell.getWidth() === 0 && cell.getChars() === '' && column > 0 && line.getWidth(column - 1) === 2) continue;
    if (leavesLast && column === cols - 1 && cell.getChars() === '') {
      pen.put(forward(gap));
      filled(column);
      return;
    }
    if (isBlank(column, cell)) {
      const look = lookOf(cell);
      let end = column + 1;
      for (; end < cols; end += 1) {
        const other = line.loadCell(end, there);
        if (!isBlank(end, other) || lookOf(other) !== look || (leavesLast && end === cols - 1)) break;
      }
      if (look !== '') {
        pen.put(forward(gap));
        gap = 0;
        pen.as(cell);
        pen.put(`\x1b[${end - column}X`);
      }
      gap += end - column;
      column = end - 1;
      continue;
    }
    pen.put(forward(gap));
    gap = 0;
    pen.as(cell);
    if (cell.getWidth() === 0 && cell.getChars() !== '') pen.apart();
    // A narrower screen, or what is written beside it, cuts a wide character in two; no output draws one half.
    const isHalf = cell.getWidth() === 2 && (column === cols - 1 || line.getWidth(column + 1) !== 0);
    pen.put(isHalf ? ' ' : charsOf(cell) || ' ');
    if (cell.getChars() === '' && isErased(cell)) filled(column);
    // The row it wrapped into was filled with the colour behind it.
    if (follows && column === 0 && !cell.isBgDefault()) {
      pen.plain();
      pen.put('\x1b[K');
    }
  }
}

/** What belongs to one of the two buffers and is no cell: its region, its tab stops and the cursor that it keeps. */
function settleBuffer(pen: Pen, buffer: CoreBuffer, { core, cols, rows, noted }: ScreenToSerialize): void {
  const stops = Array.from({ length: cols }, (_, column) => column).filter((column) => buffer.tabs[column]);
  if (stops.some((column) => column % 8 !== 0) || stops.length !== Math.ceil(cols / 8)) {
    pen.put('\x1b[3g');
    for (const column of stops) pen.put(`\x1b[${column + 1}G\x1bH`);
  }
  const { savedX, savedY, savedCurAttrData: saved, savedCharset } = buffer;
  const row = Math.min(rows - 1, Math.max(0, savedY - buffer.ybase));
  const slot = savedCharset === undefined ? -1 : core._charsetService._charsets.indexOf(savedCharset);
  const charset = slot < 0 ? undefined : noted.charsets.get(SLOTS[slot] ?? '');
  if (savedX !== 0 || row !== 0 || saved.fg !== 0 || saved.bg !== 0 || charset !== undefined) {
    pen.put(`\x1b[${row + 1};${Math.min(savedX, cols - 1) + 1}H`);
    pen.as(saved);
    if (charset !== undefined) pen.put(`\x1b(${charset}`);
    pen.put('\x1b7');
    if (charset !== undefined) pen.put('\x1b(B');
    pen.plain();
  }
  if (buffer.scrollTop !== 0 || buffer.scrollBottom !== rows - 1)
    pen.put(`\x1b[${buffer.scrollTop + 1};${buffer.scrollBottom + 1}r`);
}

/** The cursor as it stands, and how what comes next is written. */
function placeCursor(pen: Pen, { core, cols, noted, newCell }: ScreenToSerialize): void {
  const { active } = core.buffers;
  const { decPrivateModes: modes } = core.coreService;
  if (modes.origin) pen.put('\x1b[?6h');
  const row = active.y - (modes.origin ? active.scrollTop : 0);
  const at = (column: number) => pen.put(`\x1b[${row + 1};${column + 1}H`);
  const line = active.lines.get(active.ybase + active.y);
  const before = active.x > 0 && line ? cellBefore(line, active.x, newCell()) : undefined;
  const { _curAttrData: now, _parser: parser } = core._inputHandler;
  const { insertMode } = core.coreService.modes;
  // Written once more, the last character leaves what may join it, repeat it or wrap after it as it was.
  const isTranslated = insertMode || [...noted.charsets.values()].some((final) => final !== 'B');
  const endsWith = parser.precedingJoinState !== 0 && !isTranslated && before && lookOf(before.cell) === lookOf(now);
  if (!endsWith && before && active.x >= cols) {
    at(before.column);
    pen.as(before.cell);
    pen.put(charsOf(before.cell) || ' ');
  } else at(active.x);
  pen.as(now);
  for (const [slot, final] of noted.charsets) if (final !== 'B') pen.put(`\x1b${slot}${final}`);
  pen.put(['', '\x0e', '\x1bn', '\x1bo'][core._charsetService.glevel] ?? '');
  for (const [mode, isSet] of modesOf(core)) if (isSet) pen.put(mode);
  if (!endsWith) return;
  at(before.column);
  pen.put(charsOf(before.cell) || ' ');
}

function cellBefore(line: CoreLine, x: number, cell: Cell): { column: number; cell: Cell } {
  const last = line.loadCell(x - 1, cell);
  if (last.getWidth() !== 0 || last.getChars() !== '' || x < 2) return { column: x - 1, cell: last };
  return { column: x - 2, cell: line.loadCell(x - 2, cell) };
}

function modesOf(core: ScreenCore): [string, boolean][] {
  const { decPrivateModes: modes, isCursorHidden } = core.coreService;
  const { activeProtocol, activeEncoding } = core.coreMouseService;
  const [mouse, encoding] = [MOUSE[activeProtocol], MOUSE_ENCODINGS[activeEncoding]];
  const cursor = modes.cursorStyle && CURSORS[modes.cursorStyle] + (modes.cursorBlink === false ? 1 : 0);
  return [
    ['\x1b[4h', core.coreService.modes.insertMode],
    ['\x1b[20h', core.optionsService.options.convertEol],
    ['\x1b[?1h', modes.applicationCursorKeys],
    ['\x1b=', modes.applicationKeypad],
    ['\x1b[?2004h', modes.bracketedPasteMode],
    ['\x1b[?45h', modes.reverseWraparound],
    ['\x1b[?1004h', modes.sendFocus],
    ['\x1b[?7l', !modes.wraparound],
    ['\x1b[?25l', isCursorHidden],
    [`\x1b[?${mouse}h`, mouse !== undefined],
    [`\x1b[?${encoding}h`, encoding !== undefined],
    [`\x1b[${cursor} q`, cursor !== undefined],
  ];
}

function forward(cells: number): string {
  return cells > 0 ? `\x1b[${cells}C` : '';
}
