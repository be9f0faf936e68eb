/** What a statement's text names that somebody decides about: databases it changes to, files of the client it asks for. */
import type { Token } from '@gatehouse/contract/kinds/db/sql-token';
import { type Quoting, tokens } from '@gatehouse/contract/kinds/db/sql-tokens';

/** A quick look, whatever stands before it: to look for where a statement begins would take as long as the square of its blank lines. */
const MAY_USE = /(?<!\p{L})use(?![\p{L}\p{N}_$])/iu;
const LOCAL = /\blocal\b/i;
const LOAD = /\bload\b/i;
const SPACE = /^[\s\p{Cc}]$/u;
const BARE_NAME = /^[\p{L}\p{N}_$]+/u;
const MAX_NAME_CHARACTERS = 256;
/** That are changed to in one text, told apart by their names. Nobody writes so many, and about each somebody's roles are asked. */
export const MAX_DATABASES = 1_000;

/** In words; undefined: all of them may be used. */
export function whyForbidden(
  used: readonly string[],
  { mayUse }: { mayUse(database: string): boolean },
): string | undefined {
  if (used.length > MAX_DATABASES) return `more than ${MAX_DATABASES} databases in one statement`;
  const forbidden = used.find((database) => !mayUse(database));
  return forbidden === undefined ? undefined : `Access denied to database '${forbidden}'`;
}
/** Read as UTF-8: a backslash behind half a character. In GBK, Big5 and the like it may be the other half, and then it escapes no quote: nobody here knows which the session has. */
export const HALF = '\uFFFD\\';

/** Of each `USE`, in its order and once, as each is decided about. A name that cannot be made out is given as it stands, which nobody has. */
export function databasesUsed(text: string, backslashes: boolean): readonly string[] {
  const used = new Set<string>();
  if (!MAY_USE.test(text)) return [];
  addUsed(used, text, backslashes);
  if (text.includes(HALF)) addUsed(used, text.replaceAll(HALF, 'x'), backslashes);
  return [...used];
}

function addUsed(used: Set<string>, text: string, backslashes: boolean): void {
  let isFirst = true;
  for (const { what, from, to } of tokens(text, mysql(backslashes))) {
    if (what === 'end') isFirst = true;
    else if (what !== 'other') {
      if (isFirst && what === 'word' && text.slice(from, to).toLowerCase() === 'use') used.add(nameAfter(text, to));
      isFirst = false;
    }
    if (used.size > MAX_DATABASES) return;
  }
}

function nameAfter(text: string, from: number): string {
  const rest = afterSpace(text, from);
  const quote = rest[0];
  if (quote === '`' || quote === '"') {
    const end = endOfQuoted(rest, quote);
    return rest.slice(1, end).replaceAll(quote + quote, quote);
  }
  return (BARE_NAME.exec(rest)?.[0] ?? rest).slice(0, MAX_NAME_CHARACTERS);
}

/** Comments in between are as good as a space. */
function afterSpace(text: string, from: number): string {
  let at = from;
  for (;;) {
    if (SPACE.test(text[at] ?? '')) at += 1;
    else if (text.startsWith('/*', at) && !/^\/\*M?!/.test(text.slice(at, at + 4))) {
      const end = text.indexOf('*/', at + 2);
      at = end < 0 ? text.length : end + 2;
    } else if (text[at] === '#' || /^--[\s\p{Cc}]/u.test(text.slice(at, at + 3))) {
      const end = text.indexOf('\n', at);
      at = end < 0 ? text.length : end + 1;
    } else return text.slice(at, at + 2 * MAX_NAME_CHARACTERS);
  }
}

function endOfQuoted(text: string, quote: string): number {
  let at = 1;
  while (at < text.length) {
    if (text[at] !== quote) at += 1;
    else if (text[at + 1] === quote) at += 2;
    else return at;
  }
  return text.length;
}

/** Of each `LOAD … LOCAL INFILE 'name'`. */
export function filesAsked(text: string, backslashes: boolean): ReadonlySet<string> {
  const files = new Set<string>();
  if (!LOAD.test(text) || !LOCAL.test(text)) return files;
  let words: string[] = [];
  for (const token of tokens(text, mysql(backslashes))) {
    const { what, from, to } = token;
    if (what === 'end') words = [];
    else if (what === 'word') words = [...words.slice(-7), text.slice(from, to).toLowerCase()];
    else if (what === 'text') {
      if (isLoad(words)) files.add(contentOf(text, token, backslashes));
      words = ['?'];
    }
  }
  return files;
}

function isLoad(words: readonly string[]): boolean {
  const [local, infile] = words.slice(-2);
  return local === 'local' && infile === 'infile' && words.includes('load');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', '0': '\0', Z: '\x1a' };

function contentOf(text: string, { from, to }: Token, backslashes: boolean): string {
  const quote = text[from] as string;
  const inside = text.slice(from + 1, to - 1);
  const pattern = backslashes ? /\\([\s\S])|(['"])\2/g : /(['"])\1/g;
  return inside.replaceAll(pattern, (all: string, first: string | undefined, second: unknown) => {
    if (all[0] === '\\') return ESCAPES[first as string] ?? (first as string);
    const doubled = backslashes ? second : first;
    return doubled === quote ? quote : all;
  });
}

function mysql(backslashes: boolean): Quoting {
  return { backslashes, isMysql: true };
}
