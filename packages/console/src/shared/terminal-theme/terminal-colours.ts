/** The colours of the design for a canvas, which knows no custom properties. */
import type { ITheme } from '@xterm/xterm';

const COLOURS = {
  background: '--term-bg',
  foreground: '--term-text',
  cursor: '--term-cursor',
  cursorAccent: '--term-bg',
  selectionBackground: '--term-select',
  black: '--surface-4',
  red: '--term-red',
  green: '--term-green',
  yellow: '--term-yellow',
  blue: '--term-blue',
  magenta: '--term-magenta',
  cyan: '--term-cyan',
  white: '--term-text',
  brightBlack: '--term-dim',
  brightRed: '--term-red',
  brightGreen: '--term-green',
  brightYellow: '--term-yellow',
  brightBlue: '--term-blue',
  brightMagenta: '--term-magenta',
  brightCyan: '--term-cyan',
  brightWhite: '--term-white',
  scrollbarSliderBackground: '--data',
  scrollbarSliderHoverBackground: '--data-strong',
  scrollbarSliderActiveBackground: '--data-strong',
} as const satisfies ITheme;

/** As they are within `place`, which may have another theme than the page. */
export function readColours(place: HTMLElement): ITheme {
  return readRoles(place, COLOURS);
}

export function readMarks(place: HTMLElement) {
  return readRoles(place, { match: '--mark', current: '--mark-current' });
}

function readRoles<Name extends string>(place: HTMLElement, roles: Record<Name, string>): Record<Name, string> {
  const probe = place.ownerDocument.createElement('span');
  probe.hidden = true;
  place.append(probe);
  const read = Object.entries<string>(roles).map(([name, role]) => {
    probe.style.color = `var(${role})`;
    return [name, asHex(getComputedStyle(probe).color)];
  });
  probe.remove();
  return Object.fromEntries(read) as Record<Name, string>;
}

/** "rgb(1, 2, 3)" as "#010203": the marks of found text take nothing else. */
export function asHex(colour: string): string {
  const parts = colour.match(/\d+(?:\.\d+)?/g)?.slice(0, 3) ?? [];
  return parts.length === 3
    ? `#${parts.map((part) => Math.round(Number(part)).toString(16).padStart(2, '0')).join('')}`
    : '#808080';
}
