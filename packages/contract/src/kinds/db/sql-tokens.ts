/** Takes a statement apart as far as one must, to know what is inside quotes and what is not. */

import type { Token } from './sql-token.ts';
import { mayBeginWord, tsqlTokens } from './tsql-tokens.ts';

export interface Quoting {
  /** `\` begins an escape in texts between plain quotes: MySQL, and PostgreSQL with `standard_conforming_strings` off. */
  backslashes: boolean;
  /** Texts also stand between `"`, `#` begins a comment, and one that begins with `/*!` is run: MySQL. */
  isMysql: boolean;
  /** Names stand between `[` and `]`, and a line of GO ends a batch: SQL Server. */
  isTsql?: boolean;
}

const WORD = /[\p{L}_][\p{L}\p{N}_$]*/uy;
/** MySQL takes `5--2` for a difference. */
const DASHES = /^--(?:[\s\p{Cc}]|$)/u;
/** Run by MySQL and MariaDB, by MariaDB alone. */
const RUN_COMMENT = /^\/\*M?!/;
const DOLLAR = /\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;

export function* tokens(statement: string, { backslashes, isMysql, isTsql }: Quoting): Generator<Token> {
  if (isTsql) {
    yield* tsqlTokens(statement);
    return;
  }
  let at = 0;
  while (at < statement.length) {
    const from = at;
    const character = statement[at] as string;
    // Two characters are looked at together, and patterns asked, where they can begin something: whole files are taken apart.
    const two = '-/'.includes(character) ? statement.slice(at, at + 2) : '';
    if (isMysql ? character === '#' || (two === '--' && DASHES.test(statement.slice(at, at + 3))) : two === '--') {
      at = afterLine(statement, at);
      continue;
    }
    if (two === '/*') {
      const head = isMysql ? RUN_COMMENT.exec(statement.slice(at, at + 4))?.[0] : undefined;
      at = head === undefined ? afterComment(statement, at, !isMysql) : at + head.length;
      if (head !== undefined) yield { what: 'other', from, to: at };
      continue;
    }
    const word = mayBeginWord(statement.charCodeAt(at)) ? matchAt(WORD, statement, at) : undefined;
    const next = statement[at + (word?.length ?? 0)];
    if (word !== undefined && !(word.length === 1 && next === "'" && 'eEnNbBxX'.includes(word))) {
      at += word.length;
      yield { what: 'word', from, to: at };
      continue;
    }
    if (word !== undefined || character === "'") {
      const escapes = backslashes || (!isMysql && word?.toLowerCase() === 'e');
      at = afterQuoted(statement, at + (word?.length ?? 0), escapes);
      yield { what: 'text', from, to: at };
      continue;
    }
    if (character === '"' || character === '`') {
      at = afterQuoted(statement, at, backslashes && character === '"');
      const isText = isMysql && character === '"';
      yield {
        what: isText ? 'text' : 'word',
        from: isText ? from : from + 1,
        to: isText ? at : Math.max(from + 1, at - 1),
      };
      continue;
    }
    const dollar = isMysql || character !== '$' ? undefined : matchAt(DOLLAR, statement, at);
    if (dollar !== undefined) {
      const end = statement.indexOf(dollar, at + dollar.length);
      at = end < 0 ? statement.length : end + dollar.length;
      yield { what: 'text', from, to: at };
      continue;
    }
    at += 1;
    yield { what: character === ';' ? 'end' : 'other', from, to: at };
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function afterLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** `isNested`: they stand inside each other, as PostgreSQL has them. Neither mark is looked for twice in the same place: of many that are opened, the end would be looked for from each. */
function afterComment(text: string, from: number, isNested: boolean): number {
  let depth = 1;
  let at = from + 2;
  let [end, inner] = [-1, -1];
  while (depth > 0) {
    if (end < at) end = text.indexOf('*/', at);
    if (end < 0) return text.length;
    if (isNested && inner < at) inner = firstOr(text.indexOf('/*', at), text.length);
    const isInner = isNested && inner < end;
    depth += isInner ? 1 : -1;
    at = (isInner ? inner : end) + 2;
  }
  return at;
}

function firstOr(found: number, none: number): number {
  return found < 0 ? none : found;
}

/** A text that is cut off goes on to the end. */
function afterQuoted(text: string, from: number, escapes: boolean): number {
  const quote = text[from] as string;
  let at = from + 1;
  while (at < text.length) {
    if (escapes && text[at] === '\\') at += 2;
    else if (text[at] !== quote) at += 1;
    else if (text[at + 1] === quote) at += 2;
    else return at + 1;
  }
  return text.length;
}
