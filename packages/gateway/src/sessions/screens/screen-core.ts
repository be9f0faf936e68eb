/** What a terminal without a screen knows and its public interface does not tell: a drawing that can be gone on from needs it. Its version is pinned, and the tests of this folder hold it to this. */
import type headless from '@xterm/headless';

export interface Attributes {
  fg: number;
  bg: number;
  /** `_ext` without what a link adds to it. */
  extended: { _ext: number; urlId: number };
  isInverse(): number;
  isBold(): number;
  isBlink(): number;
  isInvisible(): number;
  isItalic(): number;
  isDim(): number;
  isStrikethrough(): number;
  isProtected(): number;
  isOverline(): number;
  isFgRGB(): boolean;
  isBgRGB(): boolean;
  isFgDefault(): boolean;
  isBgDefault(): boolean;
  getFgColor(): number;
  getBgColor(): number;
  getFgColorMode(): number;
  getBgColorMode(): number;
  hasExtendedAttrs(): number;
}

export interface Cell extends Attributes {
  getWidth(): number;
  getChars(): string;
}

export interface CoreLine {
  isWrapped: boolean;
  loadCell(index: number, cell: Cell): Cell;
  getWidth(index: number): number;
}

export interface CoreBuffer {
  ybase: number;
  x: number;
  y: number;
  tabs: Record<number, boolean>;
  savedX: number;
  savedY: number;
  savedCurAttrData: Attributes;
  savedCharset: object | undefined;
  scrollTop: number;
  scrollBottom: number;
  lines: { length: number; get(index: number): CoreLine | undefined };
}

export interface ScreenCore {
  buffers: { active: CoreBuffer; normal: CoreBuffer; alt: CoreBuffer };
  coreService: {
    isCursorHidden: boolean;
    modes: { insertMode: boolean };
    decPrivateModes: {
      applicationCursorKeys: boolean;
      applicationKeypad: boolean;
      bracketedPasteMode: boolean;
      cursorBlink: boolean | undefined;
      cursorStyle: 'block' | 'underline' | 'bar' | undefined;
      origin: boolean;
      reverseWraparound: boolean;
      sendFocus: boolean;
      synchronizedOutput: boolean;
      wraparound: boolean;
    };
  };
  coreMouseService: { activeProtocol: string; activeEncoding: string };
  optionsService: { options: { convertEol: boolean } };
  _charsetService: { glevel: number; charset: object | undefined; _charsets: (object | undefined)[] };
  _oscLinkService: { getLinkData(linkId: number): { id?: string; uri: string } | undefined };
  _inputHandler: {
    _curAttrData: Attributes;
    _windowTitle: string;
    _parser: { currentState: number; precedingJoinState: number };
  };
}

export function coreOf(terminal: headless.Terminal): ScreenCore {
  return (terminal as unknown as { _core: ScreenCore })._core;
}

/** To read cells into. That of the terminal itself is what it fills rows with: read into that one, and every row would show it. */
export function newCell(terminal: headless.Terminal): Cell {
  return terminal.buffer.active.getNullCell() as unknown as Cell;
}

/** More accents than any writing puts on one character; hostile output puts thousands there. */
const MAX_IN_CELL = 32;

export function charsOf(cell: Pick<Cell, 'getChars'>): string {
  const chars = cell.getChars();
  return chars.length <= MAX_IN_CELL ? chars : [...chars.slice(0, 2 * MAX_IN_CELL)].slice(0, MAX_IN_CELL).join('');
}
