/** Keys as hosts of VNC know them: by what they write or do, and not by where they lie. */

const row = (first: number, symbols: string) =>
  [...symbols].map((symbol, index) => [first + index, symbol.codePointAt(0) ?? 0] as const);

/** By scancode of set 1. Letters and signs as an American keyboard has them: only for keys of which nobody knows what they write. */
const SYMBOLS: ReadonlyMap<number, number> = new Map([
  ...row(0x02, '1234567890-='),
  ...row(0x10, 'qwertyuiop[]'),
  ...row(0x1e, "asdfghjkl;'`"),
  ...row(0x2b, '\\zxcvbnm,./'),
  ...row(0x39, ' '),
  ...row(0x56, '<'),
  // Escape, Backspace, Tab, Enter.
  ...([
    [0x01, 0xff1b],
    [0x0e, 0xff08],
    [0x0f, 0xff09],
    [0x1c, 0xff0d],
  ] as const),
  // Shift, Control, Alt, AltGr, the keys of the system, the menu.
  ...([
    [0x2a, 0xffe1],
    [0x36, 0xffe2],
    [0x1d, 0xffe3],
    [0xe01d, 0xffe4],
  ] as const),
  ...([
    [0x38, 0xffe9],
    [0xe038, 0xfe03],
    [0xe05b, 0xffeb],
    [0xe05c, 0xffec],
    [0xe05d, 0xff67],
  ] as const),
  // Caps Lock, Num Lock, Scroll Lock, Print Screen.
  ...([
    [0x3a, 0xffe5],
    [0x45, 0xff7f],
    [0x46, 0xff14],
    [0xe037, 0xff61],
  ] as const),
  // F1 to F10, F11, F12.
  ...Array.from({ length: 10 }, (_, index) => [0x3b + index, 0xffbe + index] as const),
  ...([
    [0x57, 0xffc8],
    [0x58, 0xffc9],
  ] as const),
  // Home, arrows, Page Up, End, Page Down, Insert, Delete.
  ...([
    [0xe047, 0xff50],
    [0xe048, 0xff52],
    [0xe049, 0xff55],
    [0xe04b, 0xff51],
    [0xe04d, 0xff53],
  ] as const),
  ...([
    [0xe04f, 0xff57],
    [0xe050, 0xff54],
    [0xe051, 0xff56],
    [0xe052, 0xff63],
    [0xe053, 0xffff],
  ] as const),
  // The pad: multiply, 7 8 9 subtract 4 5 6 add 1 2 3 0 decimal, Enter, divide, equal.
  ...([
    [0x37, 0xffaa],
    [0x47, 0xffb7],
    [0x48, 0xffb8],
    [0x49, 0xffb9],
    [0x4a, 0xffad],
  ] as const),
  ...([
    [0x4b, 0xffb4],
    [0x4c, 0xffb5],
    [0x4d, 0xffb6],
    [0x4e, 0xffab],
    [0x4f, 0xffb1],
  ] as const),
  ...([
    [0x50, 0xffb2],
    [0x51, 0xffb3],
    [0x52, 0xffb0],
    [0x53, 0xffae],
  ] as const),
  ...([
    [0xe01c, 0xff8d],
    [0xe035, 0xffaf],
    [0x59, 0xffbd],
  ] as const),
]);

/** The part of the pad that writes digits while Num Lock is on, and moves otherwise. */
const PAD_MOVES: ReadonlyMap<string, number> = new Map([
  ...([
    ['Home', 0xff95],
    ['ArrowLeft', 0xff96],
    ['ArrowUp', 0xff97],
    ['ArrowRight', 0xff98],
  ] as const),
  ...([
    ['ArrowDown', 0xff99],
    ['PageUp', 0xff9a],
    ['PageDown', 0xff9b],
    ['End', 0xff9c],
  ] as const),
  ...([
    ['Clear', 0xff9d],
    ['Insert', 0xff9e],
    ['Delete', 0xff9f],
  ] as const),
]);
const isPad = (scancode: number) => scancode >= 0x47 && scancode <= 0x53;

/** `written`: what the browser says of the key. Undefined for keys that such hosts do not know. */
export function symbolOfKey(scancode: number, written: string | undefined): number | undefined {
  if (isPad(scancode)) return PAD_MOVES.get(written ?? '') ?? SYMBOLS.get(scancode);
  return written !== undefined && [...written].length === 1 ? symbolOf(written) : SYMBOLS.get(scancode);
}

/** The first letters of Unicode are themselves, all others are marked as such. */
export function symbolOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  return (point >= 0x20 && point <= 0x7e) || (point >= 0xa0 && point <= 0xff) ? point : 0x1000000 + point;
}
