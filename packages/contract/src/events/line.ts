/** The line a reviewer reads of an event. Values enter it through `line` alone, which is where hostile text is made harmless. */
import { queryText, visibleText } from '../std/visible-text.ts';

export class Line {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type LineValue = Line | string | number | boolean | readonly string[] | undefined;

/** A value longer than this would push the rest of its line away. */
const VALUE_LENGTH = 160;
const LIST_LENGTH = 8;
/** Stands where an event lacks what it should tell. */
export const MISSING = '(unknown)';

export const NOTHING = new Line('');

/** Template tag: our words as they are, values made visible, what is missing said to be. */
export function line(words: TemplateStringsArray, ...values: LineValue[]): Line {
  return new Line(words.reduce((told, word, at) => `${told}${shown(values[at - 1])}${word}`));
}

function shown(value: LineValue): string {
  if (value instanceof Line) return value.text;
  if (value === undefined || value === '') return MISSING;
  if (typeof value !== 'object') return visibleText(String(value), VALUE_LENGTH);
  if (value.length === 0) return 'none';
  const told = value.slice(0, LIST_LENGTH).map((item) => visibleText(item, VALUE_LENGTH / 2));
  const more = value.length - told.length;
  return told.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** `the gateway gate-1`; one that has no name of its own is called what it is, once. */
export function theGateway(name: string | undefined): Line {
  if (name === 'gateway') return new Line('the gateway');
  return name?.startsWith('gateway-') ? line`${name}` : line`the gateway ${name}`;
}

/** `: reason` where there is one. */
export function because(reason: string | undefined): Line {
  return reason ? line`: ${reason}` : NOTHING;
}

/** A query or command, cut short. */
export function cut(text: string | undefined): Line {
  return line`${queryText(text ?? '')}`;
}

/** ` (name)` where there is one. */
export function named(name: string | undefined): Line {
  return name ? line` (${name})` : NOTHING;
}

/** The line when the value is there, nothing when it is not. */
export function when(value: unknown, told: Line): Line {
  return value === undefined || value === '' || value === false ? NOTHING : told;
}

/** How long something took, when both its ends are known. */
export function took(start: string | undefined, stop: string | undefined): Line {
  const seconds = Math.round((Date.parse(stop ?? '') - Date.parse(start ?? '')) / 1000);
  if (!(seconds >= 0)) return NOTHING;
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([amount]) => amount > 0);
  const told =
    first < 0
      ? '0 s'
      : parts
          .slice(first, first + 2)
          .map(([amount, unit]) => `${amount} ${unit}`)
          .join(' ');
  return line` after ${told}`;
}
