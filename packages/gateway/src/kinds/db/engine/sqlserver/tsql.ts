/** Takes a batch of T-SQL apart, as far as one must to know which databases it changes to and whether it only reads. */
import type { Token } from '@gatehouse/contract/kinds/db/sql-tokens';

const WORD = /[\p{L}_@#][\p{L}\p{N}_@#$]*/uy;
/** What follows one may stand right behind it: `0x0use x`, `1e0update`. */
const NUMBER = /0x[0-9a-f]*|(?:\d+(?:\.\d*)?|\.\d+)(?:e(?:[+-]?\d+)?)?/iy;
const CLOSING: Readonly<Record<string, string>> = { "'": "'", '"': '"', '[': ']' };

/** Texts between `"` are names or texts, as the session has it: either way nothing in them is run. */
export function* tsqlTokens(text: string): Generator<Token> {
  for (let at = 0; at < text.length; ) {
    const from = at;
    const character = text[at] as string;
    const two = text.slice(at, at + 2);
    if (two === '--') {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end + 1;
      continue;
    }
    if (two === '/*') {
      at = afterComment(text, at);
      continue;
    }
    const closing = CLOSING[character];
    if (closing !== undefined) {
      at = afterQuoted(text, at, closing);
      if (character === '[') yield { what: 'word', from, to: at };
      else yield { what: 'text', from, to: at };
      continue;
    }
    const number = matchAt(NUMBER, text, at);
    if (number !== undefined) {
      at += number.length;
      // Whether `1exec` is `1e` and a name or `1` and `exec`, either is looked at.
      const other = /^[\d.]+e$/i.test(number) ? matchAt(WORD, text, at - 1) : undefined;
      yield { what: 'other', from, to: at };
      if (other !== undefined) yield { what: 'word', from: at - 1, to: at - 1 + other.length };
      continue;
    }
    const word = matchAt(WORD, text, at);
    at += word?.length ?? 1;
    // The letter before a text belongs to it.
    if (word !== undefined && !(/^n$/i.test(word) && text[at] === "'")) yield { what: 'word', from, to: at };
    else if (word === undefined && !/\s/.test(character))
      yield { what: character === ';' ? 'end' : 'other', from, to: at };
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** They stand inside each other. */
function afterComment(text: string, from: number): number {
  let depth = 1;
  let at = from + 2;
  while (at < text.length && depth > 0) {
    const two = text.slice(at, at + 2);
    if (two === '/*') depth += 1;
    else if (two === '*/') depth -= 1;
    at += two === '/*' || two === '*/' ? 2 : 1;
  }
  return at;
}

function afterQuoted(text: string, from: number, closing: string): number {
  for (let at = from + 1; at < text.length; ) {
    if (text[at] !== closing) at += 1;
    else if (text[at + 1] === closing) at += 2;
    else return at + 1;
  }
  return text.length;
}

/** Of each `USE`, in its order; not those inside texts that the server runs later, nor tables that are named with their database: the server's own grants hold those. */
export function databasesUsed(text: string): string[] {
  if (!/use/i.test(text)) return [];
  const used: string[] = [];
  let before = '';
  /** What stood before `USE`, while its name is waited for. */
  let opened: string | undefined;
  for (const { what, from, to } of tsqlTokens(text)) {
    const part = text.slice(from, to);
    if (opened !== undefined) {
      // `OPTION (USE HINT …)` and `USE PLAN` are no statements.
      const isHint = (opened === '(' || opened === ',') && /^(?:hint|plan)$/i.test(part);
      if (!isHint) used.push(nameOf(part));
      opened = undefined;
    } else if (what === 'word' && part.toLowerCase() === 'use') opened = before;
    before = part;
  }
  return used;
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
