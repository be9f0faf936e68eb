/** Events as a table for spreadsheets. A cell that a spreadsheet would run as a formula is made text. */
import { visibleJson } from '../std/visible-json.ts';
import { tellEvent } from './tell-event.ts';

export const CSV_COLUMNS = [
  'time',
  'severity',
  'code',
  'event',
  'user',
  'kind',
  'name',
  'session',
  'address',
  'message',
  'uid',
  'json',
] as const;

/** With the byte order mark without which one common spreadsheet reads UTF-8 as something else. */
export const CSV_HEAD = `\ufeff${CSV_COLUMNS.join(',')}\r\n`;

export function csvLine(raw: unknown): string {
  const told = tellEvent(raw);
  const cells: Record<(typeof CSV_COLUMNS)[number], string> = {
    time: told.time,
    severity: told.severity,
    code: told.code,
    event: told.event,
    user: told.user,
    kind: told.subject.kind,
    name: told.subject.name,
    session: told.session,
    address: told.address,
    message: told.message,
    uid: told.id,
    json: visibleJson(raw),
  };
  return `${CSV_COLUMNS.map((column) => csvCell(cells[column])).join(',')}\r\n`;
}

/** Leading blanks do not stop a spreadsheet from finding the formula behind them. */
const FORMULA = /^[\s\u00a0]*[=+\-@\t\r|%\uff1d\uff0b\uff0d\uff20]/;

/** Without those that a cell may have: what hides or steers would hide a formula behind it, and speak to the terminal that shows the file. */
const HIDDEN = /(?![\t\r\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

export function csvCell(given: string): string {
  const text = given.replace(HIDDEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n;\t']/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
