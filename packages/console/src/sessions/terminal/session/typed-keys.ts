/** Keys that a phone has not: what they type, and how Ctrl and Alt change the letter after them. */

export interface Modifiers {
  ctrl: boolean;
  alt: boolean;
}

/** As a keyboard would: Ctrl and a letter is a control character, Alt puts an escape before it. */
export function withModifiers(text: string, { ctrl, alt }: Modifiers): string {
  const typed = ctrl ? controlOf(text) : text;
  return alt ? `\u001b${typed}` : typed;
}

function controlOf(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: keys that are no letters begin with one
  const arrow = /^\u001b[[O]([ABCDHF])$/.exec(text);
  if (arrow) return `\u001b[1;5${arrow[1]}`;
  if (text === ' ') return '\u0000';
  if (text === '?') return '\u007f';
  const code = text.toUpperCase().charCodeAt(0);
  return text.length === 1 && code >= 64 && code <= 95 ? String.fromCharCode(code - 64) : text;
}

export const BAR_KEYS = [
  { name: 'Esc', types: '\u001b' },
  { name: '/', types: '/' },
  { name: '|', types: '|' },
  { name: '~', types: '~' },
  { name: 'Home', types: '\u001b[H' },
  { name: '↑', types: '\u001b[A' },
  { name: 'End', types: '\u001b[F' },
  { name: 'Tab', types: '\t' },
  { name: 'Ctrl', holds: 'ctrl' },
  { name: 'Alt', holds: 'alt' },
  { name: '-', types: '-' },
  { name: '←', types: '\u001b[D' },
  { name: '↓', types: '\u001b[B' },
  { name: '→', types: '\u001b[C' },
] as const satisfies readonly ({ name: string; types: string } | { name: string; holds: keyof Modifiers })[];
