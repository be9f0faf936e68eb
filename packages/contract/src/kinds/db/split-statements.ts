/** Where one statement ends and the next begins in what somebody wrote. */
import type { PlacedStatement } from './placed-statement.ts';
import { splitBatches } from './split-batches.ts';
import { type Quoting, tokens } from './sql-tokens.ts';

const WITH_BODIES = new Set(['FUNCTION', 'PROCEDURE', 'TRIGGER', 'EVENT', 'PACKAGE']);
/** `END IF` ends what no word here begins. */
const NOT_COUNTED = new Set(['IF', 'LOOP', 'WHILE', 'REPEAT', 'FOR']);

/** Comments go with what follows them; alone they are no statement. */
export function splitStatements(text: string, quoting: Quoting): PlacedStatement[] {
  if (quoting.isTsql) return splitBatches(text);
  const found: PlacedStatement[] = [];
  let start = 0;
  let isStatement = false;
  let words: string[] = [];
  let depth = 0;
  let before = '';
  const end = (to: number) => {
    const sql = text.slice(start, to);
    const from = start + sql.length - sql.trimStart().length;
    if (isStatement) found.push({ sql: sql.trim(), from, to: from + sql.trim().length });
    isStatement = false;
    words = [];
    depth = 0;
    before = '';
  };
  for (const { what, from, to } of tokens(text, quoting)) {
    if (what === 'end' && depth <= 0) {
      end(from);
      start = to;
      continue;
    }
    if (what === 'other' && text.slice(from, to).trim() === '') continue;
    isStatement = true;
    const word = what === 'word' ? text.slice(from, to).toUpperCase() : '';
    if (words.length < 12 && word !== '') words.push(word);
    if (hasBody(words)) depth += weightOf(word, before);
    before = word;
  }
  end(text.length);
  return found;
}

function hasBody(words: readonly string[]): boolean {
  return words[0] === 'CREATE' && words.some((word) => WITH_BODIES.has(word));
}

function weightOf(word: string, before: string): number {
  if (word === 'BEGIN') return 1;
  if (word === 'CASE') return before === 'END' ? 0 : 1;
  if (word === 'END') return -1;
  return before === 'END' && NOT_COUNTED.has(word) ? 1 : 0;
}
