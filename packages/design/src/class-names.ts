/** Joins class names, leaving out what is not set. */

export function classNames(...names: (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** Of a text that is cut where there is no room for all of it; base.css has the rule. */
export const ONE_LINE = 'one-line';
