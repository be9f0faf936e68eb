/**
 * What hostile output could do to a terminal that plays it: keep it busy for ever, fill its memory, or make it throw. The gateway's
 * terminals, the console's and the player's are of one make, and guarded alike.
 */
import { TerminalWork } from './terminal-work.ts';

/** No screen has more, and no program does anything more often: it is passed over. */
const MAX_REPEATED = 5_000;
/** As often as a line is long, a character is repeated for nothing; drawing one more costs as much as touching so many cells. */
const REPEATED_FREELY = 256;
const CELLS_PER_CHARACTER = 16;
/** A row is erased by copying a blank one, which costs so much less. */
const ERASED_AT_ONCE = 16;
/** Longer than browsers take; what is longer is shown without its link. */
const MAX_LINK = 2_048;
/** Every link follows its rows, and every row that is moved tells all of them, which costs each as much as touching so many cells. */
const MAX_MARKERS = 1_000;
const CELLS_PER_MARKER = 16;
/** More accents than any writing puts on one character, and longer than any title is shown: a megabyte of either would be kept. */
const MAX_IN_CELL = 64;
const MAX_TITLE = 4_096;
const TITLES = [0, 1, 2];
/** Of one title, link or other text that is named and not shown. Every letter of it is kept several times until its end. */
const MAX_NAMED = 16 * 1024;
/** More rows than are kept may become fewer: lines are counted one by one, and a line that wraps is several. */
const KEPT_ENOUGH = 2;
const ALTERNATE = [47, 1047, 1049];
const ALL = 2;

type Params = readonly (number | number[])[];

interface SequenceId {
  prefix?: string;
  intermediates?: string;
  final: string;
}

export interface GuardedTerminal {
  readonly cols: number;
  readonly rows: number;
  readonly parser: {
    registerCsiHandler(id: SequenceId, callback: (params: (number | number[])[]) => boolean): unknown;
    registerEscHandler(id: SequenceId, callback: () => boolean): unknown;
    registerOscHandler(ident: number, callback: (data: string) => boolean): unknown;
  };
}

export interface TerminalGuard {
  /** What comes next is drawn by us: it does not answer for what was printed before. */
  trust(): void;
}

interface Line {
  length: number;
  copyFrom(line: Line): void;
  getString(column: number): string;
  getTrimmedLength(): number;
  addCodepointToCell(column: number, code: number, width: number): void;
}

interface Look {
  fg: number;
  bg: number;
}

interface Given {
  length: number;
  params: number[];
}

/** The screen with what has scrolled out above it. */
interface Scrolled {
  ybase: number;
  ydisp: number;
  savedY: number;
  lines: { length: number; maxLength: number; get(index: number): Line | undefined; trimStart(count: number): void };
  _isReflowEnabled?: boolean;
}

interface NamedText {
  put(data: Uint32Array, start: number, end: number): void;
  start?: Begins;
  hook?: Begins;
  end?: Ends;
  unhook?: Ends;
}

type Begins = (...given: unknown[]) => unknown;
type Ends = (isWhole: boolean, ...more: unknown[]) => unknown;

type Method = 'insertLines' | 'deleteLines' | 'scrollUp' | 'scrollDown' | 'cursorForwardTab' | 'cursorBackwardTab';

/** What its public interface does not tell. Its version is pinned, and tests on both sides hold it to this. */
interface Core {
  buffers: {
    normal: Scrolled;
    resize(cols: number, rows: number): void;
    active: {
      x: number;
      y: number;
      ybase: number;
      scrollTop: number;
      scrollBottom: number;
      markers: unknown[];
      lines: { length: number; get(index: number): Line | undefined };
      getBlankLine(look: Look): Line;
      clearMarkers(row: number): void;
      clearAllMarkers(): void;
    };
  };
  _bufferService: { scroll(look: Look, isWrapped?: boolean): void };
  coreService: { modes: { insertMode: boolean } };
  _inputHandler: Record<Method, (params: Given) => boolean> & {
    _parser: {
      setPrintHandler(print: (data: Uint32Array, start: number, end: number) => void): void;
      _oscParser: NamedText;
      _dcsParser: NamedText;
    };
    print(data: Uint32Array, start: number, end: number): void;
    setHyperlink(data: string): boolean;
    eraseInDisplay(params: Given, respectProtect: boolean): boolean;
    _eraseAttrData(): Look;
    _getCurrentLinkId(): number;
    _resetBufferLine(row: number, respectProtect?: boolean): void;
  };
}

/** `mostNamed`: for who does something with more of it. */
export function guardTerminal(terminal: GuardedTerminal, mostNamed = MAX_NAMED): TerminalGuard {
  const core = (terminal as unknown as { _core: Core })._core;
  const guarded: Guarded = { terminal, core, work: new TerminalWork() };
  eraseRowsAtOnce(guarded);
  guardPrinting(guarded);
  guardNamedText(core._inputHandler._parser._oscParser, mostNamed);
  guardNamedText(core._inputHandler._parser._dcsParser, mostNamed);
  guardTexts(guarded);
  guardLinks(guarded);
  guardScrolling(guarded);
  guardScreens(guarded);
  guardErasing(guarded);
  guardResizing(guarded);
  return { trust: () => guarded.work.refill() };
}

interface Guarded {
  terminal: GuardedTerminal;
  core: Core;
  work: TerminalWork;
}

function eraseRowsAtOnce({ terminal, core }: Guarded): void {
  const { buffers, _inputHandler: handler } = core;
  const oneByOne = handler._resetBufferLine.bind(handler);
  let blank: { line: Line; fg: number; bg: number } | undefined;
  handler._resetBufferLine = (row, respectProtect = false) => {
    const { active } = buffers;
    const line = active.lines.get(active.ybase + row);
    if (respectProtect || line?.length !== terminal.cols) return oneByOne(row, respectProtect);
    const look = handler._eraseAttrData();
    if (blank?.line.length !== line.length || blank.fg !== look.fg || blank.bg !== look.bg)
      blank = { line: active.getBlankLine(look), fg: look.fg, bg: look.bg };
    line.copyFrom(blank.line);
    active.clearMarkers(active.ybase + row);
  };
}

function guardPrinting({ terminal, core, work }: Guarded): void {
  const { buffers, coreService, _inputHandler: handler } = core;
  handler._parser.setPrintHandler((data, start, end) => {
    const count = end - start;
    work.earn(count);
    if (buffers.active.markers.length > MAX_MARKERS && handler._getCurrentLinkId() !== 0) handler.setHyperlink(';');
    const { modes } = coreService;
    // What each character pushes along is no more than it earns, unless the line is long.
    const pushed = modes.insertMode ? Math.max(0, terminal.cols - REPEATED_FREELY) * count : 0;
    if (work.spend(pushed)) return handler.print(data, start, end);
    modes.insertMode = false;
    handler.print(data, start, end);
    modes.insertMode = true;
  });
  terminal.parser.registerCsiHandler({ final: 'b' }, (params) => {
    const { active } = buffers;
    const line = active.lines.get(active.ybase + active.y);
    const before = [1, 2].map((back) => (active.x >= back ? (line?.getString(active.x - back).length ?? 0) : 0));
    const characters = countOf(params) * Math.max(1, ...before);
    return characters > MAX_REPEATED || !work.spend(Math.max(0, characters - REPEATED_FREELY) * CELLS_PER_CHARACTER);
  });
}

/** Eight megabytes of it that never ended took half a gigabyte, and the whole process with it: what is too long is as if it was cancelled. */
function guardNamedText(parser: NamedText, most: number): void {
  let length = 0;
  const put = parser.put.bind(parser);
  parser.put = (data, from, to) => {
    length += to - from;
    if (length <= most) put(data, from, to);
  };
  const begun =
    (begins: Begins): Begins =>
    (...given) => {
      length = 0;
      return begins.apply(parser, given);
    };
  const ended =
    (ends: Ends): Ends =>
    (isWhole, ...more) =>
      ends.call(parser, isWhole && length <= most, ...more);
  if (parser.start) parser.start = begun(parser.start);
  if (parser.hook) parser.hook = begun(parser.hook);
  if (parser.end) parser.end = ended(parser.end);
  if (parser.unhook) parser.unhook = ended(parser.unhook);
}

/** Lines of one make share what they do. */
const bounded = new WeakSet<object>();

function guardTexts({ terminal, core }: Guarded): void {
  for (const ident of TITLES) terminal.parser.registerOscHandler(ident, (data) => data.length > MAX_TITLE);
  const lines = Object.getPrototypeOf(core.buffers.active.lines.get(0)) as Line;
  if (bounded.has(lines)) return;
  bounded.add(lines);
  const add = lines.addCodepointToCell;
  lines.addCodepointToCell = function (this: Line, column, code, width) {
    if (this.getString(column).length < MAX_IN_CELL) add.call(this, column, code, width);
  };
}

function guardLinks({ terminal, core }: Guarded): void {
  const { buffers, _inputHandler: handler } = core;
  terminal.parser.registerOscHandler(8, (data) => {
    if (data.length <= MAX_LINK && buffers.active.markers.length < MAX_MARKERS) return false;
    return handler.setHyperlink(';');
  });
}

/** Links are let go of before anything that is shown is passed over. */
function guardScrolling({ terminal, core, work }: Guarded): void {
  const { buffers, _bufferService: service } = core;
  const moved = (rows: number) => {
    const { markers } = buffers.active;
    if (markers.length > 0 && !work.spendAll(rows * markers.length * CELLS_PER_MARKER))
      buffers.active.clearAllMarkers();
  };
  const scroll = service.scroll.bind(service);
  service.scroll = (look, isWrapped) => {
    const { scrollTop, scrollBottom } = buffers.active;
    // Into the middle of all rows: one that scrolls out at the top takes its links along, and these would stay.
    if (scrollTop === 0 && scrollBottom < terminal.rows - 1) moved(1);
    scroll(look, isWrapped);
  };
  guardRows({ terminal, core, work }, moved);
}

/** As often as there are rows, or columns, and no more: after that nothing changes. */
function guardRows({ terminal, core, work }: Guarded, moved: (rows: number) => void): void {
  const { parser } = terminal;
  const { buffers, _inputHandler: handler } = core;
  const clamped = (final: string, method: Method, most: () => number, cost: () => number, onRows?: typeof moved) =>
    parser.registerCsiHandler({ final }, (params) => {
      if (countOf(params) > MAX_REPEATED) return true;
      const count = Math.min(countOf(params), Math.max(1, most()));
      if (!work.spend(count * cost())) return true;
      onRows?.(count);
      return handler[method]({ length: 1, params: [count] });
    });
  const region = () => buffers.active.scrollBottom - buffers.active.scrollTop + 1;
  const below = () => buffers.active.scrollBottom - buffers.active.y + 1;
  const row = () => terminal.cols + 2 * terminal.rows;
  clamped('S', 'scrollUp', region, row, moved);
  clamped('T', 'scrollDown', region, row, moved);
  clamped('L', 'insertLines', below, row, moved);
  clamped('M', 'deleteLines', below, row, moved);
  const columns = () => terminal.cols;
  clamped('I', 'cursorForwardTab', columns, () => 1);
  clamped('Z', 'cursorBackwardTab', columns, () => 1);
}

/** What touches all cells one by one. */
function guardScreens({ terminal, work }: Guarded): void {
  const { parser } = terminal;
  const isTooMuch = (times: number) => !work.spend(times * terminal.cols * terminal.rows);
  for (const [intermediates, finals] of [
    [' ', ['@', 'A']],
    ["'", ['}', '~']],
  ] as const)
    for (const final of finals) parser.registerCsiHandler({ intermediates, final }, () => isTooMuch(2));
  parser.registerEscHandler({ intermediates: '#', final: '8' }, () => isTooMuch(1));
  parser.registerEscHandler({ final: 'c' }, () => isTooMuch(2));
  parser.registerCsiHandler(
    { prefix: '?', final: 'h' },
    (params) => params.some((given) => ALTERNATE.includes(first(given))) && isTooMuch(1),
  );
}

function guardErasing({ terminal, core, work }: Guarded): void {
  const { buffers, _inputHandler: handler } = core;
  for (const prefix of ['', '?']) {
    terminal.parser.registerCsiHandler({ ...(prefix && { prefix }), final: 'J' }, (params) => {
      const { x, y, lines, markers } = buffers.active;
      const what = first(params[0] ?? 0);
      const rows = [terminal.rows - y, y + 1, terminal.rows][what] ?? 0;
      const perRow = prefix === '' ? (terminal.cols + markers.length) / ERASED_AT_ONCE : terminal.cols + markers.length;
      if (!work.spend(rows * perRow)) return true;
      // Erasing up to the very last cell, it would look at the row below the last one, and throw. All is erased then.
      if (what !== 1 || x + 1 < terminal.cols || y + 1 < lines.length) return false;
      return handler.eraseInDisplay({ length: 1, params: [ALL] }, prefix === '?');
    });
  }
}

/**
 * A narrower terminal breaks its rows into many: of a thousand long ones, hundreds of thousands. Those that would not be kept are let
 * go of before, and where the screen alone makes too many it is cut.
 */
function guardResizing({ core: { buffers } }: Guarded): void {
  const resize = buffers.resize.bind(buffers);
  buffers.resize = (cols, rows) => {
    const { normal } = buffers;
    const tooMany = linesTooMany(normal, cols);
    const isCut = tooMany > normal.ybase;
    letGo(normal, Math.min(tooMany, normal.ybase));
    if (isCut) Object.defineProperty(normal, '_isReflowEnabled', { value: false, configurable: true });
    resize(cols, rows);
    if (isCut) delete normal._isReflowEnabled;
  };
}

/** Of the first lines, those without which there are still more rows than are kept. */
function linesTooMany({ lines }: Scrolled, cols: number): number {
  if ((lines.get(0)?.length ?? 0) <= cols) return 0;
  const most = KEPT_ENOUGH * lines.maxLength;
  let [left, rows] = [lines.length, 0];
  for (; left > 0 && rows <= most; left -= 1)
    rows += Math.max(1, Math.ceil((lines.get(left - 1)?.getTrimmedLength() ?? 0) / cols));
  return rows <= most ? 0 : left;
}

function letGo(buffer: Scrolled, count: number): void {
  if (count === 0) return;
  buffer.lines.trimStart(count);
  buffer.ybase -= count;
  buffer.ydisp = Math.max(0, buffer.ydisp - count);
  buffer.savedY = Math.max(0, buffer.savedY - count);
}

function countOf(params: Params): number {
  return Math.max(1, first(params[0] ?? 0));
}

function first(given: number | number[]): number {
  return Array.isArray(given) ? (given[0] ?? 0) : given;
}
