/** Which databases a batch of T-SQL changes to, and whether it only reads. */
import { afterQuoted, CLOSING, tsqlTokens } from '@gatehouse/contract/kinds/db/tsql-tokens';

/** That are changed to in one text, told apart by their names. Nobody writes so many, and about each somebody's roles are asked. */
export const MAX_DATABASES = 1_000;

/** Of each `USE`, in its order and once; not those inside texts that the server runs later, nor tables that are named with their database: the server's own grants hold those. */
export function databasesUsed(text: string): string[] {
  if (!/use/i.test(text)) return [];
  const used = new Set<string>();
  let before = '';
  /** What stood before `USE`, while its name is waited for. */
  let opened: string | undefined;
  for (const { what, from, to } of tsqlTokens(text)) {
    const part = text.slice(from, to);
    if (opened !== undefined) {
      // `OPTION (USE HINT …)` and `USE PLAN` are no statements.
      const isHint = (opened === '(' || opened === ',') && /^(?:hint|plan)$/i.test(part);
      if (!isHint) used.add(nameOf(part));
      opened = undefined;
      if (used.size > MAX_DATABASES) break;
    } else if (what === 'word' && part.toLowerCase() === 'use') opened = before;
    before = part;
  }
  return [...used];
}

function nameOf(part: string): string {
  if (part.startsWith('[')) return sameName(part.slice(1, -1).replaceAll(']]', ']'));
  if (part.startsWith('"')) return sameName(part.slice(1, -1).replaceAll('""', '"'));
  return part;
}

/** The server takes names that differ in spaces at their ends for the same. */
export function sameName(name: string): string {
  let end = name.length;
  while (name[end - 1] === ' ') end -= 1;
  return name.slice(0, end);
}

export interface ProcedureName {
  name: string;
  /** Empty where none is named. */
  database: string;
}

/** As the server finds it: `[master]..[sp_who];1` is `sp_who` in `master`. */
export function procedureName(text: string): ProcedureName {
  const parts = [''];
  for (let at = 0; at < text.length; ) {
    const closing = text[at] === '[' || text[at] === '"' ? CLOSING[text[at] as string] : undefined;
    const to = closing === undefined ? at + 1 : afterQuoted(text, at, closing);
    if (closing === undefined && text[at] === '.') parts.push('');
    else parts[parts.length - 1] += text.slice(at, to);
    at = to;
  }
  const last = parts.pop() ?? '';
  const numbered = last.lastIndexOf(';');
  const isNumbered = numbered >= 0 && /^\d*$/.test(last.slice(numbered + 1).trim());
  return {
    name: nameOf((isNumbered ? last.slice(0, numbered) : last).trim()),
    database: nameOf((parts.at(-2) ?? '').trim()),
  };
}

const READING: ReadonlySet<string> = new Set([
  'select',
  'with',
  'set',
  'declare',
  'use',
  'if',
  'begin',
  'commit',
  'rollback',
  'save',
  'print',
  'return',
]);
const WRITING = new Set(
  'insert update delete merge truncate create alter drop grant revoke deny exec execute backup restore into bulk writetext updatetext kill shutdown reconfigure dbcc openrowset openquery opendatasource disable enable add signature checkpoint'.split(
    ' ',
  ),
);

/** A seat belt: SQL Server has no session that only reads. A name that begins a batch runs the procedure of that name. */
export function onlyReads(text: string): boolean {
  let isFirst = true;
  for (const { what, from, to } of tsqlTokens(text)) {
    const part = text.slice(from, to).toLowerCase();
    if (isFirst && !(READING.has(part) || (what !== 'word' && what !== 'text'))) return false;
    if (what === 'word' || what === 'text') isFirst = false;
    if (what === 'word' && WRITING.has(part)) return false;
  }
  return true;
}
