/** A value in a file of comma-separated ones, as nobody's spreadsheet runs it. */

/** Spreadsheets would run what begins like that: behind blanks as well, and in the wide letters of Asian keyboards. */
const FORMULA = /^[\s\u00a0]*[=+\-@\t\r|%\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const QUOTED = /[",\r\n]/;

/** NULL is nothing at all, an empty text is two quotes. */
export function csvCell(cell: string | null): string {
  if (cell === null) return '';
  const safe = FORMULA.test(cell) && !NUMBER.test(cell) ? `'${cell}` : cell;
  return safe === '' || QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
