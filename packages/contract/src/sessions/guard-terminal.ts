/**
 * What hostile output could do to a terminal that plays it: keep it busy for ever, fill its memory, or make it throw. The gateway's
 * terminals, the console's and the player's are of one make, and guarded alike.
 */
import { TerminalWork } from './terminal-work.ts';

/** No screen has more, and no program does anything more often: it is passed over. */
const MOST_REPEATED = 5_000;
/** As often as a line is long, a character is repeated for nothing; drawing one more costs as much as touching so many cells. */
const REPEATED_FREELY = 256;
const CELLS_PER_CHARACTER = 16;
/** A row is erased by copying a blank one, which costs so much less. */
const ERASED_AT_ONCE = 16;
/** Longer than browsers take; what is longer is shown without its link. */
const MOST_LINK = 2_048;
/** Every link follows its rows, and every row that scrolls tells all of them. */
const MOST_MARKERS = 1_000;
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
}

interface Look {
  fg: number;
  bg: number;
}

interface Given {
  length: number;
  params: number[];
}

type Method = 'insertLines' | 'deleteLines' | 'scrollUp' | 'scrollDown' | 'cursorForwardTab' | 'cursorBackwardTab';

/** What its public interface does not tell. Its version is pinned, and tests on both sides hold it to this. */
interface Core {
  buffers: {
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
    };
  };
  coreService: { modes: { insertMode: boolean } };
  _inputHandler: Record<Method, (params: Given) => boolean> & {
    _parser: { setPrintHandler(print: (data: Uint32Array, start: number, end: number) => void): void };
    print(data: Uint32Array, start: number, end: number): void;
    setHyperlink(data: string): boolean;
    eraseInDisplay(params: Given, respectProtect: boolean): boolean;
    _eraseAttrData(): Look;
    _getCurrentLinkId(): number;
    _resetBufferLine(row: number, respectProtect?: boolean): void;
  };
}

export function guardTerminal(terminal: GuardedTerminal): TerminalGuard {
  const core = (terminal as unknown as { _core: Core })._core;
  const guarded: Guarded = { terminal, core, work: new TerminalWork() };
  eraseRowsAtOnce(guarded);
  guardPrinting(guarded);
  guardLinks(guarded);
  guardScrolling(guarded);
  guardScreens(guarded);
  guardErasing(guarded);
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
    if (buffers.active.markers.length > MOST_MARKERS && handler._getCurrentLinkId() !== 0) handler.setHyperlink(';');
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
    return characters > MOST_REPEATED || !work.spend(Math.max(0, characters - REPEATED_FREELY) * CELLS_PER_CHARACTER);
  });
}

function guardLinks({ terminal, core }: Guarded): void {
  const { buffers, _inputHandler: handler } = core;
  terminal.parser.registerOscHandler(8, (data) => {
    if (data.length <= MOST_LINK && buffers.active.markers.length < MOST_MARKERS) return false;
    return handler.setHyperlink(';');
  });
}

/** As often as there are rows, or columns, and no more: after that nothing changes. */
function guardScrolling({ terminal, core, work }: Guarded): void {
  const { parser } = terminal;
  const { buffers, _inputHandler: handler } = core;
  const clamped = (final: string, method: Method, most: () => number, cost: () => number) =>
    parser.registerCsiHandler({ final }, (params) => {
      if (countOf(params) > MOST_REPEATED) return true;
      const count = Math.min(countOf(params), Math.max(1, most()));
      return !work.spend(count * cost()) || handler[method]({ length: 1, params: [count] });
    });
  const region = () => buffers.active.scrollBottom - buffers.active.scrollTop + 1;
  const below = () => buffers.active.scrollBottom - buffers.active.y + 1;
  const row = () => terminal.cols + 2 * terminal.rows + buffers.active.markers.length;
  clamped('S', 'scrollUp', region, row);
  clamped('T', 'scrollDown', region, row);
  clamped('L', 'insertLines', below, row);
  clamped('M', 'deleteLines', below, row);
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

function countOf(params: Params): number {
  return Math.max(1, first(params[0] ?? 0));
}

function first(given: number | number[]): number {
  return Array.isArray(given) ? (given[0] ?? 0) : given;
}
