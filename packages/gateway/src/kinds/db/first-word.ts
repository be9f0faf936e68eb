/** What a statement of SQL begins with, behind its comments. */

/** The first word of a statement, or undefined where it does not begin with one: then nobody can say what it is. `hashes`: `#` begins a comment too. */
export function firstWord(sql: string, { nested, hashes }: { nested: boolean; hashes: boolean }): string | undefined {
  let at = 0;
  for (;;) {
    const space = /[ \t\n\r\f\v(]*/y;
    space.lastIndex = at;
    at += space.exec(sql)?.[0].length ?? 0;
    if (sql.startsWith('--', at) || (hashes && sql[at] === '#')) {
      const end = sql.indexOf('\n', at);
      if (end < 0) return undefined;
      at = end;
    } else if (sql.startsWith('/*', at)) {
      const end = afterComment(sql, at, nested);
      if (end === undefined) return undefined;
      at = end;
    } else break;
  }
  const word = /[A-Za-z]+/y;
  word.lastIndex = at;
  const found = word.exec(sql)?.[0];
  // `SELECTX` and `select_1` are other words.
  return found === undefined || /[\p{L}\p{N}_$]/u.test(sql[at + found.length] ?? ' ') ? undefined : found.toUpperCase();
}

/** One that is run (`/*!`) is none. PostgreSQL's stand inside each other: taking the first end for the end would show a word that is inside. */
function afterComment(sql: string, from: number, nested: boolean): number | undefined {
  if (/^\/\*M?!/.test(sql.slice(from, from + 4))) return undefined;
  let depth = 0;
  const mark = /\/\*|\*\//g;
  mark.lastIndex = from;
  for (let found = mark.exec(sql); found; found = mark.exec(sql)) {
    if (found[0] === '*/') depth -= 1;
    else if (nested || depth === 0) depth += 1;
    if (depth === 0) return mark.lastIndex;
  }
  return undefined;
}
