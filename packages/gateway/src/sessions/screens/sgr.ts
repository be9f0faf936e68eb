/** The look of a cell as the control sequences that set it. */
import type { Attributes } from './screen-core.ts';

/** How the pinned terminal counts: the sixteen named colours apart from the same numbers of the palette. */
const NAMED = 0x1000000;
const RGB = 0x3000000;
const UNDERLINED = 0x10000000;

/** Empty for the look a terminal begins with. Most cells have that, or the look of the one before: a large screen has millions. */
export function lookOf(cell: Attributes): string {
  const { fg, bg } = cell;
  if (fg === 0 && bg === 0) return '';
  const extended = cell.hasExtendedAttrs() ? cell.extended._ext : 0;
  if (fg !== last.fg || bg !== last.bg || extended !== last.extended) last = { fg, bg, extended, look: written(cell) };
  return last.look;
}

let last = { fg: 0, bg: 0, extended: 0, look: '' };

function written(cell: Attributes): string {
  return [
    cell.isBold() ? ';1' : '',
    cell.isDim() ? ';2' : '',
    cell.isItalic() ? ';3' : '',
    cell.fg & UNDERLINED ? `;4:${underlineStyle(cell)}` : '',
    cell.isBlink() ? ';5' : '',
    cell.isInverse() ? ';7' : '',
    cell.isInvisible() ? ';8' : '',
    cell.isStrikethrough() ? ';9' : '',
    cell.isOverline() ? ';53' : '',
    cell.isFgDefault() ? '' : colour(30, cell.isFgRGB(), cell.getFgColorMode(), cell.getFgColor()),
    cell.isBgDefault() ? '' : colour(40, cell.isBgRGB(), cell.getBgColorMode(), cell.getBgColor()),
    underlineColour(cell),
  ].join('');
}

/** Nothing but a colour behind it: what erasing leaves. */
export function isErased(cell: Attributes): boolean {
  if (cell.fg === 0 && cell.bg === 0) return true;
  return cell.fg === 0 && lookOf(cell).replace(/^;(4\d|10\d|48;[25](;\d+)+)$/, '') === '' && !cell.isProtected();
}

function colour(base: 30 | 40, isRgb: boolean, mode: number, value: number): string {
  if (isRgb) return `;${base + 8};2;${rgb(value).join(';')}`;
  if (mode !== NAMED) return `;${base + 8};5;${value}`;
  return `;${value < 8 ? base + value : base + 60 + value - 8}`;
}

function underlineStyle(cell: Attributes): number {
  return Math.max(1, cell.hasExtendedAttrs() ? (cell.extended._ext >>> 26) & 7 : 1);
}

function underlineColour(cell: Attributes): string {
  const given = cell.hasExtendedAttrs() ? cell.extended._ext & 0x3ffffff : 0;
  const mode = given & RGB;
  if (mode === 0) return '';
  return mode === RGB ? `;58:2::${rgb(given).join(':')}` : `;58:5:${given & 255}`;
}

function rgb(value: number): [number, number, number] {
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}
