/** Where a batch of T-SQL ends, and which statements of one stand alone. */
import type { PlacedStatement } from './placed-statement.ts';
import type { Token } from './sql-token.ts';
import { tsqlTokens } from './tsql-tokens.ts';

/** Alone in its line, with how often it is run. */
const AFTER_GO = /[ \t]*\d*[ \t]*(?:--.*)?\r?(?:\n|$)/y;
/** Of a batch that has one of them, the parts do not stand alone: a variable is gone with its batch, and bodies have statements in them. */
const BOUND = new Set(['DECLARE', 'IF', 'ELSE', 'WHILE', 'GOTO', 'PROC', 'PROCEDURE', 'FUNCTION', 'TRIGGER']);
const TRANSACTIONS = new Set(['TRAN', 'TRANSACTION', 'DISTRIBUTED']);

/** What stands between two lines of GO is one where its statements belong together; otherwise each of them is. */
export function splitBatches(text: string): PlacedStatement[] {
  const found: PlacedStatement[] = [];
  let batch: Token[] = [];
  let start = 0;
  const end = (to: number) => {
    found.push(...inBatch(text, { from: start, to }, batch));
    batch = [];
  };
  for (const token of tsqlTokens(text)) {
    if (token.from < start) continue;
    const after = lineAfterGo(text, token);
    if (after === undefined) batch.push(token);
    else {
      end(token.from);
      start = after;
    }
  }
  end(text.length);
  return found;
}

/** Where the line ends; undefined where it is no such line. */
function lineAfterGo(text: string, { what, from, to }: Token): number | undefined {
  if (what !== 'word' || text.slice(from, to).toUpperCase() !== 'GO') return undefined;
  const line = text.lastIndexOf('\n', from - 1) + 1;
  if (from > 0 && text.slice(line, from).trim() !== '') return undefined;
  AFTER_GO.lastIndex = to;
  const after = AFTER_GO.exec(text);
  return after ? to + after[0].length : undefined;
}

function inBatch(text: string, { from, to }: { from: number; to: number }, batch: readonly Token[]): PlacedStatement[] {
  if (batch.every(({ what }) => what === 'end')) return [];
  if (isWhole(text, batch)) return [placed(text, from, to)];
  const found: PlacedStatement[] = [];
  let start = from;
  let isStatement = false;
  for (const token of batch) {
    if (token.what !== 'end') isStatement = true;
    else {
      if (isStatement) found.push(placed(text, start, token.from));
      isStatement = false;
      start = token.to;
    }
  }
  return isStatement ? [...found, placed(text, start, to)] : found;
}

function isWhole(text: string, batch: readonly Token[]): boolean {
  let before = '';
  for (const { what, from, to } of batch) {
    const word = what === 'word' ? text.slice(from, to).toUpperCase() : '';
    if (BOUND.has(word) || /^@[^@]/.test(word) || (before === 'BEGIN' && !TRANSACTIONS.has(word))) return true;
    before = word;
  }
  return false;
}

function placed(text: string, from: number, to: number): PlacedStatement {
  const sql = text.slice(from, to);
  const at = from + sql.length - sql.trimStart().length;
  return { sql: sql.trim(), from: at, to: at + sql.trim().length };
}
